/** Runs the steps that the plan asks for and notes in the state what came of them. */
import { CancellationScope } from '@temporalio/workflow';
import type {
  CreatedInstance,
  DeleteOutcome,
  DriverRequest,
  LifeRef,
  PreparedMachine,
} from './activities.ts';
import { adopt } from './machine-adoption.ts';
import { endFailure } from './machine-credentials.ts';
import { createOutcome, deleteOutcome, findOutcome } from './machine-driver-calls.ts';
import { nextFailure, phaseOfFailure } from './machine-failure.ts';
import { healthRequestOf, seenOf } from './machine-health.ts';
import { describeInstance, endLoss, noteWeighed, recordLoss } from './machine-loss-steps.ts';
import { endDrain, setPhase, skipDrain } from './machine-phase.ts';
import { drainPreserved, preserve } from './machine-preservation-steps.ts';
import type { MachineState } from './machine-state.ts';
import {
  drainDeadlineOf,
  drainOptionsOf,
  evictRetriesOf,
  newTeardown,
  noteReadyNode,
  ownNodeOf,
} from './machine-state.ts';
import type { EntityInput } from './messages.ts';
import { defined } from './plan/defined.ts';
import { afterLook, beforeLook } from './plan/health.ts';
import type { MachineFailure } from './plan/machine.ts';
import { drainSteps, shortStep } from './steps.ts';

type SuccessfulDelete = Extract<DeleteOutcome, { outcome: 'deleted' }>;

export class MachineSteps {
  readonly #input: EntityInput;
  readonly #state: MachineState;

  constructor(input: EntityInput, state: MachineState) {
    this.#input = input;
    this.#state = state;
  }

