/** As in MCM, deleting a Node deletes its Machine. */
import type { ObjectReference } from '../../../workflows/contracts/references.ts';
import type { NodeDeletionOutcome } from '../../../workflows/contracts/node-activities.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { Instance } from '../../../workflows/plan/machine/facts.ts';
import { isSameInstance } from '../../../workflows/values/provider-id.ts';
import type { KubeError } from '../../../kube/client/errors.ts';
import { isRejected, isUnreachable } from '../../../kube/client/errors.ts';
import { recordEvent } from '../../../kube/objects/events.ts';
import { ignoreConflict } from '../../../kube/client/ignore.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { requireActiveWatcher } from '../../runtime/leader-gate.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';
import { refused } from '../../runtime/failures.ts';
import { isMassDisappearance } from '../meltdown.ts';
import type { NodeClaim } from './claims.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import {
  component,
  isDeleting,
  machineSubject,
  patchStatus,
  readMachine,
  referenceOf,
} from '../object.ts';
import { statusPatch } from '../status.ts';
import type { Clusters } from './target-cluster.ts';
import { readNodeOf } from './target-cluster.ts';

interface NodeOf {
  machine: ObjectReference;
  instance: Instance;
}

/**
 * The Node of a machine that has not joined yet was seen to go: both are read again before anything
 * is deleted. A refusal is not tried again here, as the creation timeout goes on meanwhile.
 */
export async function deleteWithNode(
  dependencies: ActivityDependencies,
  input: NodeOf,
): Promise<NodeDeletionOutcome> {
  try {
    return await readAgain(dependencies, input);
  } catch (error) {
    if (isRejected(error)) throw refused(error);
    if (!isUnreachable(error)) throw error;
    return { found: 'outOfReach', reason: error.message };
  }
}

async function readAgain(
  dependencies: ActivityDependencies,
  { machine, instance }: NodeOf,
): Promise<NodeDeletionOutcome> {
  const { control, target } = dependencies;
  const current = await readMachine(control, machine);
  if (!target || current?.metadata.uid !== machine.uid) return { found: 'nothing' };
  if (current.metadata.deletionTimestamp !== undefined) return { found: 'deleting' };
  const node = await ownNode({ ...dependencies, target }, { machine, ...instance });
  const isKept = node
    ? node.metadata.deletionTimestamp === undefined
    : await isMassDisappearance(dependencies);
  if (isKept) return { found: 'nothing' };
  const refusal = await deleteMachine(dependencies, current);
  if (!refusal) return { found: 'deleting' };
  await recordRefusal(dependencies, current, formatRefusal(refusal));
  throw refusal;
}

export async function ownNode(clusters: Clusters, claim: NodeClaim): Promise<Node | undefined> {
  const node = await readNodeOf(clusters, claim);
  return node && isSameInstance(node.spec?.providerID, claim.providerID) ? node : undefined;
}

/** Returns what the API server says when it refuses, so that other work on the machine goes on. */
export async function deleteMachine(
  dependencies: ActivityDependencies,
  machine: Machine,
): Promise<KubeError | undefined> {
  const reference = referenceOf(machine);
  const { namespace, name, uid } = reference;
  const subject = machineSubject(reference);
  await requireActiveWatcher(dependencies, subject);
  const path = customResource('machines', namespace, name);
  try {
    await ignoreConflict(dependencies.control.delete(path, { preconditions: { uid } }));
  } catch (error) {
    if (isRejected(error)) return error;
    throw error;
  }
  recordEvent(dependencies.control, subject, {
    type: 'Normal',
    reason: 'NodeDeleted',
    message: `The Node of machine ${name} was deleted: deleting the machine`,
    component,
  });
  return undefined;
}

export function formatRefusal({ message }: KubeError): string {
  return `its Node was deleted, but the API server refused to delete the machine: ${message}`;
}

/** Said once for each text. */
async function recordRefusal(
  { control }: ActivityDependencies,
  machine: Machine,
  words: string,
): Promise<void> {
  const description = `Machine ${machine.metadata.name}: ${words}`;
  const written = await patchStatus(control, machine, (now) => {
    const { description: known, type = 'Create' } = now.status?.lastOperation ?? {};
    if (isDeleting(now) || known === description) return undefined;
    const operation = { description, state: 'Processing', type } as const;
    return statusPatch({ operation, errorCode: 'keep' });
  });
  if (!written) return;
  const event = { type: 'Warning', reason: 'FailedDelete', message: description } as const;
  recordEvent(control, machineSubject(referenceOf(machine)), { ...event, component });
}
