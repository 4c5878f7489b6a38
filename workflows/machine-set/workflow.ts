import { ActivityFailure, condition, log, setHandler } from '@temporalio/workflow';
import type {
  CreateBatchOutcome,
  DeleteBatchOutcome,
  ObservedSetOutcome,
} from '../contracts/machine-set-activities.ts';
import type { WorkflowInput, ObjectReference } from '../contracts/references.ts';
import { WakeTimer } from '../runtime/wake-timer.ts';
import { isSameObject, noteObserved, ObjectLifecycle } from '../runtime/object-lifecycle.ts';
import { formatFacts } from './details.ts';
import type { Batch, CarriedSet, MachineSetState } from './state.ts';
import { fromCarried, newState, noteChanged, noteUnmatched, toCarried } from './state.ts';
import { observeInputOf } from './observe-input.ts';
import { notePush } from './unpushable.ts';
import type { MachinesSnapshot } from '../contracts/snapshots.ts';
import {
  machineSetGone,
  machineSetObserved,
  machinesChanged,
  stateQuery,
} from '../contracts/messages.ts';
import { defined } from '../values/defined.ts';
import { afterReplacement } from '../plan/machine-set/churn.ts';
import type { AutoPreservation } from '../plan/machine-set/auto-preservation.ts';
import type { MachineSetStep } from '../plan/machine-set/plan.ts';
import { nextBatchSize, planMachineSet } from '../plan/machine-set/plan.ts';
import { newNames } from '../values/names.ts';
import type { Refusals } from '../plan/requeues.ts';
import { failed, forget, isHeld, noteWrites } from '../plan/requeues.ts';
import { machinesSnapshot, setSnapshot } from '../contracts/snapshots.ts';
import { requireInput } from '../runtime/signal-validation.ts';
import { carriedState, shouldContinueAsNew } from '../runtime/continue-as-new.ts';
import { setDetails } from '../runtime/current-details.ts';
import { countDecision } from '../runtime/decisions.ts';
import { interruptible } from '../runtime/interruptible-step.ts';
import {
  isStop,
  messageOf,
  regular,
  localFirst,
  unlessStopped,
} from '../runtime/activity-options.ts';
import { Page } from '../runtime/page.ts';
import { attemptNow, Turns } from '../runtime/turns.ts';

export interface MachineSetInput extends WorkflowInput {
  state?: CarriedSet;
}

/** A line of the log names so many. */
const namedMax = 20;

/** One execution per MachineSet: holds as many machines of its template as its `replicas` say. */
export async function machineSet(input: MachineSetInput): Promise<{ reason: string }> {
  return await new MachineSetWorkflow(requireInput(input)).run();
}