  async prepare(): Promise<void> {
    const state = this.#state;
    const { ref, cluster } = this.#input;
    state.isStale = false;
    const input = { machine: ref, cluster, isRetry: state.failure !== undefined };
    const outcome = await shortStep((steps) => steps.prepareMachine(input), `read ${ref.name}`);
    if (!outcome.found || (state.uid !== undefined && state.uid !== outcome.machine.uid)) {
      state.isGone = true;
      return;
    }
    const { machine: read, failure } = outcome;
    adopt(state, read, this.#input.cluster);
    // A machine that has its instance needs its class again only when it goes.
    if (!failure || state.isRecorded) return;
    state.isStale = true;
    await this.#fail(failure, 'Create');
  }

  async create(): Promise<void> {
    const state = this.#state;
    state.wasCreateSent = true;
    const outcome = await createOutcome(this.#driverRequest(), this.#usesTarget);
    if (outcome.outcome === 'created') {
      state.instance = outcome.instance;
      state.isUnsettled = false;
      await endFailure(state, this.#input.ref.namespace);
      if (await this.#hasStaleNode(outcome.instance)) await this.#giveBack(outcome.instance);
      return;
    }
    const { failure } = outcome;
    // The token's instance was made and is gone: what came of it is known, and another needs another token.
    if (failure.code === 'Aborted' && failure.isSettled) state.isUnsettled = false;
    if (!failure.isSettled) state.isUnsettled = true;
    // A refused request may be changed before the next attempt, and a cloud refuses a changed request under an old
    // token. An unsettled one keeps its token until its outcome is known.
    else if (!state.isUnsettled) state.createGeneration += 1;
    // The next attempt reads the object again: class, Secrets and limits may have been mended.
    state.isStale = true;
    if (!failure.wasCancelled) await this.#fail(failure, 'Create');
  }

  async recordCreated(): Promise<void> {
    const state = this.#state;
    if (!state.instance) return;
    const usesTarget = this.#usesTarget;
    const { instance } = state;
    const input = { machine: this.#machine(), instance, usesTarget };
    await shortStep((steps) => steps.recordCreated(input), `record ${instance.providerID}`);
    state.isRecorded = true;
    setPhase(state, usesTarget ? 'Pending' : 'Available');
  }

  async recordJoined(): Promise<void> {
    const state = this.#state;
    const { node } = state;
    if (!node) return;
    const seen = seenOf(node);
    const input = defined({
      machine: this.#machine(),
      node: { name: node.name, uid: node.uid },
      className: state.prepared?.className ?? '',
      bootstrapTokenId: state.prepared?.bootstrapTokenId,
      nodeTemplate: state.prepared?.nodeTemplate,
      nodeConditions: state.prepared?.nodeConditions,
    });
    const summary = `Node ${node.name} is Ready`;
    const outcome = await shortStep((steps) => steps.recordJoined(input), summary);
    if (!outcome.hasJoined) {
      // The Node changed since it was seen: the watcher tells of its next state.
      delete state.node;
      state.isNodeContested = outcome.isContested ?? false;
      return;
    }
    delete state.prepared?.bootstrapTokenId;
    state.health = { seen, lookedAt: Date.now(), stoodStill: 0 };
    delete state.isNodeContested;
    setPhase(state, 'Running');
  }

  async syncNode(): Promise<void> {
    const { instance, prepared, nodeBehind } = this.#state;
    // What changes from here on is for another step.
    delete this.#state.nodeBehind;
    if (!instance || !prepared) return;
    const { providerID, nodeName } = instance;
    const input = defined({
      machine: this.#machine(),
      instance: { providerID, nodeName },
      className: prepared.className,
      classAtLeast: nodeBehind?.class?.resourceVersion,
      nodeTemplate: prepared.nodeTemplate,
    });
    await shortStep((steps) => steps.syncNode(input), `bring Node ${nodeName} in step`);
  }

  async checkHealth(): Promise<void> {
    const state = this.#state;
    const { instance } = state;
    if (!instance) return;
    const seen = seenOf(state.node);
    const begunAt = Date.now();
    const before = beforeLook(state.health, begunAt);
    const isInstanceGone = state.loss?.isConfirmed ?? false;
    const phaseBefore = state.phase;
    const known = { machine: this.#machine(), instance, node: ownNodeOf(state), isInstanceGone };
    const input = healthRequestOf({ ...known, before, now: begunAt });
    const outcome = await shortStep((steps) => steps.checkHealth(input), 'look at its health');
    const endedAt = Date.now();
    if (outcome.found === 'nothing') state.isGone = true;
    if (outcome.found !== 'machine') {
      // The watcher tells of the deletion.
      state.health = { seen, lookedAt: endedAt, stoodStill: 0 };
      return;
    }
    const look = { seen, begunAt, endedAt, random: Math.random() };
    state.health = afterLook(before, outcome.finding, look);
    if ('phase' in outcome.finding) setPhase(state, outcome.finding.phase);
    noteWeighed(state, phaseBefore, outcome.finding);
  }

  async describeInstance(): Promise<void> {
    await describeInstance(this.#state, this.#driverRequest());
  }

  async recordLoss(): Promise<void> {
    await recordLoss(this.#state, this.#machine());
  }

  async preserve(): Promise<void> {
    await preserve(this.#state, this.#machine());
  }

  async drainPreserved(): Promise<void> {
    await drainPreserved(this.#state, this.#machine());
  }

  async recordTimeout(): Promise<void> {
    const state = this.#state;
    const { instance } = state;
    const isAfterOutage = state.joinBy?.isOutage || undefined;
    const now = Date.now();
    const input = defined({ machine: this.#machine(), instance, isAfterOutage, now });
    const outcome = await shortStep((steps) => steps.recordTimeout(input), 'creation timeout');
    switch (outcome.found) {
      case 'tooLate':
        setPhase(state, 'Failed');
        break;
      case 'node':
        noteReadyNode(state, outcome.node);
        break;
      case 'moreTime':
        adopt(state, outcome.machine, this.#input.cluster);
        if (isAfterOutage) state.joinBy = joinAfterOutage(outcome.machine, Date.now());
        break;
      case 'outOfReach':
        state.joinBy = { at: Date.now() + outageLookMs, isOutage: true };
        break;
      case 'nothing':
        state.isGone = true;
    }
  }

  async beginTeardown(): Promise<void> {
    const state = this.#state;
    const input = { machine: this.#machine() };
    const { machine } = await shortStep((steps) => steps.beginTeardown(input), 'begin teardown');
    if (!machine) {
      state.isGone = true;
      return;
    }
    // A life that begins with its end knows nothing of creates that an earlier one may have sent.
    if (!state.prepared && machine.providerID === undefined) state.isUnsettled = true;
    adopt(state, machine, this.#input.cluster);
    if (!machine.isDeleting || !machine.hasFinalizer) return;
    delete state.failure;
    delete state.preservation;
    endLoss(state);
    state.teardown = newTeardown(state, machine);
    setPhase(state, 'Terminating');
  }

  async findInstance(): Promise<void> {
    const state = this.#state;
    const { teardown, prepared } = state;
    if (!teardown || !prepared || !(await this.#knowsProvider())) return;
    const outcome = await findOutcome(this.#driverRequest(), this.#usesTarget);
    // Several of one name: a deletion takes those that are of this machine, whichever they are.
    if (outcome.outcome === 'failed' && outcome.failure.code !== 'OutOfRange') {
      await this.#fail(outcome.failure, 'Delete');
      return;
    }
    await endFailure(state, this.#input.ref.namespace);
    delete teardown.mustFind;
    if (outcome.outcome !== 'found') return;
    state.instance = { ...outcome.instance, isFound: true };
    // Now it has a Node to be drained.
    const { startedAt } = teardown;
    state.teardown = { ...newTeardown(state, prepared), startedAt };
  }

  async drain(): Promise<void> {
    const { instance, prepared, teardown, observed } = this.#state;
    if (!instance || !prepared || !teardown) return;
    const options = drainOptionsOf(this.#state);
    if (options.isSkipped) {
      skipDrain(this.#state);
      return;
    }
    const { drainNode } = drainSteps(`drain ${instance.nodeName}`);
    const outcome = await drainNode(
      defined({
        machine: this.#machine(),
        nodeName: instance.nodeName,
        deadline: drainDeadlineOf(this.#state),
        isForced: observed?.forceDeletion ?? false,
        maxEvictRetries: evictRetriesOf(this.#state),
        earlier: this.#state.drain,
        skipsVolumeWait: options.skipsVolumeWait,
      }),
    );
    teardown.isDrained = true;
    if (outcome.isForced) teardown.wasForced = true;
    endDrain(this.#state);
  }

  async deleteInstance(): Promise<void> {
    const state = this.#state;
    if (!(await this.#knowsProvider())) return;
    const outcome = await deleteOutcome(this.#driverRequest(), this.#usesTarget);
    if (outcome.outcome === 'failed') {
      await this.#fail(outcome.failure, 'Delete');
      return;
    }
    await endFailure(state, this.#input.ref.namespace);
    if (state.teardown) state.teardown.isInstanceGone = true;
    settle(state, outcome);
  }

  async finishTeardown(): Promise<void> {
    const { instance, isNodeContested } = this.#state;
    const input = defined({
      machine: this.#machine(),
      nodeName: isNodeContested ? undefined : instance?.nodeName,
      nodeUid: ownNodeOf(this.#state)?.uid,
      providerID: instance?.providerID,
      bootstrapTokenId: this.#state.prepared?.bootstrapTokenId,
      mustDetachVolumes: this.#state.teardown?.wasForced,
    });
    await shortStep((steps) => steps.finishTeardown(input), 'remove Node and finalizer');
    if (this.#state.teardown) this.#state.teardown.isFinished = true;
  }

  /** The class may have come back since the deletion began. */
  async #knowsProvider(): Promise<boolean> {
    const { prepared } = this.#state;
    if (!prepared || prepared.provider !== undefined) return true;
    const { className } = prepared;
    const words = `read MachineClass ${className}`;
    const outcome = await shortStep((steps) => steps.findProvider({ className }), words);
    if (outcome.found) prepared.provider = outcome.provider;
    else await this.#fail(outcome.failure, 'Delete');
    return outcome.found;
  }

  /** An instance that is called like its machine has a Node that can only be of this machine. */
  async #hasStaleNode({ nodeName, providerID, isFound }: CreatedInstance): Promise<boolean> {
    const { ref } = this.#input;
    const usesTarget = this.#usesTarget;
    if (isFound || nodeName === ref.name || !usesTarget) return false;
    const input = { instance: { nodeName, providerID } };
    return (await shortStep((steps) => steps.findStaleNode(input), `look for ${nodeName}`)).isStale;
  }

  /** As MCM v0.62.1: the new instance goes again, and the machine is Failed. One that cannot go now stays known, for the teardown. */
  async #giveBack({ nodeName }: CreatedInstance): Promise<void> {
    const state = this.#state;
    const outcome = await deleteOutcome(this.#driverRequest(), this.#usesTarget);
    if (outcome.outcome === 'deleted') {
      delete state.instance;
      state.createGeneration += 1;
    }
    setPhase(state, 'Failed');
    const message = `Node ${nodeName} is there already, and of another instance: delete it`;
    const failure = { code: 'FailedPrecondition', message, isSettled: true } as const;
    await this.#fail({ ...failure, during: 'nodeLookup' }, 'Create');
  }

  get #usesTarget(): boolean {
    return this.#state.prepared?.usesTarget ?? true;
  }

  #machine(): LifeRef {
    const { uid, observed } = this.#state;
    return { ...this.#input.ref, uid: uid ?? observed?.uid ?? '' };
  }

  #driverRequest(): DriverRequest {
    const { prepared, instance, createGeneration, failure, uid = '' } = this.#state;
    const known: Partial<PreparedMachine> = prepared ?? {};
    return defined({
      machine: this.#machine(),
      cluster: this.#input.cluster,
      className: known.className ?? '',
      provider: known.provider ?? '',
      token: `${uid}-${createGeneration}`,
      providerID: instance?.providerID ?? known.providerID,
      bootstrapTokenId: known.bootstrapTokenId,
      nodeTemplate: known.nodeTemplate,
      lastKnownState: known.lastKnownState,
      isRetry: failure !== undefined,
    });
  }

  /** Says it on the object and plans the next attempt. */
  async #fail(failure: MachineFailure, operation: 'Create' | 'Delete'): Promise<void> {
    const state = this.#state;
    state.failure = nextFailure(state, failure, operation);
    const phase = phaseOfFailure(operation, state.phase);
    setPhase(state, phase);
    const { createGeneration } = state;
    const input = { machine: this.#machine(), failure, operation, phase, createGeneration };
    // A create that is being cancelled has to report all the same.
    await CancellationScope.nonCancellable(() =>
      shortStep((steps) => steps.recordFailure(input), `${failure.code}: report`),
    );
  }
}

const outageLookMs = 30_000;
const longestJoinMs = 300_000;

/** While an API server was away no Node could register. */
function joinAfterOutage({ limits }: PreparedMachine, now: number) {
  const milliseconds = Math.min(limits.creationTimeoutSeconds * 1_000, longestJoinMs);
  return { at: now + milliseconds, isOutage: false };
}

/** A delete that found the instance settles the create before it; else the cloud may still list it late. */
function settle(state: MachineState, { isFound, settleSeconds }: SuccessfulDelete): void {
  if (!state.isUnsettled) return;
  if (isFound || state.settleAt !== undefined) {
    state.isUnsettled = false;
    delete state.settleAt;
    return;
  }
  state.settleAt = Date.now() + settleSeconds * 1000;
  // One that is listed late has a Node as well.
  if (state.teardown && state.prepared?.usesTarget) state.teardown.mustFind = true;
}
