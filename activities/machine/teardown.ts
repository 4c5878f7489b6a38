/** The beginning and the end of a Machine's deletion. */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type {
  MachineActivities,
  PreparedMachine,
  TeardownOutcome,
} from '../../workflows/contracts/machine-activities.ts';
import { finalizers, labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { deleteBootstrapToken } from './bootstrap-token.ts';
import { elderOf } from './deletable.ts';
import { isBuiltIn } from '../drivers/providers.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isConflict, isNotFound, isUnreachable, KubeError } from '../../kube/client/errors.ts';
import { unknownAnnotations } from '../../workflows/values/unknown-annotations.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { hasFinalizer, release } from '../../kube/objects/finalizers.ts';
import { providerOf, refusalOf } from '../machine-class/faults.ts';
import { node as nodePath } from '../../kube/client/paths.ts';
import { ignoreConflict, ignoreNotFound } from '../../kube/client/ignore.ts';
import { deleteObject } from '../../kube/objects/delete-object.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { otherOwnerReason, competingMachine, isYounger, type NodeClaim } from './node/claims.ts';
import type { Instance, StepFailure } from '../../workflows/plan/machine/facts.ts';
import { isSameInstance } from '../../workflows/values/provider-id.ts';
import { isSilent, readNode, type Node } from '../../kube/objects/nodes.ts';
import {
  component,
  isDeleting,
  machineSubject,
  patchStatus,
  readSameMachine,
  readMachine,
  referenceOf,
} from './object.ts';
import { phaseOf, preparedOf } from './prepared.ts';
import { readClass } from './read-and-claim.ts';
import { codeOf, orRejection } from './rejection.ts';
import { statusPatch } from './status.ts';
import { readNodeOf, requireJoinedCluster, type Clusters } from './node/target-cluster.ts';
import { inParallel } from '../runtime/parallel.ts';
import { volumeAttachments, type VolumeAttachment } from '../../kube/objects/volume-attachments.ts';

type FinishInput = Parameters<MachineActivities['finishTeardown']>[0];

/** Says Terminating, and reads in the same write what the deletion depends on. */
export async function beginTeardown(
  dependencies: ActivityDependencies,
  { machine }: { machine: ObjectReference },
): Promise<TeardownOutcome> {
  const { control } = dependencies;
  const current = deletedByUs(dependencies, machine) ?? (await readSameMachine(control, machine));
  if (!current) return {};
  // A set would make another one for a machine that is Terminating.
  if (!isDeleting(current)) return { machine: preparedOf(current, dependencies) };
  const heldBy = await otherHolderOf(dependencies, current);
  const what =
    heldBy === undefined
      ? usualEnd
      : `its instance stays, as Machine ${heldBy} has it and is older`;
  const patched = await sayTerminating(control, current, what);
  if (!patched) {
    const found = await readSameMachine(control, machine);
    return found ? { machine: preparedOf(found, dependencies) } : {};
  }
  const prepared = await withProvider(dependencies, preparedOf(patched, dependencies));
  return { machine: prepared, ...(heldBy !== undefined && { heldBy }) };
}

/**
 * The same for a drain that goes on in the attempt, where the instance is known to be of a driver
 * of ours. Undefined: there may be nothing to begin.
 */
export async function beginWithDrain(
  dependencies: ActivityDependencies,
  machine: ObjectReference,
): Promise<Machine | undefined> {
  const { control } = dependencies;
  const current = deletedByUs(dependencies, machine) ?? (await readSameMachine(control, machine));
  if (!current || !isDeleting(current) || !hasFinalizer(current)) return undefined;
  // By an attempt before.
  if (phaseOf(current) === 'Terminating') return current;
  return await sayTerminating(control, current, usualEnd);
}

const usualEnd = 'first its Node is drained, then its instance goes';

/** Undefined where the Machine is gone, or its deletion was undone. */
async function sayTerminating(
  control: KubeClient,
  current: Machine,
  what: string,
): Promise<Machine | undefined> {
  const subject = machineSubject(referenceOf(current));
  const description = `Machine ${subject.name} is being deleted: ${what}`;
  const status = statusPatch({
    phase: 'Terminating',
    preserveExpiryTime: null,
    operation: { description, state: 'Processing', type: 'Delete' },
    errorCode: null,
  });
  const statusOf = (now: Machine) => (isDeleting(now) ? status : undefined);
  const patched = await patchStatus(control, current, statusOf);
  if (!patched) return undefined;
  recordEvent(control, subject, {
    type: 'Normal',
    reason: 'Terminating',
    message: description,
    component,
  });
  const unknown = unknownAnnotations(patched.metadata.annotations).join('; ');
  if (unknown !== '') {
    recordEvent(control, subject, {
      type: 'Warning',
      reason: 'UnknownAnnotation',
      message: unknown,
      component,
    });
  }
  return patched;
}

/** Drivers of ours ask in each deletion whose the instance is; others do not see the Machines. */
async function otherHolderOf(
  dependencies: ActivityDependencies,
  machine: Machine,
): Promise<string | undefined> {
  if (!machine.spec.providerID) return undefined;
  const { provider } = await withProvider(dependencies, preparedOf(machine, dependencies));
  if (provider === undefined || isBuiltIn(provider)) return undefined;
  return await elderOf(dependencies.control, machine);
}

/** Where there may be an instance and its driver is not known, `findProvider` says why. */
async function withProvider(
  dependencies: ActivityDependencies,
  prepared: PreparedMachine,
): Promise<PreparedMachine> {
  const read = await readClass(dependencies, prepared.className, { isFresh: false });
  const resolved = 'answer' in read ? read.answer : undefined;
  if (!resolved || refusalOf(resolved, dependencies.namespace) !== undefined) return prepared;
  const known = providerOf(resolved);
  return (await dependencies.hasDriver(known.provider)) ? { ...prepared, ...known } : prepared;
}

/** As this process deleted it a moment ago for its set. */
function deletedByUs(
  { memory }: ActivityDependencies,
  machine: ObjectReference,
): Machine | undefined {
  const kept = memory.written.take(machine);
  return kept && isDeleting(kept) ? kept : undefined;
}

/**
 * Attachments, Node, then bootstrap token, then the finalizer: while the object stands, there is
 * something left to do. A Machine that is not being deleted keeps all of it: who can write to
 * Temporal can ask for this by hand.
 */
export async function finishTeardown(
  dependencies: ActivityDependencies,
  input: FinishInput,
): Promise<StepFailure | undefined> {
  const current = await readSameMachine(dependencies.control, input.machine);
  if (current && !isDeleting(current)) return undone;
  const known = current?.metadata.labels?.[labels.node] === input.nodeName ? input : unseen(input);
  return (await clearTarget(dependencies, known)) ?? (await releaseMachine(dependencies, known));
}

/** Without its UID, so that the Node is read to learn whose it is: the Machine does not say so. */
function unseen({ nodeUid: _nodeUid, ...input }: FinishInput): FinishInput {
  return input;
}

const undone: StepFailure = {
  code: 'Aborted',
  message: 'its deletion was undone: etcd was restored',
  isSettled: true,
};

/**
 * A webhook, also one that is out of reach, or a missing right that keeps the finalizer on is said
 * on the Machine, as long as its status can be written. One whose deletion was undone stays, and
 * its workflow hears of that.
 */
async function releaseMachine(
  { control }: ActivityDependencies,
  { machine }: FinishInput,
): Promise<StepFailure | undefined> {
  const what = `the finalizer ${finalizers.machine} could not be removed`;
  const released = await orRejection(() => release(control, 'machines', machine), what);
  if ('failure' in released) return released.failure;
  return released.answer ? undefined : undone;
}

/**
 * Deletes the machine's objects in the target cluster. A refusal or an outage is reported on the
 * Machine. A machine that never joined has left nothing there, but for the Node of an instance that
 * registered unseen.
 */
async function clearTarget(
  { control, target, targetCluster }: ActivityDependencies,
  input: FinishInput,
): Promise<StepFailure | undefined> {
  const { machine, nodeName, bootstrapTokenId, mayLeaveNode } = input;
  if (!target) return undefined;
  const clusters = { control, target, targetCluster };
  let what = `Node Object ${JSON.stringify(nodeName || machine.name)}`;
  try {
    const waits = await removeNode(clusters, input);
    if (waits) return waits;
    if (bootstrapTokenId !== undefined) {
      what = 'the bootstrap token';
      await deleteBootstrapToken(target, bootstrapTokenId, machine);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (mayLeaveNode && isUnreachable(error)) return undefined;
    const message = `Deletion of ${what} failed due to error: ${error.message}`;
    return { code: codeOf(error), message, isSettled: true, during: 'nodeDeletion' };
  }
}

async function removeNode(
  clusters: Clusters,
  input: FinishInput,
): Promise<StepFailure | undefined> {
  const { machine, nodeName, nodeUid, providerID = '', isUnproven, mustDetachVolumes } = input;
  if (!nodeName) return await removeUnnamedNode(clusters, input);
  const claim = { machine, nodeName, nodeUid, providerID, isUnproven };
  if (mustDetachVolumes) await deleteAttachments(clusters, claim);
  const isGone = nodeUid !== undefined && (await deleteKnownNode(clusters, claim, nodeUid));
  if (!isGone) await deleteNode(clusters, claim);
  return undefined;
}

/**
 * The Node that was seen to be of this instance, without a read before. False when another has its
 * name by now.
 */
async function deleteKnownNode(
  clusters: Clusters,
  claim: NodeClaim,
  uid: string,
): Promise<boolean> {
  const path = nodePath(claim.nodeName);
  try {
    const { metadata } = await clusters.target.delete(path, { preconditions: { uid } });
    // A drain may have taken it off already.
    if (metadata?.finalizers?.includes(finalizers.node)) {
      await releaseNode(clusters.target, path, uid);
    }
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    if (!isNotFound(error)) throw error;
    await requireJoinedCluster(clusters, claim);
    return true;
  }
}

async function releaseNode(target: KubeClient, path: string, uid: string): Promise<void> {
  const metadata = { uid, '$deleteFromPrimitiveList/finalizers': [finalizers.node] };
  await target.patch(path, 'strategic', { metadata });
}

/**
 * Names come back: only the Node of this very instance goes. Does nothing for a Node that went, or
 * whose name another took.
 */
async function deleteNode(clusters: Clusters, claim: NodeClaim): Promise<void> {
  const { control, target } = clusters;
  const node = await readNodeOf(clusters, claim);
  if (!node) return;
  const isOwn = (await otherOwnerReason(control, node, claim)) === undefined;
  if (isOwn || (await isOfEarlierAttempt(control, node, claim.machine)))
    await deleteReadNode(target, node);
}

/**
 * The Machine names no Node, e.g. because it was moved without its labels. The Node that its
 * instance left, or an earlier attempt to make it, is known by the name of the Machine.
 */
async function removeUnnamedNode(
  clusters: Clusters,
  input: FinishInput,
): Promise<StepFailure | undefined> {
  const { control, target } = clusters;
  const { machine, providerID = '' } = input;
  const node = await readNodeOf(clusters, { machine, nodeName: machine.name, providerID });
  if (!node) return undefined;
  if (await isOwnUnnamed(control, node, input)) {
    await deleteReadNode(target, node);
    return undefined;
  }
  const mayBeOwn = wasDeletedUnnamed(input) && (await hasItsName(control, node, machine));
  return mayBeOwn ? stillSpeaks(machine.name) : undefined;
}

async function isOwnUnnamed(
  control: KubeClient,
  node: Node,
  { machine, providerID = '', isUnproven = false }: FinishInput,
): Promise<boolean> {
  const isKnown = providerID !== '' && !isUnproven;
  return isKnown && node.spec?.providerID === providerID
    ? (await competingMachine(control, node, machine)) === undefined
    : await isOfEarlierAttempt(control, node, machine);
}

/** A cloud had an instance of the Machine, and no answer said which. */
function wasDeletedUnnamed({ providerID = '', isUnproven, mayLeaveNode }: FinishInput): boolean {
  return providerID === '' && !isUnproven && !mayLeaveNode;
}

/** That of an instance that was deleted just now does so for a moment longer. */
function stillSpeaks(node: string): StepFailure {
  const message = `Deletion of Node ${node} waits until its kubelet is silent: an instance of the Machine was deleted, and no answer said whether the Node is of that one`;
  return { code: 'Unavailable', message, isSettled: true, during: 'nodeDeletion' };
}

async function deleteReadNode(target: KubeClient, { metadata }: Node): Promise<void> {
  const { name, uid, finalizers: present = [] } = metadata;
  if (present.includes(finalizers.node)) {
    await ignoreConflict(releaseNode(target, nodePath(name), uid));
  }
  if (metadata.deletionTimestamp !== undefined) return;
  await deleteObject(target, nodePath(name), uid);
}

/** The kubelet of the new instance registers under this name, and only once. */
export async function clearName(
  { control, target }: Pick<Clusters, 'control' | 'target'>,
  machine: ObjectReference,
  { providerID }: Instance,
): Promise<void> {
  try {
    const node = await readNode(target, machine.name);
    if (!node || isSameInstance(node.spec?.providerID, providerID)) return;
    if (await isOfEarlierAttempt(control, node, machine)) await deleteReadNode(target, node);
  } catch (error) {
    // The ids of the instance are written all the same, and it has its time to join.
    if (!(error instanceof KubeError)) throw error;
  }
}

/**
 * A Node with the name of the Machine itself, younger than it, and silent: an earlier attempt to
 * make the instance got so far, and its instance vanished before it was known. One whose kubelet
 * still speaks is of an instance that this Machine does not know. Where Nodes have other names than
 * Machines nothing can be said.
 */
async function isOfEarlierAttempt(
  control: KubeClient,
  node: Node,
  machine: ObjectReference,
): Promise<boolean> {
  return isSilent(node) && (await hasItsName(control, node, machine));
}

/** A Node that no other Machine has, and that came after this one. */
async function hasItsName(
  control: KubeClient,
  node: Node,
  machine: ObjectReference,
): Promise<boolean> {
  if (node.metadata.name !== machine.name) return false;
  const own = await readMachine(control, machine);
  if (own?.metadata.uid !== machine.uid) return false;
  if ((await competingMachine(control, node, machine)) !== undefined) return false;
  return isYounger(node, own);
}

/** Deletions at once. */
const width = 20;

/**
 * Lets the volumes of an instance that is gone be attached elsewhere, without the 6 minutes that
 * Kubernetes waits otherwise. Only then: an instance that may still write keeps its volumes.
 */
export async function deleteAttachments(clusters: Clusters, claim: NodeClaim): Promise<void> {
  // Names come back: what is attached to another instance is not ours.
  const { control, target } = clusters;
  const { nodeName } = claim;
  const node = await readNodeOf(clusters, claim);
  if ((await otherOwnerReason(control, node, claim)) !== undefined) return;
  const list = await ignoreNotFound(target.list<VolumeAttachment>(volumeAttachments));
  const ours = (list?.items ?? []).filter(
    ({ spec, metadata }) => spec.nodeName === nodeName && metadata.deletionTimestamp === undefined,
  );
  await inParallel(ours, width, async ({ metadata }) => {
    const options = { preconditions: { uid: metadata.uid } };
    await ignoreNotFound(target.delete(`${volumeAttachments}/${metadata.name}`, options));
  });
}
