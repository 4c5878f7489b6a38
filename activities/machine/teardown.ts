/** The beginning and the end of a Machine's deletion. */
import type { LifeRef, MachineActivities, TeardownOutcome } from '../../workflows/activities.ts';
import { finalizers } from '../../workflows/api/constants.ts';
import { deleteBootstrapToken } from '../bootstrap-token.ts';
import { deleteAttachments } from '../drain/attachments.ts';
import type { KubeClient } from '../kube/client.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { recordEvent } from '../kube/events.ts';
import { release } from '../kube/finalizer.ts';
import { providerOf, refusalOf } from '../machine-class/faults.ts';
import { node as nodePath } from '../kube/paths.ts';
import { unlessChanged } from '../kube/optional.ts';
import type { World } from '../world.ts';
import { isSameInstance } from '../../workflows/plan/provider-id.ts';
import { rivalOf } from './node-claims.ts';
import type { Node } from './node.ts';
import { readNode } from './node.ts';
import {
  component,
  machineSubject,
  patchMachine,
  preparedOf,
  readMachine,
  timestamp,
} from './object.ts';

type FinishInput = Parameters<MachineActivities['finishTeardown']>[0];

/** Says Terminating, and reads in the same write what the deletion depends on. */
export async function beginTeardown(
  world: World,
  { machine }: { machine: LifeRef },
): Promise<TeardownOutcome> {
  const now = timestamp();
  const description = `Machine ${machine.name} is being deleted: first its Node is drained, then its instance goes`;
  const patched = await patchMachine(world.control, machine, {
    status: {
      currentStatus: {
        phase: 'Terminating',
        timeoutActive: null,
        preserveExpiryTime: null,
        lastUpdateTime: now,
      },
      lastOperation: {
        description,
        errorCode: null,
        state: 'Processing',
        type: 'Delete',
        lastUpdateTime: now,
      },
    },
  });
  if (!patched) return {};
  await recordEvent(world.control, machineSubject(machine), {
    type: 'Normal',
    reason: 'Terminating',
    message: description,
    component,
  });
  const prepared = preparedOf(patched, world);
  const resolved = await world.classes.read(prepared.className, { isFresh: false });
  // Its driver will not be asked: where there may be an instance, `findProvider` says why.
  if (!resolved || refusalOf(resolved, world.namespace) !== undefined) return { machine: prepared };
  const known = providerOf(resolved);
  if (!(await world.hasDriver(known.provider))) return { machine: prepared };
  return { machine: { ...prepared, ...known } };
}

/** Attachments, Node, then bootstrap token, then the finalizer: while the object stands, there is something left to do. */
export async function finishTeardown(
  { control, target }: World,
  input: FinishInput,
): Promise<void> {
  const { machine, nodeName, bootstrapTokenId } = input;
  if (target && nodeName) await removeNode({ control, target }, { ...input, nodeName });
  // Nobody knows of an instance; one that vanished may have left its Node.
  else if (target) await deleteNode({ control, target }, { machine, name: machine.name });
  if (target && bootstrapTokenId !== undefined) {
    await deleteBootstrapToken(target, bootstrapTokenId, machine);
  }
  await release(control, 'machines', machine);
}

async function removeNode(
  { control, target }: { control: KubeClient; target: KubeClient },
  input: FinishInput & { nodeName: string },
): Promise<void> {
  const { machine, nodeName, nodeUid, providerID = '', mustDetachVolumes = false } = input;
  if (mustDetachVolumes) await deleteAttachments(target, { nodeName, providerID });
  const isGone = nodeUid !== undefined && (await deleteKnownNode(target, nodeName, nodeUid));
  if (!isGone) await deleteNode({ control, target }, { machine, name: nodeName, providerID });
}

/** The Node that was seen to be of this instance, without a look before. False when another has its name by now. */
async function deleteKnownNode(target: KubeClient, name: string, uid: string): Promise<boolean> {
  const metadata = { uid, '$deleteFromPrimitiveList/finalizers': [finalizers.node] };
  try {
    await target.patch(nodePath(name), 'strategic', { metadata });
    await target.delete(nodePath(name), { preconditions: { uid } });
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isConflict(error)) return false;
    throw error;
  }
}

/** Names come back: only the Node of this very instance goes. One that went, or whose name another took, needs nothing of us. */
async function deleteNode(
  { control, target }: { control: KubeClient; target: KubeClient },
  { machine, name, providerID }: { machine: LifeRef; name: string; providerID?: string },
): Promise<void> {
  const node = await readNode(target, name);
  if (!node) return;
  const isOwn =
    (providerID !== undefined && isSameInstance(node.spec?.providerID, providerID)) ||
    (await isOfEarlierAttempt(control, node, machine));
  if (!isOwn) return;
  if ((await rivalOf(control, node, machine)) !== undefined) return;
  const { uid, finalizers: present = [] } = node.metadata;
  if (present.includes(finalizers.node)) {
    const metadata = { uid, '$deleteFromPrimitiveList/finalizers': [finalizers.node] };
    await unlessChanged(target.patch(nodePath(name), 'strategic', { metadata }));
  }
  if (node.metadata.deletionTimestamp !== undefined) return;
  await unlessChanged(target.delete(nodePath(name), { preconditions: { uid } }));
}

/**
 * A Node with the name of the Machine itself, and younger than it: an earlier attempt to make the instance got so far, and its instance
 * vanished before anybody knew of it. Where Nodes have other names than Machines nothing can be said.
 */
async function isOfEarlierAttempt(
  control: KubeClient,
  { metadata }: Node,
  machine: LifeRef,
): Promise<boolean> {
  if (metadata.name !== machine.name) return false;
  const own = await readMachine(control, machine);
  if (own?.metadata.uid !== machine.uid) return false;
  return Date.parse(metadata.creationTimestamp) >= Date.parse(own.metadata.creationTimestamp);
}
