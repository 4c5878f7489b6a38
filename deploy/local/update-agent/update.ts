/** The work of the agent on one Node. Everything can be done again, by another process as well. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { ignoreConflict, ignoreNotFound } from '../../../kube/client/ignore.ts';
import { namespaced, node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import type { UpdateResult } from '../../../workflows/api/in-place.ts';
import { persistently } from '../virtual-cloud/kube-client.ts';
import { notReady } from '../virtual-cloud/node-object.ts';
import type { AgentTurn } from './turn.ts';

export interface AgentWorld {
  client: KubeClient;
  log: (message: string) => void;
  /** Aborted when the turn is over. */
  signal: AbortSignal;
}

/** Takes its time, and answers by labels of the Node. */
export async function update(node: Node, turn: AgentTurn, world: AgentWorld): Promise<void> {
  const { name } = node.metadata;
  const { behaviour, answer } = turn;
  const { dies, workMs, rebootMs, deletesPods } = behaviour;
  const { log, signal } = world;
  log(`${name}: begins`);
  if (dies) {
    await sleep(workMs / 2, undefined, { signal });
    log(`${name}: dies, and begins anew`);
  }
  await sleep(workMs / 2, undefined, { signal });
  if (rebootMs > 0) await reboot(node, rebootMs, world);
  await sleep(workMs / 2, undefined, { signal });
  if (answer === undefined) return log(`${name}: never answers`);
  if (deletesPods) await deletePods(name, world);
  log(`${name}: answers ${answer}`);
  await patchNode(node, marksOf(answer, behaviour.failedReason), world);
}

/** A kubelet of the virtual cloud says what it is told to. */
async function reboot(node: Node, rebootMs: number, world: AgentWorld): Promise<void> {
  const { log, signal } = world;
  const { name } = node.metadata;
  log(`${name}: reboots`);
  await patchNode(node, { annotations: notReady }, world);
  try {
    await sleep(rebootMs, undefined, { signal });
  } finally {
    // It comes back also when the turn is over meanwhile.
    const gone = Object.fromEntries(Object.keys(notReady).map((key) => [key, null]));
    const patience = AbortSignal.timeout(comesBackWithinMs);
    await patchNode(node, { annotations: gone }, { ...world, signal: patience });
  }
}

const comesBackWithinMs = 60_000;

/** All of them, those of DaemonSets as well. */
async function deletePods(nodeName: string, { client, signal }: AgentWorld): Promise<void> {
  const query = { fieldSelector: `spec.nodeName=${nodeName}` };
  const { items } = await persistently(
    () => client.list<KubeObject>('/api/v1/pods', query),
    signal,
  );
  for (const { metadata } of items) {
    const path = namespaced('pods', metadata.namespace ?? '', metadata.name);
    const body = { preconditions: { uid: metadata.uid } };
    const end = (): Promise<unknown> => ignoreNotFound(ignoreConflict(client.delete(path, body)));
    await persistently(end, signal);
  }
}

interface Marks {
  labels?: Record<string, string>;
  annotations: Record<string, string | null>;
}

function marksOf(answer: UpdateResult, failedReason: string): Marks {
  const reason = answer === 'failed' ? failedReason : null;
  return {
    labels: { [labels.updateResult]: answer },
    annotations: { [annotations.updateFailedReason]: reason },
  };
}

/** One that is gone, or another one by now, has no agent any more. */
async function patchNode(node: Node, marks: Marks, world: AgentWorld): Promise<void> {
  const { name, uid } = node.metadata;
  const body = { metadata: { uid, ...marks } };
  const patch = (): Promise<unknown> =>
    ignoreConflict(world.client.patch(nodePath(name), 'merge', body));
  await persistently(patch, world.signal);
}
