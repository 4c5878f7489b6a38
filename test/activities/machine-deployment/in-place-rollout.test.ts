/**
 * Whole updates in place: the deployment is looked at, planned for and acted on, as are its sets; a
 * stand-in does what the Machines' workflows and the agents do.
 */
import { createMachines } from '../../../activities/machine-set/batches.ts';
import { deleteMachines } from '../../../activities/machine-set/deletions.ts';
import { observeMachineSet } from '../../../activities/machine-set/observe.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { InPlaceNode, InPlaceReason } from '../../../workflows/api/in-place.ts';
import { inPlaceNodeOf } from '../../../workflows/contracts/in-place-node.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import { planMachineDeployment } from '../../../workflows/plan/machine-deployment/plan.ts';
import { planMachineSet } from '../../../workflows/plan/machine-set/plan.ts';
import { namespace } from '../../support/builders.ts';
import { critical, InPlaceWorld, result } from './in-place-world.ts';

const progress = { done: [], report() {}, made() {}, isSuperseded: () => false };
const names = ['a', 'b'];
const maxUnavailable = 1;

/** What the condition says next; undefined: as before. `null`: nothing. */
function nextReason({ reason, ...said }: InPlaceNode): InPlaceReason | null | undefined {
  switch (reason) {
    case undefined:
    case 'UpdateSuccessful':
      return said.isCandidate && !said.result ? 'CandidateForUpdate' : undefined;
    case 'CandidateForUpdate':
      if (!said.isCandidate) return null;
      return said.isSelected ? 'SelectedForUpdate' : undefined;
    case 'SelectedForUpdate':
      return said.isSelected ? 'DrainSuccessful' : null;
    case 'DrainSuccessful':
      return 'ReadyForUpdate';
    case 'ReadyForUpdate':
      return said.result === 'successful' ? 'UpdateSuccessful' : undefined;
    case 'UpdateFailed':
      return undefined;
  }
  return undefined;
}

const phases: Partial<Record<InPlaceReason, MachinePhase>> = {
  DrainSuccessful: 'InPlaceUpdating',
  ReadyForUpdate: 'InPlaceUpdating',
};

class Rollout {
  readonly world = new InPlaceWorld({
    replicas: names.length,
    strategy: {
      type: 'InPlaceUpdate',
      inPlaceUpdate: { maxSurge: 0, maxUnavailable, orchestrationType: 'Auto' },
    },
  });
  /** Writes that are still made before the process dies. */
  left = Infinity;
  deaths = 0;
  /** The class of the template that the agent found last, by machine. */
  readonly found = new Map<string, string>();

  constructor() {
    for (const client of [this.world.control, this.world.world.target]) {
      client.fault = ({ method }) => {
        if (method === 'GET') return undefined;
        this.left -= 1;
        return this.left < 0 ? { code: 503, reason: 'Dead' } : undefined;
      };
    }
  }

  async begin(): Promise<void> {
    await this.world.add(...names.map((name) => ({ name, isAvoided: false })));
  }

  async machines(): Promise<Machine[]> {
    return (await this.world.control.list<Machine>(customResource('machines', namespace))).items;
  }

  /** One turn of all that there is, some of which may die. */
  async turn(): Promise<void> {
    await this.#live(() => this.#turnOfDeployment());
    for (const { metadata } of await this.world.sets())
      await this.#live(() => this.#turnOfSet(metadata.name));
    for (const machine of await this.machines()) await this.#turnOfMachine(machine);
  }

