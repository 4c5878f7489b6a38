import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  log,
  setCurrentDetails,
  setHandler,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { Alarm } from '../runtime/wake-timer.ts';
import type { Asked } from '../runtime/command-queue.ts';
import { refusal } from '../runtime/command-queue.ts';
import { digestOfOptions } from '../api/drain-options.ts';
import { MachineCommands } from './commands.ts';
import { machineDetails } from './details.ts';
import { observeMissing } from './missing-instance.ts';
import { showDrain } from './phase.ts';
import type { MachineState } from './state.ts';
import {
  drainOf,
  drainOptionsOf,
  factsOf,
  newMachineState,
  observeClass,
  observeDrain,
  observeGone,
  observeMachine,
  observeNode,
} from './state.ts';
import { steer } from './apply-command.ts';
import { MachineSteps } from './steps/steps.ts';
import type { EntityInput, Sighting } from '../contracts/references.ts';
import type { MachineCommand } from '../contracts/commands.ts';
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
import { planMachine } from '../plan/machine/plan.ts';
import { isLong } from '../plan/machine/steps.ts';
import { StepGuard } from '../plan/step-guard.ts';
import { messageOf } from '../runtime/activity-options.ts';
import { isOfOurCluster } from '../runtime/cluster-guard.ts';
import {
  drainReportShape,
  goneSnapshot,
  hear,
  machineSnapshot,
  missingInstance,
  nodeSnapshot,
  requireInput,
  sighting,
} from '../runtime/signal-validation.ts';
import { handedOver, mustInterrupt, mustRenew } from '../runtime/continue-as-new.ts';

export interface MachineInput extends EntityInput {
  state?: MachineState;
}

export interface MachineResult {
  reason: string;
  providerID?: string;
  nodeName?: string;
  bornAt: string;
}

/** One execution per Machine: from its creation until VM, Node and object are gone. */
export async function machine(input: MachineInput): Promise<MachineResult> {
  return await new MachineLife(requireInput(input)).live();
}

type StepName = Exclude<MachineStep['action'], 'wait' | 'cancel' | 'complete'>;

class MachineLife {
  readonly #input: MachineInput;
  readonly #state: MachineState;
  readonly #steps: MachineSteps;
  readonly #commands: MachineCommands;
  readonly #alarm = new Alarm(() => this.#wake());
  readonly #guard = new StepGuard();
  #isAwake = true;
  #running: RunningStep | undefined;
  #scope: CancellationScope | undefined;

  constructor(input: MachineInput) {
    this.#input = input;
    this.#state = handedOver(input.state) ?? newMachineState(Date.now());
    this.#steps = new MachineSteps(input, this.#state, () => this.#wake());
    this.#commands = new MachineCommands(this.#state, () => this.#wake());
    this.#listen();
  }

  /** A click on "Cancel" in the Temporal UI must not leave an instance behind, so nothing here can be cancelled from outside. */
  async live(): Promise<MachineResult> {
    return await CancellationScope.nonCancellable(async () => {
      for (;;) {
        this.#isAwake = false;
        const asked = this.#commands.next();
        if (asked) {
          await this.#steer(asked);
          continue;
        }
        if (!this.#running && mustRenew()) {
          await this.#renew();
          continue;
        }
        const step = this.#paced(planMachine(factsOf(this.#state, this.#running), Date.now()));
        setCurrentDetails(machineDetails(this.#input.ref, this.#state, step));
        this.#alarm.set(wakeTimeOf(step), step.action === 'wait' ? step.reason : '');
        if (step.action === 'complete') return await this.#complete(step.reason);
        await this.#perform(step);
      }
    });
  }

  /** No plan keeps the loop running without a rest: the guard holds back what is done too often, or failed a moment ago. */
  #paced(step: MachineStep): MachineStep {
    const now = Date.now();
    if (step.action === 'complete') return step;
    if (step.action === 'wait')
      return isPast(step.until, now) ? { ...step, until: now + 1_000 } : step;
    const hold = this.#guard.holdOf(step.action, now);
    if (hold) return { action: 'wait', ...hold };
    this.#guard.begin(step.action, now, Math.random);
    return step;
  }

  /** Not async, and neither is what it calls: the SDK captures a stack for every promise of a workflow. */
  #perform(step: Exclude<MachineStep, { action: 'complete' }>): Promise<void> | undefined {
    const { action } = step;
    if (action === 'wait') return this.#wait();
    if (action === 'cancel') return this.#cancel();
    if (isLong(action)) return this.#start(action);
    return this.#attempt(action);
  }

