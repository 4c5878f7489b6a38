import {
  allHandlersFinished,
  CancellationScope,
  condition,
  log,
  setHandler,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { WakeTimer } from '../runtime/wake-timer.ts';
import type { PendingCommand } from '../runtime/command-queue.ts';
import { refusal, refuseOnObject } from '../runtime/command-queue.ts';
import { machineVerbs } from '../api/command-verbs.ts';
import { errorOf, isTeardownDue, MachineCommands, applyCommand } from './commands.ts';
import { machineDetails } from './details.ts';
import { MachineLog } from './log-lines.ts';
import { drainView, observeDrain } from './drain.ts';
import { drainModeOf } from './drain-calls.ts';
import { factsOf } from './facts.ts';
import { observeMissing } from './missing-instance.ts';
import { observeNode } from './node.ts';
import { observeClass, observeMachine } from './object.ts';
import { showDrain } from './phase.ts';
import type { CarriedMachine } from './carried.ts';
import { fromCarried, toCarried } from './carried.ts';
import type { MachineState } from './state.ts';
import { instanceOf, newMachineState } from './state.ts';
import { StepContext } from './step-context.ts';
import { enterTeardownWithDrain } from './teardown.ts';
import type { StepName } from './steps.ts';
import { steps } from './steps.ts';
import type { ObjectReference, WorkflowInput, NamespacedName } from '../contracts/references.ts';
import type { MachineCommand } from '../contracts/commands.ts';
import { writtenMachineCommand } from '../contracts/written-command.ts';
import type { MachineSnapshot } from '../contracts/snapshots.ts';
import {
  machineSnapshot,
  missingInstance,
  nodeSnapshot,
  snapshotVersion,
} from '../contracts/snapshots.ts';
import {
  classChanged,
  drainQuery,
  drainReport,
  instanceMissing,
  machineGone,
  machineObserved,
  nodeObserved,
  stateQuery,
} from '../contracts/messages.ts';
import type { MachineStep, RunningStep } from '../plan/machine/steps.ts';
import { isLong } from '../plan/machine/steps.ts';
import { planMachine } from '../plan/machine/plan.ts';
import { RateLimit } from '../plan/rate-limit.ts';
import type { Requeues } from '../plan/requeues.ts';
import { failed, forget } from '../plan/requeues.ts';
import { messageOf } from '../runtime/activity-options.ts';
import { attemptNow } from '../runtime/turns.ts';
import { countDecision } from '../runtime/decisions.ts';
import { Page } from '../runtime/page.ts';
import { ObjectLifecycle } from '../runtime/object-lifecycle.ts';
import { onSignal, requireInput } from '../runtime/signal-validation.ts';
import { drainReportSchema } from '../contracts/drain-activities.ts';
import {
  carriedState,
  shouldInterruptStep,
  shouldContinueAsNew,
} from '../runtime/continue-as-new.ts';
import type { MachinePhase } from '../api/phases.ts';
import type { OperationName, OperationView } from '../contracts/tracing.ts';
import { defined } from '../values/defined.ts';

export interface MachineInput extends WorkflowInput {
  state?: CarriedMachine;
}

export interface MachineResult {
  reason: string;
  providerID?: string;
  nodeName?: string;
  /** The end of what an instance printed that did not join in time: 900 bytes at most. */
  consoleOutput?: string;
  bornAt: string;
}

/**
 * The longest wait after a failure, in seconds, where a machine must not wait long: its instance is
 * there already, its creation timeout runs, or its deletion goes on after the step.
 */
const longestWaits: Partial<Record<StepName, number>> = {
  recordCreated: 30,
  recordJoined: 30,
  deleteWithNode: 30,
  recordSuccessor: 30,
};

/** One execution per Machine: from its creation until VM, Node and object are gone. */
export async function machine(input: MachineInput): Promise<MachineResult> {
  return await new MachineWorkflow(requireInput(input)).run();
}

class MachineWorkflow {
  readonly #input: MachineInput;
  readonly #state: MachineState;
  readonly #context: StepContext;
  readonly #lifecycle: ObjectLifecycle<CarriedMachine>;
  readonly #commands: MachineCommands;
  readonly #timer = new WakeTimer(() => this.#wake());
  readonly #page = new Page();
  readonly #limit = new RateLimit();
  /** Steps that were rejected. */
  readonly #requeues: Requeues<StepName> = {};
  readonly #log: MachineLog;
  #running: RunningStep | undefined;
  #scope: CancellationScope | undefined;

  constructor(input: MachineInput) {
    this.#input = input;
    const carried = carriedState(input.state);
    this.#state = carried ? fromCarried(carried) : newMachineState(Date.now());
    this.#lifecycle = new ObjectLifecycle(input);
    this.#log = new MachineLog(input, this.#state.phase);
    this.#context = new StepContext(input, this.#state, () => this.#wake());
    this.#commands = new MachineCommands(this.#state, this.#page, () => this.#wake());
    this.#listen();
    this.#hear(this.#state.object.observed?.command);
  }

  run(): Promise<MachineResult> {
    return this.#lifecycle.run(() => this.#turn());
  }

  async #turn(): Promise<MachineResult | undefined> {
    this.#lifecycle.takeNews();
    const refused = this.#commands.nextRefused();
    if (refused) return await this.#refuse(refused);
    const pending = isTeardownDue(this.#state) ? undefined : this.#commands.next();
    if (pending) return await this.#applyCommand(pending);
    if (this.#isToRenew()) return await this.#renew();
    const facts = {
      ...factsOf(this.#state, this.#running, this.#input.launch),
      requeues: this.#requeues,
    };
    const step = this.#paced(planMachine(facts, Date.now()));
    if (step.action === 'drain' && !this.#state.teardown) enterTeardownWithDrain(this.#state);
    countDecision('machine', step.action);
    this.#page.show(machineDetails(this.#input.ref, this.#state, step));
    const wake = step.action === 'wait' ? step : { until: undefined, reason: '' };
    this.#timer.set(wake.until, wake.reason);
    this.#log.report(this.#state, step);
    this.#input.operations?.follow(() => operationOf(this.#input.ref, this.#state));
    if (step.action === 'complete') return await this.#complete(step.reason);
    if (step.action === 'startOver') return await this.#startOver();
    await this.#perform(step);
    return undefined;
  }

  /** No plan keeps the loop running without a rest: what is done too often waits. */
  #paced(step: MachineStep): MachineStep {
    const now = Date.now();
    const { action } = step;
    if (action === 'complete' || action === 'startOver') return step;
    if (action === 'wait') {
      return (step.until ?? Infinity) <= now ? { ...step, until: now + 1_000 } : step;
    }
    const until = this.#limit.when(action, now, Math.random);
    return until === undefined
      ? step
      : { action: 'wait', reason: `${action} is done too often`, until };
  }

  /**
   * Not async, and neither is what it calls: the SDK captures a stack for every promise of a
   * workflow.
   */
  #perform(
    step: Exclude<MachineStep, { action: 'complete' | 'startOver' }>,
  ): Promise<void> | undefined {
    const { action } = step;
    if (action === 'wait') return this.#wait();
    if (action === 'cancel') return this.#cancel();
    if (isLong(action)) return this.#start(action);
    return this.#attempt(action);
  }

  /** Signals that change nothing make the history longer, too. */
  #wait(): Promise<void> {
    if (this.#isToInterrupt()) this.#cancel();
    return condition(() => this.#lifecycle.hasNews || this.#isToInterrupt());
  }

  #isToInterrupt(): boolean {
    return this.#running !== undefined && !this.#running.isCancelRequested && shouldInterruptStep();
  }

  /** A step that is rejected is a failure like others: said on this page, and tried again later. */
  async #attempt(action: StepName, isCancelRequested = () => false): Promise<void> {
    try {
      await steps[action](this.#context);
      forget(this.#requeues, action);
    } catch (error) {
      // A step that we cancelled may end in any kind of failure; the plan takes it from there.
      if (isCancelRequested() && error instanceof TemporalFailure) return;
      const message = messageOf(error);
      log.warn('a step failed', { action, message });
      const longestSeconds = longestWaits[action];
      failed(this.#requeues, action, { message, ...attemptNow(), longestSeconds });
    }
  }

  async #applyCommand(pending: PendingCommand<MachineCommand>): Promise<undefined> {
    const { command, answer, written } = pending;
    try {
      // It may have waited, and something else may hold by now.
      const fault = errorOf(command, this.#state);
      if (fault !== undefined) throw refusal(fault);
      const words = await applyCommand(this.#state, this.#reference(), pending);
      // The drain is scheduled again, with what is known now.
      if (this.#running?.name.startsWith('drain')) this.#cancel();
      answer?.resolve(words);
    } catch (error) {
      log.warn('a command failed', { ...command, reason: messageOf(error) });
      answer?.reject(refusal(messageOf(error)));
      if (written !== undefined) await this.#refuse({ written, fault: messageOf(error) });
    }
  }

  async #refuse(refused: { written: string; fault: string }): Promise<undefined> {
    await refuseOnObject({ object: { ...this.#reference(), kind: 'Machine' }, ...refused });
  }

  /** Before the first read, of the object that was signalled. */
  #reference(): ObjectReference {
    const { uid, observed } = this.#state.object;
    return { ...this.#input.ref, uid: uid ?? observed?.uid ?? '' };
  }

  #hear(command: string | undefined): void {
    if (command !== undefined) this.#commands.hear(command, writtenMachineCommand);
  }

  #observe(seen: MachineSnapshot): boolean {
    const isNews = observeMachine(this.#state, seen);
    if (isNews && !this.#state.object.successor) this.#hear(seen.command);
    return isNews;
  }

  #cancel(): undefined {
    if (this.#running) this.#running.isCancelRequested = true;
    this.#scope?.cancel();
  }

  /** Long steps run beside the loop, which stays ready for what happens meanwhile. */
  #start(name: RunningStep['name']): undefined {
    const drain = drainModeOf(this.#state, name);
    const running: RunningStep = { name, isCancelRequested: false, drain };
    const scope = new CancellationScope();
    this.#scope = scope;
    this.#running = running;
    void scope.run(() => this.#runBeside(running));
  }

  async #runBeside(running: RunningStep): Promise<void> {
    await this.#attempt(running.name, () => running.isCancelRequested);
    this.#running = undefined;
    this.#wake();
  }

  /** Ends this life. A later object of the same name gets a life of its own. */
  async #complete(reason: string): Promise<MachineResult> {
    const { successor } = this.#state.object;
    const instance = instanceOf(this.#state);
    const { seen } = this.#state.node;
    const { consoleOutput } = this.#state;
    this.#commands.refuseAll('the machine is gone');
    await condition(allHandlersFinished);
    this.#log.end(this.#state, reason);
    this.#input.operations?.end('gone');
    if (successor) {
      // The watcher has signalled its Node already, if it has one.
      const state = { ...newMachineState(Date.now()), ...(seen && { node: { seen } }) };
      observeMachine(state, successor);
      return await this.#lifecycle.continueAsNew(toCarried(state));
    }
    return {
      reason,
      ...(instance && { providerID: instance.providerID, nodeName: instance.nodeName }),
      ...(consoleOutput && 'text' in consoleOutput && { consoleOutput: consoleOutput.text }),
      bornAt: workflowInfo().startTime.toISOString(),
    };
  }

  /** The next run does not get the commands that wait. */
  #isToRenew(): boolean {
    return !this.#running && this.#commands.isEmpty && shouldContinueAsNew();
  }

  /** Handlers end a little after what they waited for: a caller gets the answer of this run. */
  async #renew(): Promise<undefined> {
    await condition(() => this.#lifecycle.hasNews || allHandlersFinished());
    if (this.#lifecycle.hasNews) return;
    await this.#lifecycle.continueAsNew(toCarried(this.#state));
  }

  async #startOver(): Promise<undefined> {
    this.#commands.refuseAll('the deletion of the machine was undone');
    await condition(allHandlersFinished);
    await this.#lifecycle.continueAsNew();
  }

  #listen(): void {
    setHandler(stateQuery, () => ({ ...toCarried(this.#state), running: this.#running }), {
      description: 'all that the run knows',
    });
    setHandler(drainQuery, () => drainView(this.#state), { description: 'what a drain waits for' });
    onSignal(drainReport, drainReportSchema, (report) => {
      if (!observeDrain(this.#state, report)) return;
      showDrain(this.#state);
      this.#wake();
    });
    const lifecycle = this.#lifecycle;
    lifecycle.on(machineObserved, machineSnapshot, (seen) => this.#observe(seen));
    lifecycle.follow(machineGone, this.#state.object);
    lifecycle.on(nodeObserved, nodeSnapshot, (node) => observeNode(this.#state, node));
    lifecycle.on(instanceMissing, missingInstance, (seen) => observeMissing(this.#state, seen));
    lifecycle.on(classChanged, snapshotVersion, (seen) => observeClass(this.#state, seen));
    this.#page.hearTheRest(machineVerbs);
  }

  #wake(): void {
    this.#lifecycle.noteNews();
  }
}

/** Operation of a machine, for traces: docs/tracing.md. */
const phasesOfLaunch: readonly MachinePhase[] = ['', 'Pending', 'CrashLoopBackOff'];

function operationOf({ namespace, name }: NamespacedName, state: MachineState): OperationView {
  const { providerID, nodeName } = instanceOf(state) ?? {};
  return {
    name: nameOf(state),
    phase: state.phase,
    isFailed: state.phase === 'Failed',
    attributes: defined({
      'k8s.namespace.name': namespace,
      'millwright.machine': name,
      'millwright.provider': state.object.prepared?.provider,
      'millwright.provider_id': providerID,
      'k8s.node.name': nodeName,
    }),
  };
}

function nameOf({ phase, object, teardown }: MachineState): OperationName | undefined {
  if (teardown || object.observed?.isDeleting) return 'removal';
  return phasesOfLaunch.includes(phase) ? 'launch' : undefined;
}
