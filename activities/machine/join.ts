/** A Machine's Node is Ready: the Node gets what the Machine says of it, the Machine is Running. */
import type { JoinOutcome, JoinRequest, NodeTemplate } from '../../workflows/activities.ts';
import { annotations, finalizers, labels } from '../../workflows/api/constants.ts';
import type { Taint } from '../../workflows/api/machine.ts';
import { defined } from '../../workflows/plan/defined.ts';
import { deleteBootstrapToken } from '../bootstrap-token.ts';
import type { KubeClient } from '../kube/client.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { node as nodePath } from '../kube/paths.ts';
import type { World } from '../world.ts';
import type { Node } from './node.ts';
import { obstacleOf } from './node.ts';
import { patchMachine, timestamp } from './object.ts';

export async function recordJoined(world: World, request: JoinRequest): Promise<JoinOutcome> {
  const { control, target } = world;
  const { machine, bootstrapTokenId } = request;
  if (!target) return { hasJoined: false, reason: 'there is no target cluster' };
  const node = await equipNode(target, request);
  const obstacle = obstacleOf(node, request.nodeConditions ?? world.defaults.nodeConditions);
  if (!node || obstacle !== undefined) return { hasJoined: false, reason: obstacle ?? 'gone' };
  await patchMachine(control, machine, { status: runningStatusOf(request, node) });
  if (bootstrapTokenId !== undefined) {
    await deleteBootstrapToken(target, bootstrapTokenId, machine);
  }
  return { hasJoined: true };
}

function runningStatusOf({ machine, isFirstJoin }: JoinRequest, node: Node): object {
  const now = timestamp();
  return {
    conditions: node.status?.conditions ?? [],
    currentStatus: { phase: 'Running', timeoutActive: null, lastUpdateTime: now },
    lastOperation: {
      description: `Machine ${machine.name} successfully ${isFirstJoin ? 'joined' : 're-joined'} the cluster`,
      errorCode: null,
      state: 'Successful',
      type: isFirstJoin ? 'Create' : 'HealthCheck',
      lastUpdateTime: now,
    },
  };
}

/**
 * One write: finalizer, machine name, labels and annotations of the template. In a strategic patch finalizers merge, so
 * those of others stay. Undefined when the Node that was seen is gone.
 */
async function equipNode(
  target: KubeClient,
  { machine, node: { name, uid }, nodeTemplate = {} }: JoinRequest,
): Promise<Node | undefined> {
  try {
    const node = await target.patch<Node>(nodePath(name), 'strategic', {
      metadata: {
        uid,
        finalizers: [finalizers.node],
        labels: { ...nodeTemplate.labels, [labels.machineName]: machine.name },
        annotations: {
          ...nodeTemplate.annotations,
          [annotations.lastAppliedNodeTemplate]: lastAppliedOf(nodeTemplate),
        },
      },
    });
    return await taintNode(target, node, nodeTemplate.taints ?? []);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    // Another Node took the name.
    if (isConflict(error) && error.message.includes('UID')) return undefined;
    throw error;
  }
}

/** Byte for byte as MCM v0.62.1 writes it, so that after a change of the controller nothing looks edited. */
function lastAppliedOf({ labels: nodeLabels, annotations: notes, taints }: NodeTemplate): string {
  const ordered = taints?.map(({ key, value, effect, timeAdded }) =>
    defined({ key, value, effect, timeAdded }),
  );
  return JSON.stringify({
    metadata: { labels: nodeLabels, annotations: notes },
    spec: { taints: ordered },
  });
}

/** Taints are one atomic list of many writers, so the write holds only for the list that was read. */
async function taintNode(target: KubeClient, node: Node, wanted: Taint[]): Promise<Node> {
  const present = node.spec?.taints ?? [];
  const missing = wanted.filter((taint) => !present.some((other) => isSameTaint(taint, other)));
  if (missing.length === 0) return node;
  const { name, resourceVersion } = node.metadata;
  const kept = present.filter(
    (taint) => !missing.some(({ key, effect }) => key === taint.key && effect === taint.effect),
  );
  return await target.patch<Node>(nodePath(name), 'merge', {
    metadata: { resourceVersion },
    spec: { taints: [...kept, ...missing] },
  });
}

function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect && (a.value ?? '') === (b.value ?? '');
}