  /** Signals that change nothing make the history longer, too. */
  #wait(): Promise<void> {
    if (this.#isToInterrupt()) this.#cancel();
    return condition(() => this.#isAwake || this.#isToInterrupt());
  }

  #isToInterrupt(): boolean {
    return this.#running !== undefined && !this.#running.isCancelRequested && mustInterrupt();
  }

  /** A step that is rejected is a failure like others: said on this page, and tried again later. */
  async #attempt(action: StepName, isCancelRequested = () => false): Promise<void> {
    try {
      await this.#steps[action]();
      this.#guard.succeeded(action);
    } catch (error) {
      // What we cancelled may end in any kind of failure; the plan takes it from there.
      if (isCancelRequested() && error instanceof TemporalFailure) return;
      const message = messageOf(error);
      log.warn('a step failed', { action, message });
      this.#guard.failed(action, message, { now: Date.now(), random: Math.random() });
    }
  }

  async #steer({ command, answer }: Asked<MachineCommand>): Promise<void> {
    const { uid = '' } = this.#state;
    try {
      const words = await steer(this.#state, { ...this.#input.ref, uid }, command);
      // The drain is scheduled again, with what is known now.
      if (isDrain(this.#running)) this.#cancel();
      answer?.resolve(words);
    } catch (error) {
      log.warn('a command failed', { ...command, reason: messageOf(error) });
      answer?.reject(refusal(messageOf(error)));
    }
  }

  #cancel(): undefined {
    if (this.#running) this.#running.isCancelRequested = true;
    this.#scope?.cancel();
  }

  /** Long steps run beside the loop, which stays ready for what happens meanwhile. */
  #start(name: RunningStep['name']): undefined {
    const { forceDeletion = false, preservation } = this.#state.observed ?? {};
    const isForced = name === 'drainPreserved' ? preservation?.forcesDrain === true : forceDeletion;
    const drainOptions = digestOfOptions(drainOptionsOf(this.#state));
    const running: RunningStep = { name, isCancelRequested: false, isForced, drainOptions };
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
    const { ref, cluster } = this.#input;
    const { successor, instance, node } = this.#state;
    this.#commands.refuseAll('the machine is gone');
    await condition(allHandlersFinished);
    if (successor) {
      // The watcher told of its Node already, if it has one.
      const state = { ...newMachineState(Date.now()), ...(node && { node }) };
      observeMachine(state, successor);
      await continueAsNew<typeof machine>({ ref, cluster, state });
    }
    return {
      reason,
      ...(instance && { providerID: instance.providerID, nodeName: instance.nodeName }),
      bornAt: workflowInfo().startTime.toISOString(),
    };
  }

  /** Handlers end a little after what they waited for: whoever asked gets the answer of this run. */
  async #renew(): Promise<void> {
    await condition(() => this.#isAwake || allHandlersFinished());
    if (this.#isAwake) return;
    const { ref, cluster } = this.#input;
    await continueAsNew<typeof machine>({ ref, cluster, state: this.#state });
  }

  #listen(): void {
    setHandler(stateQuery, () => ({ ...this.#state, running: this.#running }));
    setHandler(drainQuery, () => drainOf(this.#state));
    hear(drainReport, drainReportShape, (report) => {
      if (!observeDrain(this.#state, report)) return;
      showDrain(this.#state);
      this.#wake();
    });
    hear(machineObserved, machineSnapshot, (seen) =>
      this.#note(seen, () => observeMachine(this.#state, seen)),
    );
    hear(machineGone, goneSnapshot, (gone) =>
      this.#note(gone, () => observeGone(this.#state, gone)),
    );
    hear(nodeObserved, nodeSnapshot, (node) =>
      this.#note(node, () => observeNode(this.#state, node)),
    );
    hear(instanceMissing, missingInstance, (told) => {
      if (isOfOurCluster(told, this.#input) && observeMissing(this.#state, told)) this.#wake();
    });
    hear(classChanged, sighting, (seen) => this.#note(seen, () => observeClass(this.#state, seen)));
  }

  /** Wakes the loop when a signal of our own cluster changed something. */
  #note(signal: Pick<Sighting, 'cluster'>, observe: () => boolean): void {
    if (isOfOurCluster(signal, this.#input) && observe()) this.#wake();
  }

  #wake(): void {
    this.#isAwake = true;
  }
}

function isPast(time: number | undefined, now: number): boolean {
  return time !== undefined && time <= now;
}

function isDrain(running: RunningStep | undefined): boolean {
  return running?.name === 'drain' || running?.name === 'drainPreserved';
}

function wakeTimeOf(step: MachineStep): number | undefined {
  return step.action === 'wait' ? step.until : undefined;
}
