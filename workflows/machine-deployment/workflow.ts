import { allHandlersFinished, condition, log, patched, setHandler } from '@temporalio/workflow';
import type {
  ApplyInput,
  ApplyOutcome,
  ObservedDeploymentOutcome,
} from '../contracts/machine-deployment-activities.ts';
import type { WorkflowInput, ObjectReference } from '../contracts/references.ts';
import { WakeTimer } from '../runtime/wake-timer.ts';
import { countDecision } from '../runtime/decisions.ts';
import { DeploymentRefusals } from './refusals.ts';
import { isSameObject, noteObserved, ObjectLifecycle } from '../runtime/object-lifecycle.ts';
import type { RolloutFacts } from './details.ts';
import { rolloutDetails, rolloutView } from './details.ts';
import type { Attempts, MachineDeploymentState } from './state.ts';
import { errorsIn, newState, noteFinished, retryTimesOf } from './state.ts';
import type { SetSnapshot } from '../contracts/snapshots.ts';
import {
  machineDeploymentGone,
  machineDeploymentObserved,
  machineSetsChanged,
  rolloutQuery,
  stateQuery,
} from '../contracts/messages.ts';
import { requireInput } from '../runtime/signal-validation.ts';
import { setSnapshot, snapshotVersion } from '../contracts/snapshots.ts';
import { stepBackoffSeconds } from '../plan/step-backoff.ts';
import { StepGuard } from '../plan/step-guard.ts';
import { defined } from '../values/defined.ts';
import { isHeld, planMachineDeployment } from '../plan/machine-deployment/plan.ts';
import { withLateness } from '../plan/machine-deployment/rollout/automatic-rollback.ts';
import { afterSteps } from '../plan/machine-deployment/rollout/after-steps.ts';
import {
  areAccepted,
  effectOf,
  notKept,
} from '../plan/machine-deployment/rollout/repeated-steps.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';
import { hasOldMachines } from '../plan/machine-deployment/rollout/hold.ts';
import type {
  DeploymentPlan,
  DeploymentStep,
  NodeStep,
  Report,
} from '../plan/machine-deployment/rollout/steps.ts';
import { carriedState, shouldContinueAsNew } from '../runtime/continue-as-new.ts';
import { refusal } from '../runtime/command-queue.ts';
import { writtenRolloutCommand } from '../contracts/written-command.ts';
import { Page } from '../runtime/page.ts';
import { rolloutVerbs } from '../api/command-verbs.ts';
import { RolloutCommands } from './commands.ts';
import { operationOf } from './operation.ts';
import { showRollout } from './search-attributes.ts';
import { messageOf, localFirst, singleAttempt } from '../runtime/activity-options.ts';
import { Turns } from '../runtime/turns.ts';

export interface MachineDeploymentInput extends WorkflowInput {
  state?: MachineDeploymentState;
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
  readonly #refusals: DeploymentRefusals;
  /** News is what only a read of the deployment can show. */
  readonly #lifecycle: ObjectLifecycle<MachineDeploymentState>;
  readonly #timer = new WakeTimer(() => this.#lifecycle.noteNews());
  readonly #turns = new Turns();
  readonly #page = new Page();
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
  /** State in the log; a deployment that is complete from the start gets no line. */
  #toldState: DeploymentPlan['state'] = 'Complete';
  /** Work on Nodes runs beside the loop: the target cluster may be out of reach. */
  #isUpdatingNodes = false;
  /**
   * Holds steps that another controller undoes, which are planned again and again: by their effect,
   * those on Nodes by their reason.
   */
  readonly #guard = new StepGuard();

  constructor(input: MachineDeploymentInput) {
    this.#input = input;
    this.#state = carriedState(input.state) ?? newState();
    this.#lifecycle = new ObjectLifecycle(input);
    this.#refusals = new DeploymentRefusals(this.#state);
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
    await this.#act(this.#state.facts);
    return undefined;
  }

