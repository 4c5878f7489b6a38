/** Registers the machines' Nodes in a cluster. `kubelets/` plays their kubelets. */
import type { Instance, NodeConditionFault } from './instance.ts';
import type { KubeAnswer, KubeApi, KubeBody, KubeCall } from './kube-api.ts';
import { backOff, persistently } from './kube-persistence.ts';
import { nodeOf, notReady, stopped } from './node-object.ts';
import type { NodeRegistry, RegistrationWatch } from './nodes.ts';

export const nodePath = (name: string): string => `/api/v1/nodes/${encodeURIComponent(name)}`;

export const strategic = 'application/strategic-merge-patch+json';

export function createKubeNodes(api: KubeApi): NodeRegistry {
  return {
    register: (instance, watch) => register(api, instance, watch),
    async sicken(instance, condition, signal) {
      await patchStatus(api, { instance, signal, ...sicknessOf(condition) });
    },
    stop: (instance, signal) => stop(api, instance, signal),
    close: () => api.close(),
  };
}

async function register(
  api: KubeApi,
  instance: Instance,
  { signal, onRefused }: RegistrationWatch,
): Promise<string> {
  const request: KubeCall = { method: 'POST', path: '/api/v1/nodes', body: nodeOf(instance) };
  let refused = '';
  for (let attempt = 1; ; attempt += 1) {
    const answer = await persistently(api, request, signal);
    if (answer.status === 201) return uidOf(answer.body);
    // A POST whose answer was lost, by this process or the one before it.
    const own = answer.status === 409 ? await findNode(api, instance, signal) : undefined;
    if (own !== undefined) return uidOf(own);
    const message = `${answer.status} ${messageOf(answer)}`;
    if (message !== refused) onRefused(message);
    refused = message;
    await backOff(attempt, signal);
  }
}

/** This machine's Node; undefined when there is none or another machine has the name. */
async function findNode(
  api: KubeApi,
  { name, providerID }: Instance,
  signal: AbortSignal,
): Promise<KubeBody | undefined> {
  const { status, body } = await persistently(api, { method: 'GET', path: nodePath(name) }, signal);
  return status === 200 && body.spec?.providerID === providerID ? body : undefined;
}

interface StatusPatch {
  instance: Instance;
  annotations: Record<string, string>;
  conditions: object[];
  signal: AbortSignal;
}

/**
 * The UID makes it hold for this machine's Node only; conditions of others stay, as they are merged
 * by type.
 */
async function patchStatus(api: KubeApi, patch: StatusPatch): Promise<void> {
  const { instance, annotations, conditions, signal } = patch;
  const body = { metadata: { uid: instance.nodeUid, annotations }, status: { conditions } };
  const path = `${nodePath(instance.name)}/status`;
  const answer = await persistently(
    api,
    { method: 'PATCH', path, body, contentType: strategic },
    signal,
  );
  if ([200, 404, 409].includes(answer.status)) return;
  throw new Error(`PATCH ${path}: ${answer.status} ${messageOf(answer)}`);
}

function sicknessOf(
  condition: NodeConditionFault,
): Pick<StatusPatch, 'annotations' | 'conditions'> {
  const now = new Date().toISOString();
  return {
    annotations: condition.type === 'Ready' ? notReady : {},
    conditions: [{ ...condition, lastHeartbeatTime: now, lastTransitionTime: now }],
  };
}

/** Writes, without the wait, what the node controller writes when a kubelet has not reported. */
async function stop(api: KubeApi, instance: Instance, signal: AbortSignal): Promise<void> {
  // Deleted while it booted: the Node may be there all the same.
  const nodeUid = instance.nodeUid ?? (await findNode(api, instance, signal))?.metadata?.uid;
  if (nodeUid === undefined) return;
  const condition = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: new Date().toISOString(),
  };
  await patchStatus(api, {
    instance: { ...instance, nodeUid },
    annotations: stopped,
    conditions: [condition],
    signal,
  });
}

function uidOf({ metadata }: KubeBody): string {
  const uid = metadata?.uid;
  if (uid === undefined) throw new Error('The API server answered with a Node that has no UID.');
  return uid;
}

function messageOf({ body }: KubeAnswer): string {
  return body.message ?? '';
}