  /** One that died comes back, and does not die again. */
  async #live(action: () => Promise<void>): Promise<void> {
    await action().catch((error: unknown) => {
      if (this.left >= 0) throw error;
    });
    if (this.left >= 0) return;
    this.deaths += 1;
    this.left = Infinity;
  }

  async #turnOfDeployment(): Promise<void> {
    const plan = planMachineDeployment(await this.world.survey(), this.world.now);
    const { error } = await this.world.apply(...plan.steps);
    if (error !== undefined) throw new Error(error);
    if (plan.nodeStep) await this.world.tend(plan.nodeStep);
  }

  async #turnOfSet(name: string): Promise<void> {
    const set = (await this.world.sets()).find(({ metadata }) => metadata.name === name);
    if (!set) return;
    const { now } = this.world;
    const life = { namespace, name, uid: set.metadata.uid };
    const outcome = await observeMachineSet(this.world.world, { set: life, now });
    if (!outcome.found) return;
    const { observation } = outcome;
    const { generation, replicas } = observation.desired;
    const step = planMachineSet({ observation, createdSince: 0, batchSize: 1 }, now);
    if (step.action === 'create') {
      const batch = { set: life, names: [`made-by-${name}`], basis: { generation, replicas } };
      await createMachines(this.world.world, batch, progress);
    }
    if (step.action === 'delete')
      await deleteMachines(this.world.world, { set: life, names: step.names, generation, now });
  }

  async #turnOfMachine(machine: Machine): Promise<void> {
    const { control, world } = this.world;
    const node = await this.world.node(machine.metadata.name);
    const said = inPlaceNodeOf(node) ?? {};
    const reason = nextReason(said);
    const present = machine.status?.conditions ?? [];
    if (reason !== undefined) {
      const others = present.filter(({ type }) => type !== 'InPlaceUpdate');
      const own = { type: 'InPlaceUpdate', status: 'True' as const, reason: reason ?? '' };
      const conditions = reason === null ? others : [...others, own];
      const isDrained = reason === 'DrainSuccessful';
      const spec = { ...node.spec, ...(isDrained && { unschedulable: true }) };
      const status = { ...node.status, conditions };
      world.target.put({ ...node, kind: 'Node', spec, status });
      const phase = (reason && phases[reason]) ?? 'Running';
      control.put({
        ...machine,
        status: { ...machine.status, conditions, currentStatus: { phase } },
      });
    } else if (said.reason === 'ReadyForUpdate') {
      this.found.set(machine.metadata.name, (await this.wanted()) ?? '');
      const labels = { ...node.metadata.labels, [result]: 'successful' };
      world.target.put({ ...node, kind: 'Node', metadata: { ...node.metadata, labels } });
    }
  }

  /** Those whose pods were asked to leave, or that are not ready for any. */
  async unavailable(): Promise<number> {
    const nodes = await Promise.all(names.map((name) => this.world.node(name)));
    return nodes.filter(({ spec }) => spec?.unschedulable).length;
  }

  /** Class of the template. */
  async wanted(): Promise<string | undefined> {
    return (await this.world.deployment()).spec.template.spec?.class?.name;
  }

  async isOver(): Promise<boolean> {
    const wanted = await this.wanted();
    const sets = await this.world.sets();
    const of = sets.find(({ spec }) => spec.template?.spec?.class?.name === wanted);
    const machines = await this.machines();
    const isTidy = machines.every(({ metadata }) => metadata.labels?.[result] === undefined);
    const nodes = await Promise.all(names.map((name) => this.world.node(name)));
    const isFree = nodes.every(
      ({ metadata, spec }) =>
        Object.keys(metadata.labels ?? {}).length === 1 &&
        (spec?.taints ?? []).every(({ key }) => key === critical),
    );
    const count = of ? (await this.world.machinesOf(of)).length : 0;
    return count === names.length && of?.spec.replicas === count && isTidy && isFree;
  }

  /** Returns how many turns it took. */
  async toTheEnd(): Promise<number> {
    for (let turns = 0; turns < 60; turns += 1) {
      await this.turn();
      expect(await this.unavailable()).toBeLessThanOrEqual(maxUnavailable);
      expect((await this.machines()).map(({ metadata }) => metadata.name)).toEqual(names);
      if (await this.isOver()) return turns;
    }
    const facts = await this.world.survey();
    throw new Error(
      `it does not end: ${JSON.stringify(planMachineDeployment(facts, this.world.now))}`,
    );
  }

  async expectEnd(): Promise<void> {
    const nodes = await Promise.all(names.map((name) => this.world.node(name)));
    for (const { spec } of nodes) expect(spec?.unschedulable).toBeUndefined();
    const sizes = (await this.world.sets()).map(({ spec }) => spec.replicas ?? 0);
    expect(sizes.filter((size) => size > 0)).toEqual([names.length]);
  }
}

test('machines are updated where they are, no more at a time than may be missing', async () => {
  const rollout = new Rollout();
  await rollout.begin();
  await rollout.toTheEnd();
  await rollout.expectEnd();
  expect(Object.fromEntries(rollout.found)).toEqual({ a: 'large', b: 'large' });
  const { taints } = (await rollout.world.node('a')).spec ?? {};
  expect(taints).toEqual([{ key: critical, effect: 'NoSchedule' }]);
});

test('a worker that dies before any one of its writes changes nothing in the end', async () => {
  let death = 0;
  for (; ; death += 1) {
    const rollout = new Rollout();
    await rollout.begin();
    rollout.left = death;
    await rollout.toTheEnd();
    await rollout.expectEnd();
    if (rollout.deaths === 0) break;
  }
  expect(death).toBeGreaterThan(30);
});

describe.each([
  { name: 'back to the old one', size: 'small' },
  { name: 'on to a third one', size: 'huge' },
])('a template that goes $name', ({ size }) => {
  test('in the middle, whenever that is, takes all machines along, and makes none', async () => {
    for (let turns = 1; turns < 12; turns += 2) {
      const rollout = new Rollout();
      await rollout.begin();
      for (let count = 0; count < turns; count += 1) await rollout.turn();
      await rollout.world.change({ spec: { template: { spec: { class: { name: size } } } } });
      expect(await rollout.toTheEnd()).toBeLessThan(40);
      await rollout.expectEnd();
    }
  });
});