  /** Commands of people go first. */
  async #act(facts: DeploymentFacts): Promise<void> {
    const refused = this.#commands.nextRefused();
    if (refused) return await this.#refuse(refused);
    const pending = this.#commands.next();
    if (pending) await this.#applyCommand(pending, facts);
    else await this.#advance(facts);
  }

  async #observeDeployment(): Promise<void> {
    this.#lifecycle.takeNews();
    this.#hasNewsOfSets = false;
    const { ref } = this.#input;
    const state = this.#state;
    const { protectedNodes, observed, finished } = state;
    const error = state.lastError ?? state.sync?.lastError;
    const atLeast = this.#mustRead ? undefined : observed?.resourceVersion;
    this.#mustRead = false;
    const known = { deployment: ref, atLeast, now: Date.now(), protectedNodes, error, finished };
    const input = defined({ ...known, ...this.#refusals.input });
    const summary = `read MachineDeployment ${ref.name}`;
    const outcome = await localFirst((steps) => steps.observeMachineDeployment(input), summary);
    if (!outcome.found || !isSameObject(state, outcome.uid)) {
      state.isGone = true;
      return;
    }
    this.#take(outcome);
  }

  #take(outcome: Extract<ObservedDeploymentOutcome, { found: true }>): void {
    const state = this.#state;
    state.uid = outcome.uid;
    state.facts = withLateness(state.facts, outcome.facts);
    this.#isRead = true;
    this.#isSpecNew = false;
    noteFinished(state, outcome.facts);
    if (this.#refusals.observed(outcome.facts, outcome.refused)) this.#lifecycle.noteNews();
    if (hasOldMachines(outcome.facts)) state.hasRolled = true;
    // A deployment without a set has no Node that an earlier run could have left protected.
    if (outcome.facts.sets.length === 0) state.protectedNodes ??= [];
  }

  async #advance(facts: DeploymentFacts): Promise<void> {
    const plan = this.#refusals.allowed(facts, this.#planOf(facts));
    this.#plan = plan;
    this.#show(facts, plan);
    await this.#report(plan.report);
    this.#maybeUpdateNodes(plan.nodeStep, facts);
    const isIdle = plan.steps.length === 0;
    if (isIdle && this.#isRead) delete this.#state.done;
    if (isIdle && this.#state.lastError !== undefined) return this.#forgetRefusal();
    const { retryAt } = this.#attemptsOf(plan.steps);
    const mayTry = retryAt === undefined || retryAt <= Date.now();
    if (!isIdle && mayTry) await this.#try(facts, plan.steps);
    else await this.#wait(facts, plan);
  }

  #planOf(facts: DeploymentFacts): DeploymentPlan {
    const now = Date.now();
    const rules = { protectsHeldNodes: this.#protectsHeldNodes(facts, now) };
    const plan = planMachineDeployment(facts, now, rules);
    const { sync } = this.#state;
    if (!sync) return plan;
    if (!plan.steps.some(({ action }) => action === 'syncSet')) {
      if (this.#isRead) this.#forgetSync(sync);
      return plan;
    }
    const isHeldBack = (sync.retryAt ?? 0) > now;
    return isHeldBack
      ? planMachineDeployment({ ...facts, isSyncHeldBack: true }, now, rules)
      : plan;
  }

  /** Asked only where it matters: the answer is an event of the history. */
  #protectsHeldNodes(facts: DeploymentFacts, now: number): boolean {
    const mayProtect = facts.hasNodes && facts.protectsNodes;
    return mayProtect && isHeld(facts, now) && !patched('held-rollouts-release-nodes');
  }

  /** The condition may have said why it was refused: another read takes that away. */
  #forgetSync({ lastError }: Attempts): void {
    if (lastError !== undefined) this.#lifecycle.noteNews();
    delete this.#state.sync;
  }

  /** A sync has attempts of its own: replicas are served while it waits for the next one. */
  #attemptsOf([step]: DeploymentStep[]): Attempts {
    const state = this.#state;
    return step?.action === 'syncSet' ? (state.sync ??= { failures: 0 }) : state;
  }

  #show(facts: DeploymentFacts, plan: DeploymentPlan): void {
    const state = this.#state;
    const text = `${plan.state}: ${plan.reason}`;
    if (state.shown?.text !== text) state.shown = { text, since: Date.now() };
    this.#page.show(rolloutDetails(this.#input.ref, this.#rollout(facts, plan)));
    this.#tellState(plan);
    this.#input.operations?.follow(() => operationOf(this.#input.ref, plan));
    showRollout({ plan, className: facts.className, since: state.shown.since });
  }

  /** In the log: docs/logs.md. */
  #tellState({ state, reason }: DeploymentPlan): void {
    if (state === this.#toldState) return;
    this.#toldState = state;
    log.info(`the rollout is ${state}`, { ...this.#named(), reason });
  }

  #tellSteps(steps: readonly DeploymentStep[]): void {
    for (const { action, reason } of steps) {
      log.info(reason, { ...this.#named(), action });
      this.#input.operations?.note(`${action}: ${reason}`);
    }
  }

  #named(): { machineDeployment: string } {
    const { namespace, name } = this.#input.ref;
    return { machineDeployment: `${namespace}/${name}` };
  }

  #rollout(facts: DeploymentFacts, plan: DeploymentPlan): RolloutFacts {
    const { shown } = this.#state;
    const since = shown?.since ?? Date.now();
    return defined({ facts, plan, since, lastError: errorsIn(this.#state) });
  }

  async #report(report: Report | undefined): Promise<void> {
    const state = this.#state;
    const text = report && `${report.reason}: ${report.message}`;
    if (text === state.reported) return;
    if (text === undefined) delete state.reported;
    else state.reported = text;
    if (!report) return;
    const input = { deployment: this.#reference(), report };
    await localFirst((steps) => steps.reportDeployment(input), report.reason);
  }

  async #wait(facts: DeploymentFacts, plan: DeploymentPlan): Promise<void> {
    const times = [plan.until, ...retryTimesOf(this.#state)].filter((time) => time !== undefined);
    this.#timer.atLatest(times.length === 0 ? undefined : Math.min(...times), plan.reason);
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
    return !this.#isUpdatingNodes && this.#commands.isEmpty && allHandlersFinished();
  }

  async #renew(): Promise<void> {
    const hasRolled = this.#state.hasRolled && this.#plan?.state !== 'Complete';
    await this.#lifecycle.continueAsNew({ ...this.#state, hasRolled });
  }

  /**
   * Delays a write more and more that another client undoes, also where a read found it in between.
   */
  async #try(facts: DeploymentFacts, steps: DeploymentStep[]): Promise<void> {
    const now = Date.now();
    const effect = effectOf(steps, scalingOf(facts));
    const until = this.#guard.holdOf(effect, now)?.until;
    if (until !== undefined) return await this.#stepRefused(steps, notKept(steps), until);
    this.#guard.begin(effect, now, () => Math.random());
    for (const { action } of steps) countDecision('machineDeployment', action);
    await this.#apply(facts, steps);
  }

  async #apply(facts: DeploymentFacts, steps: DeploymentStep[]): Promise<void> {
    const scaling = scalingOf(facts);
    const input = { deployment: this.#reference(), steps, scaling };
    const effect = effectOf(steps, scaling);
    const known = this.#attemptsOf(steps);
    const attempts = known.done?.effect === effect ? known.done.attempts : 0;
    if (attempts > known.failures) return await this.#stepRefused(steps, notKept(steps));
    const summary = steps.map(({ reason }) => reason).join('; ');
    const outcome = await localFirst((port) => port.applyDeploymentSteps(input), summary);
    const isNews = this.#refusals.applied(steps, outcome.refused);
    if (outcome.error !== undefined) return await this.#stepRefused(steps, outcome.error);
    const isAccepted = areAccepted(steps, outcome.written);
    known.done = { effect, attempts: isAccepted ? attempts + 1 : attempts };
    if (attempts === 0) this.#forgetRefusal(known);
    const next = isNews ? undefined : afterSteps(facts, steps, outcome.written);
    this.#tellSteps(steps);
    this.#isRead = !next;
    if (next) this.#state.facts = next;
    else this.#mustReadAgain();
    if (isReleasedBy(steps, outcome)) this.#state.isGone = true;
  }

  async #stepRefused(steps: DeploymentStep[], error: string, until = 0): Promise<void> {
    const [step] = steps;
    const known = this.#attemptsOf(steps);
    const isCreate = step?.action === 'createSet';
    const message = isCreate ? `Failed to create new machine set "${step.name}": ${error}` : error;
    const isNews = message !== known.lastError;
    known.failures += 1;
    known.lastError = message;
    known.retryAt = Math.max(Date.now() + waitSeconds(known.failures) * 1000, until);
    this.#lifecycle.noteNews();
    if (!isNews) return;
    const reason = isCreate ? 'MachineSetCreateError' : 'MachineSetUpdateError';
    const report = { type: 'Warning', reason, message } as const;
    const input = { deployment: this.#reference(), report };
    await localFirst((port) => port.reportDeployment(input), report.reason);
  }

  /** The condition said why: another read takes that away. */
  #forgetRefusal(known: Attempts = this.#state): void {
    if (known.lastError !== undefined) this.#lifecycle.noteNews();
    known.failures = 0;
    delete known.retryAt;
    delete known.lastError;
  }

  async #applyCommand(
    { command, answer, written, heardAt }: NonNullable<ReturnType<RolloutCommands['next']>>,
    facts: DeploymentFacts,
  ): Promise<void> {
    const isCanary = this.#plan?.blockedBy === 'canary';
    const canaryRevision = isCanary
      ? facts.sets.find((set) => set.isOfTemplate)?.revision
      : undefined;
    const input = defined({
      deployment: this.#reference(),
      command,
      canaryRevision,
      written,
      heardAt,
      now: Date.now(),
    });
    try {
      const words = await localFirst((steps) => steps.applyRolloutCommand(input), command.verb);
      delete this.#state.commandError;
      answer?.resolve(words);
    } catch (error) {
      const reason = messageOf(error);
      this.#state.commandError = `${command.verb}: ${reason}`;
      answer?.reject(refusal(reason));
      if (written !== undefined) await this.#refuse({ written, fault: reason });
    }
    this.#mustReadAgain();
  }

  /** It stays on the object where even that fails, and is heard again with the next change. */
  async #refuse(refused: { written: string; fault: string }): Promise<void> {
    const object = { ...this.#reference(), kind: 'MachineDeployment' as const };
    try {
      await localFirst((port) => port.refuseCommand({ object, ...refused }), 'refuse a command');
    } catch (error) {
      log.warn('a command on the object could not be refused', { reason: messageOf(error) });
    }
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

  #maybeUpdateNodes(step: NodeStep | undefined, facts: DeploymentFacts): void {
    // Work that runs would keep a run that grew long from ending.
    if (step && !shouldContinueAsNew()) this.#startUpdatingNodes(step, facts);
    else if (!step && !this.#isUpdatingNodes) this.#forgetNodeFailure();
  }

  #startUpdatingNodes(step: NodeStep, facts: DeploymentFacts): void {
    const now = Date.now();
    const { nodesRetryAt = this.#guard.holdOf(step.reason, now)?.until } = this.#state;
    if (this.#isUpdatingNodes) return;
    if (nodesRetryAt !== undefined && nodesRetryAt > now) {
      this.#state.nodesRetryAt = nodesRetryAt;
      return;
    }
    this.#isUpdatingNodes = true;
    countDecision('machineDeployment', step.action);
    this.#guard.begin(step.reason, now, () => Math.random());
    // A time that has passed would wake the loop again and again while the work runs.
    delete this.#state.nodesRetryAt;
    void this.#updateNodes(step, facts).finally(() => {
      this.#isUpdatingNodes = false;
      this.#lifecycle.noteNews();
    });
  }

  async #updateNodes(step: NodeStep, facts: DeploymentFacts): Promise<void> {
    const state = this.#state;
    // OnDelete and holds last as long as people take.
    const isBrief = facts.strategy !== 'OnDelete' && !isHeld(facts, Date.now());
    const protects = facts.protectsNodes && isBrief;
    try {
      const { updateRolloutNodes } = singleAttempt(step.reason);
      const outcome = await updateRolloutNodes({ deployment: this.#reference(), step, protects });
      const known = step.action === 'releaseNodes' ? [] : (state.protectedNodes ?? []);
      state.protectedNodes = [...new Set([...known, ...outcome.protectedNodes])];
      this.#forgetNodeFailure();
    } catch (error) {
      state.nodeFailures += 1;
      state.nodesError = messageOf(error);
      state.nodesRetryAt = Date.now() + waitSeconds(state.nodeFailures) * 1000;
    }
  }

  #forgetNodeFailure(): void {
    const state = this.#state;
    state.nodeFailures = 0;
    delete state.nodesError;
    delete state.nodesRetryAt;
  }

  async #complete(): Promise<{ reason: string }> {
    this.#commands.refuseAll('the MachineDeployment is gone');
    await condition(() => !this.#isUpdatingNodes && allHandlersFinished());
    this.#input.operations?.end('gone');
    if (this.#state.successor) return await this.#lifecycle.continueAsNew();
    return { reason: 'the MachineDeployment is gone' };
  }

  #reference(): ObjectReference {
    return { ...this.#input.ref, uid: this.#state.uid ?? '' };
  }

  #listen(): void {
    const state = this.#state;
    setHandler(stateQuery, () => state, { description: 'all that the run knows' });
    setHandler(
      rolloutQuery,
      () => {
        const { facts } = this.#state;
        return facts && this.#plan && rolloutView(this.#rollout(facts, this.#plan));
      },
      { description: 'where the rollout is' },
    );
    this.#lifecycle.on(machineDeploymentObserved, setSnapshot, (seen) => this.#observe(seen));
    this.#lifecycle.follow(machineDeploymentGone, state);
    this.#lifecycle.on(machineSetsChanged, snapshotVersion, () => this.#noteSets());
    this.#page.hearTheRest(rolloutVerbs);
  }

  /** Another spec may be what was missing: it is tried at once. */
  #observe(seen: SetSnapshot): boolean {
    const before = this.#state.observed?.generation;
    if (!noteObserved(this.#state, seen)) return false;
    if (seen.generation !== before) this.#isSpecNew = true;
    if (!this.#state.successor) this.#hear(seen);
    if (seen.generation === before) return true;
    delete this.#state.retryAt;
    delete this.#state.sync?.retryAt;
    this.#refusals.tryNow();
    return true;
  }

  /** Not news yet: `#wait` lets the rest of the burst come first. */
  #noteSets(): boolean {
    this.#hasNewsOfSets = true;
    return false;
  }
}

/** One whose deletion was undone is read, and goes on. */
function isReleasedBy(steps: readonly DeploymentStep[], { isUndone }: ApplyOutcome): boolean {
  return !isUndone && steps.some(({ action }) => action === 'release');
}

/** Sizes that a scaled set notes. */
function scalingOf({ replicas, maxSurge }: DeploymentFacts): ApplyInput['scaling'] {
  return { desired: replicas, max: replicas + maxSurge };
}

function waitSeconds(attempts: number): number {
  return stepBackoffSeconds({ attempts, random: Math.random() });
}
