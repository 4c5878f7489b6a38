/** As in MCM, deleting a Node deletes its Machine. */
import type { ObjectReference } from '../../../workflows/contracts/references.ts';
import type { NodeDeletionOutcome } from '../../../workflows/contracts/node-activities.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { Instance } from '../../../workflows/plan/machine/facts.ts';
import { isSameInstance } from '../../../workflows/values/provider-id.ts';
import { isUnreachable } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { ignoreConflict } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { requireActiveWatcher } from '../../runtime/leader-gate.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';
import { isMassDisappearance } from '../meltdown.ts';
import type { NodeClaim } from './claims.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { component, machineSubject, readMachine } from '../object.ts';
import type { Clusters } from './target-cluster.ts';
import { readNodeOf } from './target-cluster.ts';

interface NodeOf {
  machine: ObjectReference;
  instance: Instance;
}

/**
 * The Node of a machine that has not joined yet was seen to go: both are read again before anything
 * is deleted.
 */
export async function deleteWithNode(
  dependencies: ActivityDependencies,
  input: NodeOf,
): Promise<NodeDeletionOutcome> {
  try {
    return await readAgain(dependencies, input);
  } catch (error) {
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
  await deleteMachine(dependencies, current);
  return { found: 'deleting' };
}

export async function ownNode(clusters: Clusters, claim: NodeClaim): Promise<Node | undefined> {
  const node = await readNodeOf(clusters, claim);
  return node && isSameInstance(node.spec?.providerID, claim.providerID) ? node : undefined;
}

export async function deleteMachine(
  dependencies: ActivityDependencies,
  machine: Machine,
): Promise<void> {
  const { name, namespace = '', uid } = machine.metadata;
  await requireActiveWatcher(dependencies, machineSubject({ name, namespace, uid }));
  const path = customResource('machines', namespace, name);
  await ignoreConflict(dependencies.control.delete(path, { preconditions: { uid } }));
  recordEvent(dependencies.control, machineSubject({ name, namespace, uid }), {
    type: 'Normal',
    reason: 'NodeDeleted',
    message: `The Node of machine ${name} was deleted: deleting the machine`,
    component,
  });
}
