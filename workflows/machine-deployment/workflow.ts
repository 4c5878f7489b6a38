import { allHandlersFinished, condition, patched, setHandler } from '@temporalio/workflow';
import type { WorkflowInput } from '../contracts/references.ts';
import { WakeTimer } from '../runtime/wake-timer.ts';
import { countDecision } from '../runtime/decisions.ts';
import { NodeWork } from './node-work.ts';
import { noteRead, noteRefusals, refusalInput } from './refusals.ts';
import { isSameObject, noteObserved, ObjectLifecycle } from '../runtime/object-lifecycle.ts';
import type { CarriedDeployment, MachineDeploymentState } from './state.ts';
import { fromCarried, newState, noteFinished, noteHold, toCarried } from './state.ts';
import type { SetSnapshot } from '../contracts/snapshots.ts';
import {
  machineDeploymentGone,
  machineDeploymentObserved,
  machineSetsChanged,
  rolloutQuery,
  stateQuery,
} from '../contracts/messages.ts';
import { setSnapshot, snapshotVersion } from '../contracts/snapshots.ts';
import { requireInput } from '../runtime/signal-validation.ts';
import { RateLimit } from '../plan/rate-limit.ts';
import { failed, forget, nextAt, tryNow } from '../plan/requeues.ts';
import { defined } from '../values/defined.ts';
import {
  canaryToPass,
  planMachineDeployment,
  standsStill,
} from '../plan/machine-deployment/plan.ts';
import { withLateness } from '../plan/machine-deployment/rollout/automatic-rollback.ts';
import { withLimitedSince } from '../plan/machine-deployment/rollout/gate.ts';
import { afterSteps } from '../plan/machine-deployment/rollout/after-steps.ts';
import {
  areAccepted,
  effectOf,
  notKept,
} from '../plan/machine-deployment/rollout/repeated-steps.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';
import { hasOldMachines } from '../plan/machine-deployment/rollout/hold.ts';
import { subjectsOf } from '../plan/machine-deployment/rollout/refused-steps.ts';
import type { DeploymentPlan, DeploymentStep } from '../plan/machine-deployment/rollout/steps.ts';
import { carriedState, shouldContinueAsNew } from '../runtime/continue-as-new.ts';
import type { PendingCommand } from '../runtime/command-queue.ts';
import { refuseOnObject } from '../runtime/command-queue.ts';
import { writtenRolloutCommand } from '../contracts/written-command.ts';
import { Page } from '../runtime/page.ts';
import { rolloutVerbs } from '../api/command-verbs.ts';
import { RolloutCommands } from './commands.ts';
import { RolloutReports } from './reports.ts';
import type { RolloutCommand } from '../contracts/commands.ts';
import { localFirst } from '../runtime/activity-options.ts';
import { attemptNow, Turns } from '../runtime/turns.ts';

export interface MachineDeploymentInput extends WorkflowInput {
  state?: CarriedDeployment;
}

/** One execution per MachineDeployment: moves its machines from one template to the next. */
export async function machineDeployment(
  input: MachineDeploymentInput,
): Promise<{ reason: string }> {
  return await new MachineDeploymentWorkflow(requireInput(input)).run();
}

/**
 * The sets of a rollout have news many times a second, for each machine that came or went. One read
 * of what half a second brought takes fewer writes than a read of each, and moves as many machines
 * at once.
 */
const burstMs = 500;

class MachineDeploymentWorkflow {
  readonly #input: MachineDeploymentInput;
  readonly #state: MachineDeploymentState;
  readonly #commands: RolloutCommands;
  /** News is what only a read of the deployment can show. */
  readonly #lifecycle: ObjectLifecycle<CarriedDeployment>;
  readonly #timer = new WakeTimer(() => this.#lifecycle.noteNews());
  readonly #turns = new Turns();
  readonly #page = new Page();
  readonly #reports: RolloutReports;
  /** The facts were read, and not worked out from what was written. */
  #isRead = false;
  #plan: DeploymentPlan | undefined;
  /** A set has changed; a read of it can wait for the rest of the burst. */
  #hasNewsOfSets = false;
  /**
   * We may have written the deployment, and the watcher has not signalled that version yet: a read
   * from before our write is too old.
   */
  #mustRead = true;
  /** The spec may have changed since the last read, also by the end of a pause. */
  #isSpecNew = true;
  readonly #nodes: NodeWork;
  /** By the effect of steps: what another controller takes back is planned again and again. */
  readonly #limit = new RateLimit();

