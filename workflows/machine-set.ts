import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { CreateBatchOutcome, LifeRef, SetSurveyOutcome } from './activities.ts';
import { Alarm } from './alarm.ts';
import { setDetails } from './set-details.ts';
import type { EntityInput, Sighting } from './messages.ts';
import { machineSetGone, machineSetObserved, machinesChanged, stateQuery } from './messages.ts';
import type { Following } from './following.ts';
import { follow, followGone } from './following.ts';
import { backoffSeconds } from './plan/backoff.ts';
import { defined } from './plan/defined.ts';
import type { MachineSetStep, SetSurvey } from './plan/machine-set.ts';
import { nextBatchSize, planMachineSet } from './plan/machine-set.ts';
import { newNames } from './plan/names.ts';
import { isOfOurCluster } from './own-cluster.ts';
import { mustRenew } from './renewal.ts';
import { messageOf, regularSteps, shortStep } from './steps.ts';

export interface MachineSetState extends Following {
  version: 1;
  survey?: SetSurvey;
  machineDeployment?: string;
  /** Machines created since the last survey. */
  createdSince: number;
  batchSize: number;
  /** Names of a batch that is not resolved yet: they count as machines. */
  unresolved: string[];
  failures: number;
  retryAt?: number;
  lastError?: string;
}

export interface MachineSetInput extends EntityInput {
  state?: MachineSetState;
}

/** One execution per MachineSet: holds as many machines of its template as its `replicas` say. */
export async function machineSet(input: MachineSetInput): Promise<{ reason: string }> {
  return await new MachineSetLife(input).live();
}

function newState(): MachineSetState {
  return { version: 1, isGone: false, createdSince: 0, batchSize: 1, unresolved: [], failures: 0 };
}

class MachineSetLife {
  readonly #input: MachineSetInput;
  readonly #state: MachineSetState;
  readonly #alarm = new Alarm(() => this.#wake());
  #isAwake = false;
  /** Something changed that only a read can tell. */
  #mustSurvey = true;

  constructor(input: MachineSetInput) {
    this.#input = input;
    this.#state = input.state ?? newState();
    this.#listen();
  }

  /** Not cancellable from outside: a set that is cancelled would leave its machines without an owner that acts. */
  async live(): Promise<{ reason: string }> {
    return await CancellationScope.nonCancellable(async () => {
      for (;;) {
        this.#isAwake = false;
        if (this.#state.unresolved.length > 0) await this.#createBatch();
        if (this.#mustSurvey && !this.#state.isGone) await this.#survey();
        if (this.#state.isGone) return await this.#complete();
        await this.#perform(this.#plan());
      }
    });
  }

  #plan(): MachineSetStep {
    const { survey, createdSince, batchSize, retryAt, lastError } = this.#state;
    if (!survey) return { action: 'wait', reason: 'not read yet' };
    const facts = defined({ survey, createdSince, batchSize, retryAt, lastError });
    const step = planMachineSet(facts, Date.now());
    const { ref } = this.#input;
    const lines = factsInWords(this.#state, ref.namespace);
    setCurrentDetails(setDetails({ kind: 'MachineSet', ref, next: step.reason, facts: lines }));
    this.#alarm.set(step.action === 'wait' ? step.until : undefined, step.reason);
    return step;
  }

  async #perform(step: MachineSetStep): Promise<void> {
    switch (step.action) {
      case 'wait':
        if (mustRenew()) await this.#renew();
        await condition(() => this.#isAwake || this.#mustSurvey);
        return;
      case 'create':
        this.#state.unresolved = newNames({
          prefix: this.#input.ref.name,
          count: step.count,
          taken: new Set(),
          random: () => Math.random(),
        });
        return;
      case 'delete':
        await this.#deleteBatch(step.names, step.reason);
        return;
      case 'release':
        await this.#release();
        this.#state.isGone = true;
    }
  }

  async #survey(): Promise<void> {
    this.#mustSurvey = false;
    const { ref } = this.#input;
    const { lastError: error } = this.#state;
    const input = defined({ set: ref, error });
    const summary = `read MachineSet ${ref.name}`;
    const outcome = await shortStep((steps) => steps.surveyMachineSet(input), summary);
    this.#take(outcome);
  }

