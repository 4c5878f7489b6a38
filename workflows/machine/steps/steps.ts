/** Runs the steps that the plan asks for and notes in the state what came of them. */
import type { CreatedInstance } from '../../contracts/driver-activities.ts';
import type { JoinRequest, NodeSyncRequest } from '../../contracts/node-activities.ts';
import type { PreparedMachine } from '../../contracts/machine-activities.ts';
import { adopt } from '../restore.ts';
import { endFailure } from '../credentials.ts';
import { createOutcome, deleteOutcome } from '../driver-calls.ts';
import { healthRequestOf, seenOf } from '../health.ts';
import { describeInstance, noteWeighed, recordLoss } from './missing-instance.ts';
import { setPhase } from '../phase.ts';
import { drainPreserved, preserve } from './preservation.ts';
import { noteReach, outageLookMs } from '../outage.ts';
import { joinDeadlineOf, noteReadNode, ownNodeOf } from '../state.ts';
import { TeardownSteps } from './teardown.ts';
import type { NodeSnapshot } from '../../contracts/messages.ts';
import { defined } from '../../values/defined.ts';
import { afterLook, beforeLook } from '../../plan/machine/health.ts';
import { shortAttempt, shortStep } from '../../runtime/activity-options.ts';

export class MachineSteps extends TeardownSteps {
  async prepare(): Promise<void> {
    const { state } = this;
    const { ref, cluster } = this.input;
    state.isStale = false;
    const readsNode = !state.isNodeRead;
    const input = { machine: ref, cluster, isRetry: state.failure !== undefined, readsNode };
    const outcome = await shortStep((steps) => steps.prepareMachine(input), `read ${ref.name}`);
    if (!outcome.found || (state.uid !== undefined && state.uid !== outcome.machine.uid)) {
      state.isGone = true;
      return;
    }
    const { machine: read, node, failure, outOfReach } = outcome;
    adopt(state, read, this.input.cluster);
    noteReach(state, outOfReach);
    if (outOfReach !== undefined) return;
    state.isNodeRead = true;
    if (node) noteReadNode(state, node);
    // A machine that has its instance needs its class again only when it goes.
    if (!failure || state.isRecorded) return;
    state.isStale = true;
    this.fail(failure, 'Create');
  }

  async create(): Promise<void> {
    const { state } = this;
    state.wasCreateSent = true;
    // One that is Failed already goes on trying.
    const deadline = () => (state.phase === 'Failed' ? undefined : joinDeadlineOf(state));
    const outcome = await createOutcome({ ...this.operationCall('Create'), deadline });
    if (outcome.outcome === 'created') {
      state.instance = outcome.instance;
      state.isUnsettled = false;
      state.mayHaveCreated = false;
      await endFailure(state, this.input.ref.namespace);
      if (this.#mayHaveStaleNode(outcome.instance)) state.mustCheckName = true;
      return;
    }
    const { failure } = outcome;
    if (failure.isSettled) state.mayHaveCreated = false;
    // The token's instance was made and is gone: what came of it is known, and another needs another token.
    if (failure.code === 'Aborted' && failure.isSettled) state.isUnsettled = false;
    if (!failure.isSettled) state.isUnsettled = true;
    // A refused request may be changed before the next attempt, and a cloud refuses a changed request under an old
    // token. An unsettled one keeps its token until its outcome is known.
    else if (!state.isUnsettled) state.createGeneration += 1;
    // The next attempt reads the object again: class, Secrets and limits may have been mended.
    state.isStale = true;
    if (!failure.wasCancelled) this.fail(failure, 'Create');
  }

  async recordCreated(): Promise<void> {
    const { state } = this;
    if (!state.instance) return;
    const usesTarget = this.usesTarget;
    const { instance } = state;
    const input = { machine: this.machine(), instance, usesTarget };
    await shortStep((steps) => steps.recordCreated(input), `record ${instance.providerID}`);
    state.isRecorded = true;
    setPhase(state, usesTarget ? 'Pending' : 'Available');
  }

  async recordJoined(): Promise<void> {
    const { state } = this;
    const { node } = state;
    if (!node) return;
    const seen = seenOf(node);
    const input = this.#joinRequest(node);
    const summary = `Node ${node.name} is Ready`;
    const outcome = await shortStep((steps) => steps.recordJoined(input), summary);
    if (!outcome.hasJoined) {
      // The Node changed since it was seen. Its next state may have been signalled already.
      if (state.node === node) delete state.node;
      state.isNodeContested = outcome.isContested ?? false;
      return;
    }
    delete state.prepared?.bootstrapTokenId;
    state.health = { seen, lookedAt: Date.now(), stoodStill: 0 };
    delete state.isNodeContested;
    setPhase(state, 'Running');
  }

  #joinRequest({ name, uid }: NodeSnapshot): JoinRequest {
    const { prepared, equipped } = this.state;
    const { className = '', bootstrapTokenId, nodeTemplate, nodeConditions } = prepared ?? {};
    const isEquipped = equipped?.uid === uid || undefined;
    const node = { name, uid };
    const known = { className, bootstrapTokenId, nodeTemplate, nodeConditions, isEquipped };
    return defined({ machine: this.machine(), node, ...known });
  }

  async syncNode(): Promise<void> {
    const { state } = this;
    const { instance, prepared, nodeBehind, phase } = state;
    // What changes from here on is for another step.
    delete state.nodeBehind;
    if (!instance || !prepared) return;
    const { providerID, nodeName } = instance;
    const joining = phase === 'Running' ? undefined : this.#joining();
    const input = defined({
      machine: this.machine(),
      instance: { providerID, nodeName },
      className: prepared.className,
      classAtLeast: nodeBehind?.class?.resourceVersion,
      nodeTemplate: prepared.nodeTemplate,
      joining,
    });
    const step = joining ? shortAttempt : shortStep;
    try {
      await step((steps) => steps.syncNode(input), `bring Node ${nodeName} in step`);
    } catch (error) {
      state.nodeBehind = Object.assign({}, nodeBehind, state.nodeBehind);
      throw error;
    }
  }