  constructor(input: MachineDeploymentInput) {
    this.#input = input;
    const carried = carriedState(input.state);
    this.#state = carried ? fromCarried(carried) : newState();
    this.#lifecycle = new ObjectLifecycle(input);
    this.#reports = new RolloutReports(input, this.#state, this.#page);
    this.#nodes = new NodeWork(this.#state, () => this.#lifecycle.noteNews());
    this.#commands = new RolloutCommands(
      { facts: () => this.#factsForCommands(), generation: () => this.#state.observed?.generation },
      this.#page,
    );
    this.#listen();
    if (this.#state.observed) this.#hear(this.#state.observed);
  }

  run(): Promise<{ reason: string }> {
    return this.#lifecycle.run(() => this.#turn());
  }

  async #turn(): Promise<{ reason: string } | undefined> {
    await this.#turns.next();
    if (shouldContinueAsNew() && this.#isIdle && !this.#state.isGone) await this.#renew();
    if (this.#lifecycle.hasNews && !this.#state.isGone) await this.#observeDeployment();
    if (this.#state.isGone || !this.#state.facts) return await this.#complete();
    const { facts } = this.#state;
    // Commands of people go first.
    const refused = this.#commands.nextRefused();
    const pending = refused ? undefined : this.#commands.next();
    const object = { ...this.#reports.deployment, kind: 'MachineDeployment' as const };
    if (refused) await refuseOnObject({ object, ...refused });
    else if (pending) await this.#applyCommand(pending, facts);
    else await this.#advance(facts);
    return undefined;
  }

  async #observeDeployment(): Promise<void> {
    this.#lifecycle.takeNews();
    this.#hasNewsOfSets = false;
    const { ref } = this.#input;
    const state = this.#state;
    const { protectedNodes, observed, finished, lastFinished, requeues } = state;
    const error = requeues.steps?.message ?? requeues.sync?.message;
    const atLeast = this.#mustRead ? undefined : observed?.resourceVersion;
    this.#mustRead = false;
    const now = Date.now();
    const known = { deployment: ref, atLeast, now, protectedNodes, error, finished, lastFinished };
    const input = defined({ ...known, ...refusalInput(requeues) });
    const summary = `read MachineDeployment ${ref.name}`;
    const outcome = await localFirst((steps) => steps.observeMachineDeployment(input), summary);
    if (!outcome.found || !isSameObject(state, outcome.uid)) {
      state.isGone = true;
      return;
    }
    state.uid = outcome.uid;
    state.facts = withLimitedSince(state.facts, withLateness(state.facts, outcome.facts), now);
    this.#isRead = true;
    this.#isSpecNew = false;
    noteFinished(state, outcome.facts);
    if (noteRead(state.requeues, outcome.facts, outcome.refused)) this.#lifecycle.noteNews();
    if (hasOldMachines(outcome.facts)) state.hasRolled = true;
    // A deployment without a set has no Node that an earlier run could have left protected.
    if (outcome.facts.sets.length === 0) state.protectedNodes ??= [];
  }

  async #advance(facts: DeploymentFacts): Promise<void> {
    const { requeues, done } = this.#state;
    const now = Date.now();
    noteHold(this.#state, standsStill(facts, now), now);
    const { heldSince } = this.#state;
    const protectsHeldNodes = this.#protectsHeldNodes(facts, heldSince);
    const rules = { protectsHeldNodes, heldSince, requeues };
    const plan = planMachineDeployment(facts, now, rules);
    this.#plan = plan;
    if (this.#isRead && !plan.wantsSync) {
      this.#forget('sync');
      delete done.sync;
    }
    this.#reports.show(facts, plan);
    await this.#reports.follow(plan.report);
    await this.#reports.followOverride(facts);
    this.#nodes.follow(plan.nodeStep, this.#reports.deployment, facts);
    const isIdle = plan.steps.length === 0 && plan.retryAt === undefined;
    if (isIdle && this.#isRead) delete done.steps;
    if (isIdle && requeues.steps) this.#forget('steps');
    else if (plan.steps.length > 0) await this.#try(facts, plan.steps);
    else await this.#wait(facts, plan);
  }

  /** Asked only where it matters: the answer is an event of the history. */
  #protectsHeldNodes(facts: DeploymentFacts, heldSince: number | undefined): boolean {
    const isHeld = facts.hasNodes && facts.protectsNodes && heldSince !== undefined;
    return isHeld && !patched('held-rollouts-release-nodes');
  }

  async #wait(facts: DeploymentFacts, plan: DeploymentPlan): Promise<void> {
    const times = [plan.until, nextAt(this.#state.requeues), this.#nodes.waitsUntil];
    const until = Math.min(...times.map((time) => time ?? Infinity));
    this.#timer.atLatest(until === Infinity ? undefined : until, plan.reason);
    if (this.#mayRenew(facts, plan)) await this.#renew();
    const isUrgent = (): boolean =>
      this.#lifecycle.hasNews || this.#state.isGone || !this.#commands.isEmpty;
    const hasNews = (): boolean => this.#hasNewsOfSets || isUrgent();
    if (!hasNews()) {
      await condition(hasNews);
      this.#turns.rested();
    }
    if (hasOldMachines(facts) && !isUrgent()) {
      await condition(isUrgent, burstMs);
      this.#turns.rested();
    }
    if (this.#hasNewsOfSets) this.#lifecycle.noteNews();
  }

  #mayRenew(facts: DeploymentFacts, { state }: DeploymentPlan): boolean {
    // It is complete also while a set that is being deleted still has machines: the next run would
    // see them, take them for those of a rollout, and end at once, again and again.
    const isOver = state === 'Complete' && !hasOldMachines(facts);
    const isEnd = this.#state.hasRolled && isOver;
    const hasNews = this.#lifecycle.hasNews || this.#hasNewsOfSets;
    // News are no reason to stay for a run that grew long: a rollout always has some, and the next
    // run begins with a read.
    return this.#isIdle && (shouldContinueAsNew() || (isEnd && !hasNews));
  }

  get #isIdle(): boolean {
    return !this.#nodes.isRunning && this.#commands.isEmpty && allHandlersFinished();
  }

  async #renew(): Promise<void> {
    const hasRolled = this.#state.hasRolled && this.#plan?.state !== 'Complete';
    await this.#lifecycle.continueAsNew(toCarried({ ...this.#state, hasRolled }));
  }

  /** The only place that decides whether steps run; what does not last is written ever later. */
  async #try(facts: DeploymentFacts, steps: DeploymentStep[]): Promise<void> {
    const { requeues, done } = this.#state;
    const key = keyOf(steps);
    const scaling = { desired: facts.replicas, max: facts.replicas + facts.maxSurge };
    const effect = effectOf(steps, scaling);
    const attempts = done[key]?.effect === effect ? done[key].attempts : 0;
    const notBefore = this.#limit.when(effect, Date.now(), Math.random);
    if (notBefore !== undefined || attempts > (requeues[key]?.failures ?? 0)) {
      return await this.#noteRefused(steps, notKept(steps), notBefore);
    }
    for (const { action } of steps) countDecision('machineDeployment', action);
    const input = { deployment: this.#reports.deployment, steps, scaling };
    const summary = steps.map(({ reason }) => reason).join('; ');
    const outcome = await localFirst((port) => port.applyDeploymentSteps(input), summary);
    const writes = { tried: steps.flatMap(subjectsOf), refused: outcome.refused };
    const isNews = noteRefusals(requeues, writes);
    if (outcome.error !== undefined) return await this.#noteRefused(steps, outcome.error);
    const isAccepted = areAccepted(steps, outcome);
    done[key] = { effect, attempts: isAccepted ? attempts + 1 : attempts };
    if (attempts === 0) this.#forget(key);
    const next = isNews ? undefined : afterSteps(facts, steps, outcome.written);
    this.#reports.noteDone(steps);
    this.#isRead = !next;
    if (next) this.#state.facts = next;
    else this.#mustReadAgain();
    // One whose deletion was undone is read, and goes on.
    const isReleased = !outcome.isUndone && steps.some(({ action }) => action === 'release');
    if (isReleased) this.#state.isGone = true;
  }

  async #noteRefused(steps: DeploymentStep[], error: string, notBefore?: number): Promise<void> {
    const { requeues } = this.#state;
    const [step] = steps;
    const key = keyOf(steps);
    const isCreate = step?.action === 'createSet';
    const message = isCreate ? `Failed to create new machine set "${step.name}": ${error}` : error;
    const isNews = message !== requeues[key]?.message;
    failed(requeues, key, { message, ...attemptNow(), notBefore });
    this.#lifecycle.noteNews();
    if (!isNews) return;
    const reason = isCreate ? 'MachineSetCreateError' : 'MachineSetUpdateError';
    await this.#reports.write({ type: 'Warning', reason, message });
  }

  /** The condition said why: another read takes that away. */
  #forget(key: 'steps' | 'sync'): void {
    if (this.#state.requeues[key]) this.#lifecycle.noteNews();
    forget(this.#state.requeues, key);
  }

  async #applyCommand(
    pending: PendingCommand<RolloutCommand>,
    facts: DeploymentFacts,
  ): Promise<void> {
    const canary = canaryToPass(facts, Date.now());
    const deployment = this.#reports.deployment;
    const error = await this.#commands.apply(pending, { deployment, canary });
    if (error === undefined) delete this.#state.commandError;
    else this.#state.commandError = error;
    this.#mustReadAgain();
  }

  /** A pause that may be over refuses no command: a rollback waits for the end of one. */
  #factsForCommands(): DeploymentFacts | undefined {
    const { facts } = this.#state;
    const mayBeOver = this.#isSpecNew || this.#commands.isAsked('resume');
    return facts && { ...facts, isPaused: facts.isPaused && !mayBeOver };
  }

  #hear({ command }: Pick<SetSnapshot, 'command'>): void {
    if (command !== undefined) this.#commands.hear(command, writtenRolloutCommand);
  }