  #take(outcome: SetSurveyOutcome): void {
    const state = this.#state;
    if (!outcome.found || (state.uid !== undefined && outcome.uid !== state.uid)) {
      state.isGone = true;
      return;
    }
    state.uid = outcome.uid;
    state.survey = outcome.survey;
    state.createdSince = 0;
    if (outcome.machineDeployment !== undefined)
      state.machineDeployment = outcome.machineDeployment;
  }

  /** All names of a batch are chosen before the first create, so that whatever is retried makes no machine twice. */
  async #createBatch(): Promise<void> {
    const state = this.#state;
    const { createMachines } = regularSteps(`create ${state.unresolved.length} machines`);
    let outcome: CreateBatchOutcome;
    try {
      outcome = await createMachines({ set: this.#set(), names: state.unresolved });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      outcome = { created: [], taken: [], error: messageOf(error) };
    }
    state.unresolved = [];
    state.createdSince += outcome.created.length;
    // Nothing made and nothing wrong: the set itself has changed.
    if (outcome.created.length === 0) this.#mustSurvey = true;
    if (outcome.error === undefined) this.#batchSucceeded();
    else this.#batchFailed(outcome.error);
  }

  #batchSucceeded(): void {
    const state = this.#state;
    state.batchSize = nextBatchSize(state.batchSize);
    state.failures = 0;
    delete state.retryAt;
    delete state.lastError;
  }

  #batchFailed(error: string): void {
    const state = this.#state;
    state.batchSize = 1;
    state.failures += 1;
    state.lastError = error;
    const wait = backoffSeconds({
      failure: { code: 'Internal', message: error, isSettled: true },
      attempts: state.failures,
      resourceExhaustedRetrySeconds: 0,
      random: Math.random(),
    });
    state.retryAt = Date.now() + wait * 1000;
    this.#mustSurvey = true;
  }

  async #deleteBatch(names: string[], reason: string): Promise<void> {
    const { deleteMachines } = regularSteps(`delete ${names.length} machines: ${reason}`);
    await deleteMachines({ set: this.#set(), names, reason });
    // A slow start begins anew after a scale-down.
    this.#state.batchSize = 1;
    this.#mustSurvey = true;
  }

  async #release(): Promise<void> {
    const input = { set: this.#set() };
    await shortStep((steps) => steps.releaseMachineSet(input), 'remove the finalizer');
  }

  async #complete(): Promise<{ reason: string }> {
    const { ref, cluster } = this.#input;
    if (this.#state.successor) await continueAsNew<typeof machineSet>({ ref, cluster });
    return { reason: 'the MachineSet is gone' };
  }

  async #renew(): Promise<void> {
    const { ref, cluster } = this.#input;
    await continueAsNew<typeof machineSet>({ ref, cluster, state: this.#state });
  }

  #set(): LifeRef {
    return { ...this.#input.ref, uid: this.#state.uid ?? '' };
  }

  #listen(): void {
    setHandler(stateQuery, () => this.#state);
    setHandler(machineSetObserved, (seen) => this.#note(seen, () => follow(this.#state, seen)));
    setHandler(machineSetGone, (gone) => this.#note(gone, () => followGone(this.#state, gone)));
    setHandler(machinesChanged, (seen) => this.#note(seen, () => true));
  }

  #note(signal: Sighting, observe: () => boolean): void {
    if (isOfOurCluster(signal, this.#input) && observe()) this.#mustSurvey = true;
  }

  #wake(): void {
    this.#isAwake = true;
  }
}

function factsInWords(state: MachineSetState, namespace: string): string[] {
  const facts: string[] = [];
  if (state.survey) {
    const { demand, present, total } = state.survey;
    facts.push(
      `**Machines:** ${demand.replicas} wanted, ${present} present, ${total - present} going away`,
    );
  }
  if (state.lastError !== undefined) facts.push(`**Last error:** ${state.lastError}`);
  if (state.machineDeployment !== undefined) {
    facts.push(`**Above:** workflow \`machineDeployment/${namespace}/${state.machineDeployment}\``);
  }
  return facts;
}
