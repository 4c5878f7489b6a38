/** A MachineDeployment, its sets and their machines, as far as its workflow can tell. */
import type {
  ApplyInput,
  ObservedDeploymentOutcome,
} from '../../../workflows/contracts/machine-deployment-activities.ts';
import type {
  DeploymentFacts,
  SetFacts,
} from '../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { DeploymentStep } from '../../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { RolloutView } from '../../../workflows/machine-deployment/reports.ts';
import type { Steps } from '../../support/call-log.ts';
import { eventually } from '../../support/eventually.ts';
import type { TemporalForTests } from '../../support/temporal.ts';
import { aSet, someFacts } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { SetWorld } from '../machine-set/set-world.ts';

export class RolloutWorld {
  readonly world: SetWorld;
  /** What the next look finds; a test changes it as a person with kubectl would. */
  facts: DeploymentFacts = someFacts({ replicas: 3, maxSurge: 1, newSetName: 'pool-1' });
  /** Undefined: there is none. */
  uid: string | undefined = 'uid-1';
  /** Sets whose machines never come up. */
  readonly stuck = new Set<string>();
  #version = 1;
  readonly #temporal: TemporalForTests;

  constructor(
    temporal: TemporalForTests,
    overrides: (own: Partial<Steps>) => Partial<Steps> = () => ({}),
  ) {
    this.#temporal = temporal;
    const own = this.#steps();
    this.world = new SetWorld(temporal, 'machineDeployment', { ...own, ...overrides(own) });
  }

  get log(): SetWorld['log'] {
    return this.world.log;
  }

  async run(body: () => Promise<void>): Promise<void> {
    await this.world.run(async () => {
      await body();
      await this.#rest();
    });
  }

  /**
   * A workflow that is ended in the middle of a task keeps the server's time from being skipped.
   */
  async #rest(): Promise<void> {
    const { status } = await this.world.handle.describe();
    if (status.name === 'RUNNING') await this.view();
  }

  /** The actions of all steps so far, in order. */
  actions(): string[] {
    return this.log
      .inputsOf('applyDeploymentSteps')
      .flatMap(({ steps }) => steps.map(({ action }) => action));
  }

  /** The template changed: a set of it is still to be made. */
  changeTemplate(): void {
    this.facts.newSetName = `pool-${this.facts.sets.length + 1}`;
    for (const set of this.facts.sets) set.isOfTemplate = false;
  }

  /** Tells of changed sets until the rollout is where it should be. */
  async until(what: string, holds: (view: RolloutView) => boolean): Promise<void> {
    await eventually(what, async () => {
      const view = await this.view();
      if (view && holds(view)) return true;
      await this.world.changeSets();
      return false;
    });
  }

  async isComplete(): Promise<void> {
    await this.until('the rollout is complete', (view) => this.#isDone(view));
  }

  /** Of what is wanted now: a view may be older than the last change. */
  #isDone({ state, sets }: RolloutView): boolean {
    const { replicas, newSetName } = this.facts;
    const wanted = this.facts.sets.find((set) => set.isOfTemplate)?.name ?? newSetName;
    const set = sets.find(({ isOfTemplate }) => isOfTemplate);
    return state === 'Complete' && set?.name === wanted && set.replicas === replicas;
  }

  async runId(): Promise<string> {
    return (await this.world.handle.describe()).runId;
  }

  /**
   * The rollout is over, and with it the run, which may be another one than `run`: that of the
   * rollout before may have ended meanwhile. The test server's change of runs is not atomic, so
   * nothing is sent at the end.
   */
  async isOver(run: string): Promise<void> {
    const atWork = new Set([run]);
    await eventually('the next run', async () => {
      const now = await this.runId();
      const view = await this.view();
      if (view && this.#isDone(view)) return !atWork.has(now);
      // One without a view may be the next run before its first plan.
      if (view) atWork.add(now);
      await this.world.changeSets();
      return false;
    });
    await this.view();
  }

  /**
   * Undefined before the first plan, and when the test server loses the query because a run ends.
   */
  async view(): Promise<RolloutView | undefined> {
    return await this.#temporal.ask<RolloutView>(this.world.handle, 'rollout');
  }

  /** Of a run that has planned. */
  async planned(): Promise<RolloutView> {
    return await this.#temporal.answerOf<RolloutView>(this.world.handle, 'rollout');
  }

  async now(): Promise<number> {
    return await this.#temporal.now();
  }

  #steps() {
    return {
      observeMachineDeployment: async ({
        protectedNodes,
      }: {
        protectedNodes?: string[];
      }): Promise<ObservedDeploymentOutcome> => {
        if (this.uid === undefined) return { found: false };
        for (const set of this.facts.sets) this.#runMachinesOf(set);
        const { sets, replicas, progress } = this.facts;
        const isComplete = sets.every((set) =>
          set.isOfTemplate ? set.machines === 'A'.repeat(replicas) : set.replicas === 0,
        );
        const hasProtectedNodes = protectedNodes === undefined || protectedNodes.length > 0;
        const facts = { ...this.facts, hasProtectedNodes, progress: { ...progress, isComplete } };
        return { found: true, uid: this.uid, facts: structuredClone(facts) };
      },
      applyDeploymentSteps: async ({ steps }: ApplyInput) => ({
        written: steps.flatMap((step) => this.#apply(step)),
      }),
      reportDeployment: async () => undefined,
      applyRolloutCommand: async ({ command }: Parameters<Steps['applyRolloutCommand']>[0]) => {
        if (command.verb === 'pause') this.facts.isPaused = true;
        if (command.verb === 'resume') this.facts.isPaused = false;
        if (command.verb === 'setReplicas') this.facts.replicas = command.replicas;
        return `done: ${command.verb}`;
      },
    };
  }

  #runMachinesOf(set: SetFacts): void {
    set.isObserved = true;
    set.machines = (this.stuck.has(set.name) ? 'U' : 'A').repeat(set.replicas);
    set.reported = set.replicas;
  }

  #apply(step: DeploymentStep): { name: string; resourceVersion: string }[] {
    if (step.action === 'createSet') this.#create(step);
    if (step.action === 'deleteSets') {
      this.facts.sets = this.facts.sets.filter(({ name }) => !step.names.includes(name));
    }
    if (step.action === 'release') this.uid = undefined;
    if (step.action === 'giveUp') this.facts.options.rolledBackFrom = step.set;
    return step.action === 'scaleSet' ? this.#scale(step.name, step.replicas) : [];
  }

  #create({
    name,
    replicas,
    revision,
  }: {
    name: string;
    replicas: number;
    revision: number;
  }): void {
    this.facts.sets.push(aSet({ name, replicas, revision, isOfTemplate: true }));
  }

  #scale(name: string, replicas: number): { name: string; resourceVersion: string }[] {
    const set = this.facts.sets.find((known) => known.name === name);
    if (!set) return [];
    this.#version += 1;
    const resourceVersion = String(this.#version);
    Object.assign(set, { replicas, resourceVersion, hasFreshScaling: true });
    return [{ name, resourceVersion }];
  }
}
