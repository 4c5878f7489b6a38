/** The steps of a machine's deletion. */
import type { DeleteOutcome } from '../../contracts/driver-activities.ts';
import type { KubeActivities } from '../../contracts/kube-activities.ts';
import { adopt } from '../restore.ts';
import { endFailure } from '../credentials.ts';
import { deleteOutcome, findOutcome } from '../driver-calls.ts';
import { endLoss } from './missing-instance.ts';
import { endDrain, setPhase, skipDrain } from '../phase.ts';
import type { MachineState } from '../state.ts';
import {
  drainBeganAt,
  drainDeadlineOf,
  drainOptionsOf,
  evictRetriesOf,
  newTeardown,
  ownNodeOf,
} from '../state.ts';
import { StepContext } from './context.ts';
import { defined } from '../../values/defined.ts';
import { drainSteps, shortStep } from '../../runtime/activity-options.ts';

type FinishInput = Parameters<KubeActivities['finishTeardown']>[0];
type SuccessfulDelete = Extract<DeleteOutcome, { outcome: 'deleted' }>;

export class TeardownSteps extends StepContext {
  async beginTeardown(): Promise<void> {
    const { state } = this;
    const input = { machine: this.machine() };
    const { machine } = await shortStep((steps) => steps.beginTeardown(input), 'begin teardown');
    if (!machine) {
      state.isGone = true;
      return;
    }
    adopt(state, machine, this.input.cluster);
    state.isStale = false;
    if (!machine.isDeleting || !machine.hasFinalizer) return;
    if (state.mayHaveCreated) state.isUnsettled = true;
    delete state.failure;
    delete state.unreported;
    delete state.outage;
    delete state.preservation;
    endLoss(state);
    state.teardown = newTeardown(state, machine);
    setPhase(state, 'Terminating');
  }

  async findInstance(): Promise<void> {
    const { state } = this;
    const { teardown, prepared } = state;
    if (!teardown || !prepared || !(await this.#knowsProvider())) return;
    const outcome = await findOutcome(this.operationCall('Delete'));
    if (outcome.outcome === 'failed' && outcome.failure.wasCancelled) return;
    // Several of one name: a deletion takes those that are of this machine, whichever they are.
    if (outcome.outcome === 'failed' && outcome.failure.code !== 'OutOfRange') {
      this.fail(outcome.failure, 'Delete');
      return;
    }
    await endFailure(state, this.input.ref.namespace);
    delete teardown.mustFind;
    if (outcome.outcome !== 'found') return;
    state.instance = { ...outcome.instance, isFound: true };
    // Now it has a Node to be drained.
    const { startedAt } = teardown;
    state.teardown = { ...newTeardown(state, prepared), startedAt };
  }

  async drain(): Promise<void> {
    const { instance, prepared, teardown, observed } = this.state;
    if (!instance || !prepared || !teardown) return;
    const options = drainOptionsOf(this.state);
    if (options.isSkipped) {
      skipDrain(this.state);
      return;
    }
    const { drainNode } = drainSteps(`drain ${instance.nodeName}`);
    const outcome = await drainNode(
      defined({
        machine: this.machine(),
        nodeName: instance.nodeName,
        providerID: instance.providerID,
        deadline: drainDeadlineOf(this.state),
        countsFrom: drainBeganAt(this.state),
        isForced: observed?.forceDeletion ?? false,
        maxEvictRetries: evictRetriesOf(this.state),
        earlier: this.state.drain,
        skipsVolumeWait: options.skipsVolumeWait,
      }),
    );
    teardown.isDrained = true;
    if (outcome.isForced) teardown.wasForced = true;
    endDrain(this.state);
  }

  async deleteInstance(): Promise<void> {
    const { state } = this;
    if (!(await this.#knowsProvider())) return;
    const outcome = await deleteOutcome(this.operationCall('Delete'));
    if (outcome.outcome === 'failed') {
      if (!outcome.failure.wasCancelled) this.fail(outcome.failure, 'Delete');
      return;
    }
    await endFailure(state, this.input.ref.namespace);
    if (state.teardown) state.teardown.isInstanceGone = true;
    settle(state, outcome);
  }

  async finishTeardown(): Promise<void> {
    const input = { ...this.#nodeToRemove(), machine: this.machine() };
    const summary = 'remove Node and finalizer';
    const failure = await shortStep((steps) => steps.finishTeardown(input), summary);
    if (failure) this.fail(failure, 'Delete');
    else if (this.state.teardown) this.state.teardown.isFinished = true;
  }

  #nodeToRemove(): Omit<FinishInput, 'machine'> {
    const { instance, isNodeContested, prepared, teardown } = this.state;
    const node = ownNodeOf(this.state);
    const hasNotJoined = node === undefined && !prepared?.wasNodeSeen;
    return defined({
      nodeName: isNodeContested ? undefined : instance?.nodeName,
      nodeUid: node?.uid,
      providerID: instance?.providerID,
      bootstrapTokenId: prepared?.bootstrapTokenId,
      mustDetachVolumes: teardown?.wasForced,
      hasNotJoined: hasNotJoined || undefined,
    });
  }

  /** The class may have come back since the deletion began. */
  async #knowsProvider(): Promise<boolean> {
    const { prepared } = this.state;
    if (!prepared || prepared.provider !== undefined) return true;
    const { className } = prepared;
    const words = `read MachineClass ${className}`;
    const outcome = await shortStep((steps) => steps.findProvider({ className }), words);
    if (outcome.found) prepared.provider = outcome.provider;
    else this.fail(outcome.failure, 'Delete');
    return outcome.found;
  }
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