class MachineSetWorkflow {
  readonly #input: MachineSetInput;
  readonly #state: MachineSetState;
  /** News is what only a read of the set can show. */
  readonly #lifecycle: ObjectLifecycle<CarriedSet>;
  readonly #timer = new WakeTimer(() => {
    this.#isDue = true;
  });
  readonly #turns = new Turns();
  readonly #page = new Page();
  /** The time has come that the last plan waits for. */
  #isDue = false;
  /** Why no batch is tried; absent when nothing is stopped. */
  #stop: string | undefined;

  constructor(input: MachineSetInput) {
    this.#input = input;
    const carried = carriedState(input.state);
    this.#state = carried ? fromCarried(carried) : newState();
    this.#lifecycle = new ObjectLifecycle(input);
    this.#listen();
  }

  run(): Promise<{ reason: string }> {
    return this.#lifecycle.run(() => this.#turn());
  }

  /**
   * One step at a time, and a batch that an earlier run left is resolved first: a read, which
   * also writes `observedGeneration`, never runs beside a batch.
   */
  async #turn(): Promise<{ reason: string } | undefined> {
    await this.#turns.next();
    this.#isDue = false;
    if (this.#state.batch) await this.#createBatch(this.#state.batch);
    if (this.#lifecycle.hasNews && !this.#state.isGone) await this.#observe();
    if (this.#state.isGone) return await this.#complete();
    await this.#perform(this.#plan());
    return undefined;
  }

  #plan(): MachineSetStep {
    const { observation, createdSince, batchSize, requeues } = this.#state;
    if (!observation) return { action: 'wait', reason: 'not read yet' };
    const facts = { observation, createdSince, batchSize, requeues, stop: this.#stop };
    const step = planMachineSet(defined(facts), Date.now());
    const { ref } = this.#input;
    const lines = formatFacts(this.#state, ref.namespace);
    this.#page.show(setDetails({ kind: 'MachineSet', ref, next: step.reason, facts: lines }));
    this.#timer.set(step.action === 'wait' ? step.until : undefined, step.reason);
    return step;
  }

  async #perform(step: MachineSetStep): Promise<void> {
    countDecision('machineSet', step.action);
    switch (step.action) {
      case 'wait':
        if (shouldContinueAsNew()) await this.#renew();
        await this.#untilNews();
        return;
      case 'create':
        this.#planBatch(step.count);
        return;
      case 'delete':
        await this.#deleteBatch(step.names, step.reason);
        return;
      case 'push':
        await this.#push(step.names);
        return;
      case 'preserve':
        await this.#preserve(step);
        return;
      case 'release':
        await this.#release();
    }
  }

  async #untilNews(): Promise<void> {
    const hasNews = (): boolean => this.#isDue || this.#lifecycle.hasNews;
    if (!hasNews()) this.#turns.rested();
    await condition(hasNews);
    const { observation, requeues } = this.#state;
    const times = [observation?.holdsUntil, requeues.refused?.retryAt, requeues.push?.retryAt];
    if (times.some((time) => time !== undefined && time <= Date.now())) this.#lifecycle.noteNews();
  }

  async #observe(): Promise<void> {
    this.#lifecycle.takeNews();
    const { ref } = this.#input;
    const mayFollow = this.#stop === undefined;
    const input = observeInputOf(ref, this.#state, { now: Date.now(), mayFollow });
    const summary = `read MachineSet ${ref.name}`;
    const outcome = await localFirst((steps) => steps.observeMachineSet(input), summary);
    delete this.#state.mustRead;
    this.#take(outcome);
    if (!outcome.found) return;
    // Machines that did not take the template do by now, or go.
    if (!input.unpushable && !outcome.observation.toPush) this.#forgetUnpushable();
    if (input.refusal && !input.passOver) this.#retryRefused(outcome);
    else if (outcome.refused) this.#noteAttempt([], outcome.refused);
    // Their time has come while they were passed over: no timer would be set for them any more.
    const isHeldBack = isHeld(this.#state.requeues, 'refused', Date.now());
    if (input.passOver && !isHeldBack) this.#lifecycle.noteNews();
  }

  /**
   * It is time to try again: what the read itself did not try is in its plan, or needs no write
   * any more.
   */
  #retryRefused({ observation, refused }: Extract<ObservedSetOutcome, { found: true }>): void {
    const {
      toDelete,
      autoPreservation: { preserve, unpreserve } = { preserve: [], unpreserve: [] },
    } = observation;
    const planned = new Set([...toDelete.names, ...preserve, ...unpreserve]);
    const names = this.#state.requeues.refused?.names ?? [];
    this.#noteAttempt(
      names.filter((name) => !planned.has(name)),
      refused,
    );
    // The condition goes with the last of them.
    if (!this.#state.requeues.refused) this.#lifecycle.noteNews();
  }

  #noteAttempt(tried: readonly string[], refused: Refusals | undefined): void {
    noteWrites(this.#state.requeues, { tried, refused }, attemptNow());
  }

  #forgetUnpushable(): void {
    delete this.#state.unpushable;
    forget(this.#state.requeues, 'push');
  }

  #take(outcome: ObservedSetOutcome): void {
    const state = this.#state;
    if (!outcome.found || !isSameObject(state, outcome.uid)) {
      state.isGone = true;
      return;
    }
    state.uid = outcome.uid;
    state.observation = outcome.observation;
    state.isUnreported = outcome.isUnreported ?? false;
    state.createdSince = 0;
    if (outcome.machineDeployment === undefined) delete state.machineDeployment;
    else state.machineDeployment = outcome.machineDeployment;
    const { desired, present } = outcome.observation;
    const { generation } = desired;
    if (state.unpushable && state.unpushable.generation !== generation) this.#forgetUnpushable();
    if (outcome.observation.isChurnOver) delete state.churn;
    // None is missing any more: a refusal from before says nothing of a batch that comes later.
    if (present >= desired.replicas) forget(state.requeues, 'create');
  }

  #planBatch(count: number): void {
    const state = this.#state;
    if (!state.observation) return;
    const { generation, replicas } = state.observation.desired;
    const names = newNames({
      prefix: this.#input.ref.name,
      count,
      taken: new Set(),
      random: () => Math.random(),
    });
    state.batch = { names, basis: { generation, replicas } };
  }

  #isReadDue(): boolean {
    const { mustRead, isUnreported, observation } = this.#state;
    return Boolean(mustRead) || Boolean(isUnreported) || observation?.uncounted !== undefined;
  }

  async #createBatch({ names, basis }: Batch): Promise<void> {
    const state = this.#state;
    const { createMachines } = unlessStopped(`create ${names.length} machines`);
    let outcome: CreateBatchOutcome | undefined;
    try {
      outcome = await interruptible(() => createMachines({ set: this.#set(), names, basis }));
    } catch (error) {
      if (isStop(error)) return this.#suspend(error);
      if (!(error instanceof ActivityFailure)) throw error;
      outcome = { created: [], taken: [], error: messageOf(error) };
    }
    // The next run tries the same names again.
    if (!outcome) return await this.#renew();
    delete state.batch;
    this.#report('creates Machines', { names: outcome.created });
    state.createdSince += outcome.created.length;
    // A large set takes many batches, and each is progress.
    if (outcome.created.length > 0) this.#turns.rested();
    // Fewer made than planned: what was read is out of date.
    if (outcome.created.length < names.length) state.mustRead = true;
    if (this.#isReadDue()) this.#lifecycle.noteNews();
    if (outcome.error === undefined) {
      state.batchSize = nextBatchSize(state.batchSize);
      forget(state.requeues, 'create');
      return;
    }
    state.batchSize = 1;
    failed(state.requeues, 'create', { message: outcome.error, ...attemptNow() });
    this.#lifecycle.noteNews();
  }

  async #renew(): Promise<never> {
    return await this.#lifecycle.continueAsNew(toCarried(this.#state));
  }

  async #deleteBatch(names: string[], reason: string): Promise<void> {
    const { deleteMachines } = unlessStopped(`delete ${names.length} machines: ${reason}`);
    const generation = this.#state.observation?.desired.generation ?? 0;
    const batch = { set: this.#set(), names, reason, generation, now: Date.now() };
    let outcome: DeleteBatchOutcome | undefined;
    try {
      outcome = await interruptible(() => deleteMachines(batch));
    } catch (error) {
      if (isStop(error)) return this.#suspend(error);
      throw error;
    }
    if (!outcome) {
      this.#state.mustRead = true;
      return await this.#renew();
    }
    const { deleted, refused } = outcome;
    this.#report('deletes Machines', { names: deleted > 0 ? names : [], reason });
    if (deleted < names.length) this.#state.mustRead = true;
    if (deleted > 0) this.#turns.rested();
    this.#noteAttempt(names, refused);
    this.#noteReplaced(names);
    // A slow start begins anew after a scale-down.
    this.#state.batchSize = 1;
    this.#lifecycle.noteNews();
  }

  #noteReplaced(names: readonly string[]): void {
    const state = this.#state;
    const { unjoined = [] } = state.observation ?? {};
    if (!unjoined.some((name) => names.includes(name))) return;
    state.churn = afterReplacement(state.churn, attemptNow());
  }

  /**
   * Beside the loop, which goes on with what a stop allows: the status, above all. The batch is
   * dropped: the next read finds what it has done, and a later batch is planned from that.
   */
  #suspend(stop: ActivityFailure): void {
    delete this.#state.batch;
    this.#state.mustRead = true;
    this.#lifecycle.noteNews();
    this.#stop = messageOf(stop);
    void this.#waitForResume();
  }

  async #waitForResume(): Promise<void> {
    const { waitForResume } = regular('wait for the end of the stop');
    await waitForResume({ set: this.#set() });
    this.#stop = undefined;
    this.#lifecycle.noteNews();
  }

  async #push(names: string[]): Promise<void> {
    const { pushTemplate } = regular(`push the template to ${names.length} machines`);
    const outcome = await pushTemplate({ set: this.#set(), names });
    notePush(this.#state, { tried: names, outcome }, attemptNow());
    this.#lifecycle.noteNews();
  }

  async #preserve({ preserve, unpreserve }: AutoPreservation): Promise<void> {
    const input = { set: this.#set(), preserve, unpreserve };
    const count = preserve.length + unpreserve.length;
    const summary = `preserve or let go ${count} machines`;
    const { refused } = await localFirst((steps) => steps.markPreserved(input), summary);
    this.#noteAttempt([...preserve, ...unpreserve], refused);
    this.#lifecycle.noteNews();
  }

  async #release(): Promise<void> {
    const input = { set: this.#set() };
    const summary = 'remove the finalizer';
    const outcome = await localFirst((steps) => steps.releaseMachineSet(input), summary);
    if (outcome?.isGone === false) this.#lifecycle.noteNews();
    else this.#state.isGone = true;
  }

  async #complete(): Promise<{ reason: string }> {
    if (this.#state.successor) return await this.#lifecycle.continueAsNew();
    return { reason: 'the MachineSet is gone' };
  }

  /** In the log: docs/logs.md. */
  #report(what: string, { names, reason }: { names: readonly string[]; reason?: string }): void {
    if (names.length === 0) return;
    const { namespace, name } = this.#input.ref;
    const machines = names.slice(0, namedMax);
    const count = names.length;
    log.info(what, defined({ machineSet: `${namespace}/${name}`, count, machines, reason }));
  }

  #set(): ObjectReference {
    return { ...this.#input.ref, uid: this.#state.uid ?? '' };
  }

  #listen(): void {
    setHandler(stateQuery, () => toCarried(this.#state), { description: 'all that the run knows' });
    const lifecycle = this.#lifecycle;
    lifecycle.on(machineSetObserved, setSnapshot, (seen) => noteObserved(this.#state, seen));
    lifecycle.follow(machineSetGone, this.#state);
    lifecycle.on(machinesChanged, machinesSnapshot, (seen) => this.#noteMachines(seen));
    this.#page.hearTheRest([]);
  }

  #noteMachines(seen: MachinesSnapshot): boolean {
    noteUnmatched(this.#state, seen);
    noteChanged(this.#state, seen);
    return true;
  }
}