  #mustReadAgain(): void {
    this.#lifecycle.noteNews();
    this.#mustRead = true;
  }

  async #complete(): Promise<{ reason: string }> {
    this.#commands.refuseAll('the MachineDeployment is gone');
    await condition(() => !this.#nodes.isRunning && allHandlersFinished());
    this.#input.operations?.end('gone');
    if (this.#state.successor) return await this.#lifecycle.continueAsNew();
    return { reason: 'the MachineDeployment is gone' };
  }

  #listen(): void {
    const state = this.#state;
    setHandler(stateQuery, () => toCarried(state), { description: 'all that the run knows' });
    setHandler(
      rolloutQuery,
      () => {
        const { facts } = this.#state;
        return facts && this.#plan && this.#reports.view(facts, this.#plan);
      },
      { description: 'where the rollout is' },
    );
    this.#lifecycle.on(machineDeploymentObserved, setSnapshot, (seen) => this.#observe(seen));
    this.#lifecycle.follow(machineDeploymentGone, state);
    this.#lifecycle.on(machineSetsChanged, snapshotVersion, () => {
      this.#hasNewsOfSets = true;
      // Not news yet: `#wait` lets the rest of the burst come first.
      return false;
    });
    this.#page.hearTheRest(rolloutVerbs);
  }

  /** Another spec may be what was missing: it is tried at once. */
  #observe(seen: SetSnapshot): boolean {
    const before = this.#state.observed?.generation;
    if (!noteObserved(this.#state, seen)) return false;
    if (seen.generation !== before) this.#isSpecNew = true;
    if (!this.#state.successor) this.#hear(seen);
    if (seen.generation === before) return true;
    const { steps, sync, refused } = this.#state.requeues;
    tryNow(steps, sync, refused);
    return true;
  }
}

/** A sync has attempts of its own: replicas are served while it waits for the next one. */
function keyOf([step]: readonly DeploymentStep[]): 'steps' | 'sync' {
  return step?.action === 'syncSet' ? 'sync' : 'steps';
}
