/** Registers the machines' Nodes in a cluster. kwok plays their kubelets. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance, NodeConditionFault } from './instance.ts';
import type { KubeAnswer, KubeApi, KubeBody, KubeCall } from './kube-api.ts';
import { backOff, persistently } from './kube-persistence.ts';
import { nodeOf, notReady, stopped } from './node-object.ts';
import type { NodeRegistry, RegistrationWatch } from './nodes.ts';

const nodePath = (name: string): string => `/api/v1/nodes/${encodeURIComponent(name)}`;
const leasePath = (name: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${encodeURIComponent(name)}`;

const strategic = 'application/strategic-merge-patch+json';
const merge = 'application/merge-patch+json';

export interface KubeNodesOptions {
  /**
   * From the stop of a Node to the second look at it. Default 2000: the operator, which deletes the
   * Nodes of machines that it deletes, goes first.
   */
  secondLookMilliseconds?: number;
}

export function createKubeNodes(api: KubeApi, options: KubeNodesOptions = {}): NodeRegistry {
  const { secondLookMilliseconds = 2_000 } = options;
  return {
    register: (instance, watch) => register(api, instance, watch),
    async sicken(instance, condition, signal) {
      await patchStatus(api, { instance, signal, ...sicknessOf(condition) });
    },
    async stop(instance, signal) {
      const own = await stop(api, instance, signal);
      if (!own) return;
      await sleep(secondLookMilliseconds, undefined, { signal });
      await stopForGood(api, own, signal);
    },
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
 * by type. Returns whether that Node is there.
 */
async function patchStatus(api: KubeApi, patch: StatusPatch): Promise<boolean> {
  const { instance, annotations, conditions, signal } = patch;
  const body = { metadata: { uid: instance.nodeUid, annotations }, status: { conditions } };
  const path = `${nodePath(instance.name)}/status`;
  const answer = await persistently(
    api,
    { method: 'PATCH', path, body, contentType: strategic },
    signal,
  );
  if ([200, 404, 409].includes(answer.status)) return answer.status === 200;
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

/** The machine with its Node, if that was there to be stopped. */
async function stop(
  api: KubeApi,
  instance: Instance,
  signal: AbortSignal,
): Promise<Instance | undefined> {
  const { nodeUid } = instance;
  // Deleted while it booted: the Node may be there all the same.
  const found = nodeUid === undefined ? await findNode(api, instance, signal) : undefined;
  const own = { ...instance, ...(found && { nodeUid: uidOf(found) }) };
  return own.nodeUid !== undefined && (await silence(api, own, signal)) ? own : undefined;
}

async function stopForGood(api: KubeApi, own: Instance, signal: AbortSignal): Promise<void> {
  // By now the Node may be deleted, or the name another machine's.
  const left = await findNode(api, own, signal);
  if (left === undefined) return;
  // kwok may have been about to make it ready when the annotation came.
  if (isReady(left)) await silence(api, own, signal);
  await takeLease(api, own, signal);
}

/** What the node controller writes of a kubelet that it has not heard from, without the wait. */
function silence(api: KubeApi, instance: Instance, signal: AbortSignal): Promise<boolean> {
  const condition = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: new Date().toISOString(),
  };
  return patchStatus(api, { instance, signal, annotations: stopped, conditions: [condition] });
}

function isReady({ status }: KubeBody): boolean {
  return (
    status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ??
    false
  );
}

/**
 * kwok renews the Lease of a Node that it once adopted, and ends its pods, until another client
 * holds the Lease. Pods of a dead machine have to hang.
 */
async function takeLease(api: KubeApi, { name }: Instance, signal: AbortSignal): Promise<void> {
  const path = leasePath(name);
  const body = { spec: { holderIdentity: 'virtual-cloud', leaseDurationSeconds: 315_360_000 } };
  const request: KubeCall = { method: 'PATCH', path, body, contentType: merge };
  const answer = await persistently(api, request, signal);
  if (answer.status === 200 || answer.status === 404) return;
  throw new Error(`PATCH ${path}: ${answer.status} ${messageOf(answer)}`);
}

function uidOf({ metadata }: KubeBody): string {
  const uid = metadata?.uid;
  if (uid === undefined) throw new Error('The API server answered with a Node that has no UID.');
  return uid;
}

function messageOf({ body }: KubeAnswer): string {
  return body.message ?? '';
}
