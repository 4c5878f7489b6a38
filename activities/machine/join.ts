/** A Machine's Node is Ready: the Node gets what the Machine says of it, the Machine is Running. */
import type { JoinOutcome, JoinRequest } from '../../workflows/contracts/node-activities.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { defined } from '../../workflows/values/defined.ts';
import { deleteBootstrapToken } from './bootstrap-token.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { KubeError } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { contestOf, reportContest } from './node/claims.ts';
import { freshOf, syncOutcomeOf, updateNode } from './node/sync.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { obstacleOf } from './node/observed.ts';
import { component, isDeleting, machineSubject, patchStatus, readSameMachine } from './object.ts';
import { nodeConditionsOf } from './conditions.ts';
import { phaseOf } from './prepared.ts';
import { detailsOf } from './record.ts';
import { nodeRefOf, statusPatch } from './status.ts';
import { recordTargetCluster } from './node/target-cluster.ts';

export async function recordJoined(
  dependencies: ActivityDependencies,
  request: JoinRequest,
): Promise<JoinOutcome> {
  const { control, target } = dependencies;
  const { machine, node: seen, providerID, className, nodeTemplate, bootstrapTokenId } = request;
  if (!target) return { hasJoined: false, reason: 'there is no target cluster' };
  const claim = defined({ machine, nodeName: seen.name, providerID });
  const found: { contest?: string | undefined } = {};
  const isMeant = async (node: Node): Promise<boolean> => {
    if (node.metadata.uid !== seen.uid) return false;
    found.contest = await contestOf(control, node, claim);
    return found.contest === undefined;
  };
  const fresh = request.isEquipped ? {} : freshOf(seen.uid, providerID);
  const equipment = defined({ className, nodeTemplate, applied: request.applied });
  const node = await updateNode(
    { ...dependencies, target },
    { machine, nodeName: seen.name, isMeant, ...equipment, ...fresh },
  );
  if (found.contest !== undefined) {
    const reason = await reportContest(control, machine, found.contest);
    return { hasJoined: false, reason, isContested: true };
  }
  const obstacle = obstacleOf(node, request.nodeConditions ?? dependencies.defaults.nodeConditions);
  if (!node || obstacle !== undefined) return { hasJoined: false, reason: obstacle ?? 'gone' };
  const description = `Machine ${machine.name} successfully joined the cluster`;
  const { created } = request;
  const made = created ? `, with instance ${created.providerID}` : '';
  const joined = await writeRunning(dependencies, machine, (now) => ({
    ...(created && detailsOf(now, created, dependencies)),
    ...runningStatusOf(node, description),
  }));
  await recordTargetCluster(dependencies, { machine: joined, node });
  recordEvent(control, machineSubject(machine), {
    type: 'Normal',
    reason: 'Joined',
    message: `${description} as Node ${seen.name}${made}`,
    component,
  });
  if (bootstrapTokenId !== undefined)
    await dropToken({ control, target }, request, bootstrapTokenId);
  return { hasJoined: true, ...syncOutcomeOf(node, nodeTemplate) };
}

/** A token that cannot be deleted does not undo the join. */
async function dropToken(
  { control, target }: { control: KubeClient; target: KubeClient },
  { machine }: JoinRequest,
  id: string,
): Promise<void> {
  try {
    await deleteBootstrapToken(target, id, machine);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    recordEvent(control, machineSubject(machine), {
      type: 'Warning',
      reason: 'FailedUpdate',
      message: `The bootstrap token ${id} ends by itself, as it could not be deleted: ${error.message}`,
      component,
    });
  }
}

/**
 * Not by an attempt that was taken for dead, on a machine that is being deleted by then. Fails when
 * the phase is another one by now: a check may have found the machine ill since.
 */
async function writeRunning(
  { control, memory }: ActivityDependencies,
  machine: ObjectReference,
  joinedStatusOf: (now: Machine) => object,
): Promise<Machine | undefined> {
  const seen = memory.written.take(machine) ?? (await readSameMachine(control, machine));
  if (!seen) return undefined;
  const statusOf = (now: Machine) => {
    if (isDeleting(now)) return undefined;
    if (phaseOf(now) === phaseOf(seen)) return joinedStatusOf(now);
    throw new Error(`Machine ${machine.name} changed while it joined`);
  };
  return await patchStatus(control, seen, statusOf);
}

function runningStatusOf(node: Node, description: string): object {
  return {
    conditions: nodeConditionsOf(node),
    nodeRef: nodeRefOf(node),
    ...statusPatch({
      phase: 'Running',
      operation: { description, state: 'Successful', type: 'Create' },
      errorCode: null,
    }),
  };
}