  /** The Node as it is now: any other state of it is a reason to look again. */
  #joining(): NodeSyncRequest['joining'] {
    const node = ownNodeOf(this.state);
    if (!node) return undefined;
    const isFresh = this.state.equipped?.uid !== node.uid;
    this.state.equipped = { uid: node.uid, seen: seenOf(node) };
    return { uid: node.uid, isFresh };
  }

  async deleteWithNode(): Promise<void> {
    const { state } = this;
    const { instance, node } = state;
    if (!instance || !node) return;
    const { providerID, nodeName } = instance;
    const input = { machine: this.machine(), instance: { providerID, nodeName } };
    const words = `Node ${nodeName} was deleted`;
    const outcome = await shortStep((steps) => steps.deleteWithNode(input), words);
    if (outcome.found === 'outOfReach') {
      noteReach(state, outcome.reason);
      return;
    }
    // What comes of it is signalled.
    state.lossSeen = seenOf(node);
  }

  async checkHealth(): Promise<void> {
    const { state } = this;
    const { instance } = state;
    if (!instance) return;
    const seen = seenOf(state.node);
    const begunAt = Date.now();
    const before = beforeLook(state.health, begunAt);
    const isInstanceGone = state.loss?.isConfirmed ?? false;
    const phaseBefore = state.phase;
    const known = {
      machine: this.machine(),
      instance,
      node: ownNodeOf(state),
      isInstanceGone,
    };
    const input = healthRequestOf({ ...known, before, now: begunAt });
    const outcome = await shortStep((steps) => steps.checkHealth(input), 'look at its health');
    const endedAt = Date.now();
    if (outcome.found === 'nothing') state.isGone = true;
    if (outcome.found !== 'machine') {
      // The watcher tells of the deletion.
      state.health = { seen, lookedAt: endedAt, stoodStill: 0 };
      if (state.loss) state.loss.isWeighed = true;
      return;
    }
    const look = { seen, begunAt, endedAt, random: Math.random() };
    state.health = afterLook(before, outcome.finding, look);
    if ('phase' in outcome.finding) setPhase(state, outcome.finding.phase);
    noteWeighed(state, phaseBefore, outcome.finding);
  }

  async describeInstance(): Promise<void> {
    await describeInstance(this.state, this.driverRequest());
  }

  async recordLoss(): Promise<void> {
    await recordLoss(this.state, this.machine());
  }

  async preserve(): Promise<void> {
    await preserve(this.state, this.machine());
  }

  async drainPreserved(): Promise<void> {
    await drainPreserved(this.state, this.machine());
  }

  async recordTimeout(): Promise<void> {
    const { state } = this;
    const { instance } = state;
    const isAfterOutage = state.joinBy?.isOutage || undefined;
    const now = Date.now();
    const input = defined({ machine: this.machine(), instance, isAfterOutage, now });
    const outcome = await shortStep((steps) => steps.recordTimeout(input), 'creation timeout');
    switch (outcome.found) {
      case 'tooLate':
        setPhase(state, 'Failed');
        break;
      case 'node':
        noteReadNode(state, outcome.node);
        break;
      case 'moreTime':
        adopt(state, outcome.machine, this.input.cluster);
        if (isAfterOutage) state.joinBy = joinAfterOutage(outcome.machine, Date.now());
        break;
      case 'outOfReach':
        state.joinBy = { at: Date.now() + outageLookMs, isOutage: true };
        break;
      case 'nothing':
        state.isGone = true;
    }
  }

  /** An instance that is called like its machine has a Node that can only be of this machine. */
  #mayHaveStaleNode({ nodeName, isFound }: CreatedInstance): boolean {
    return !isFound && nodeName !== this.input.ref.name && this.usesTarget;
  }

  async findStaleNode(): Promise<void> {
    const { state } = this;
    const { instance } = state;
    if (!instance) return;
    const { nodeName, providerID } = instance;
    const input = { instance: { nodeName, providerID } };
    const { isStale } = await shortStep(
      (steps) => steps.findStaleNode(input),
      `look for ${nodeName}`,
    );
    if (isStale) await this.#giveBack(instance);
    else delete state.mustCheckName;
  }

  /** As MCM v0.62.1: the new instance goes again, and the machine is Failed. One that cannot go now stays known, for the teardown. */
  async #giveBack({ nodeName }: CreatedInstance): Promise<void> {
    const { state } = this;
    const outcome = await deleteOutcome(this.operationCall('Delete'));
    if (outcome.outcome === 'failed' && outcome.failure.wasCancelled) return;
    delete state.mustCheckName;
    if (outcome.outcome === 'deleted') {
      delete state.instance;
      state.createGeneration += 1;
    }
    setPhase(state, 'Failed');
    const message = `Node ${nodeName} is there already, and of another instance: delete it`;
    const failure = { code: 'FailedPrecondition', message, isSettled: true } as const;
    this.fail({ ...failure, during: 'nodeLookup' }, 'Create');
  }
}

const longestJoinMs = 300_000;

/** While an API server was away no Node could register. */
function joinAfterOutage({ limits }: PreparedMachine, now: number) {
  const milliseconds = Math.min(limits.creationTimeoutSeconds * 1_000, longestJoinMs);
  return { at: now + milliseconds, isOutage: false };
}
