/** Registers the machines' Nodes in a cluster. kwok plays their kubelets. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance, NodeConditionFault } from './instance.ts';
import type { KubeAnswer, KubeApi, KubeCall } from './kube-api.ts';
import type { NodeRegistry, RegistrationWatch } from './nodes.ts';
import { sizes } from './sizes.ts';

/** kwok adopts Nodes that have this. */
const fakeKubelet = { 'kwok.x-k8s.io/node': 'fake' };
/** kwok leaves the Node not ready. */
const notReady = { 'virtual-cloud.millwright.dev/not-ready': 'true' };
/** kwok does not touch the Node any more. */
const stopped = { 'virtual-cloud.millwright.dev/stopped': 'true' };

const nodePath = (name: string): string => `/api/v1/nodes/${encodeURIComponent(name)}`;
const leasePath = (name: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${encodeURIComponent(name)}`;

const strategic = 'application/strategic-merge-patch+json';
const merge = 'application/merge-patch+json';

/** Long enough that the operator, which deletes the Node of a deleted machine, goes first. */
const leaseDelayMilliseconds = 2_000;

export function createKubeNodes(api: KubeApi): NodeRegistry {
  return {
    register: (instance, watch) => register(api, instance, watch),
    sicken: (instance, condition, signal) =>
      patchStatus(api, { instance, signal, ...sicknessOf(condition) }),
    async stop(instance, signal) {
      const nodeUid = instance.nodeUid ?? (await findNode(api, instance, signal));
      if (nodeUid === undefined) return;
      const annotations = stopped;
      const conditions = [silence()];
      await patchStatus(api, {
        instance: { ...instance, nodeUid },
        signal,
        annotations,
        conditions,
      });
      await takeLease(api, instance, signal);
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
  for (let attempt = 0; ; attempt += 1) {
    const answer = await persistently(api, request, signal);
    if (answer.status === 201) return uidOf(answer);
    // A POST whose answer was lost, by this process or the one before it.
    const own = answer.status === 409 ? await findNode(api, instance, signal) : undefined;
    if (own !== undefined) return own;
    const message = `${answer.status} ${messageOf(answer)}`;
    if (message !== refused) onRefused(message);
    refused = message;
    await backOff(attempt, signal);
  }
}

/** UID of this machine's Node; undefined when there is none or another machine has the name. */
async function findNode(
  api: KubeApi,
  { name, providerID }: Instance,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await persistently(api, { method: 'GET', path: nodePath(name) }, signal);
  if (answer.status !== 200) return undefined;
  return answer.body.spec?.providerID === providerID ? uidOf(answer) : undefined;
}

function nodeOf(instance: Instance): object {
  const { name, providerID, size, zone, labels, annotations, taints, fate, address } = instance;
  const capacity = sizes[size];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': size,
        'topology.kubernetes.io/region': 'local',
        'topology.kubernetes.io/zone': zone,
        ...labels,
      },
      annotations: { ...annotations, ...fakeKubelet, ...(fate.joinsNotReady && notReady) },
    },
    spec: { providerID, ...(taints.length > 0 && { taints }) },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
    },
  };
}

interface StatusPatch {
  instance: Instance;
  annotations: Record<string, string>;
  conditions: object[];
  signal: AbortSignal;
}

/** The UID makes it hold for this machine's Node only; conditions of others stay, as they are merged by type. */
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

/** What the node controller writes of a kubelet that it has not heard from, without the wait. */
function silence(): object {
  return {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: new Date().toISOString(),
  };
}

/**
 * kwok renews the Lease of a Node that it once adopted, and ends its pods, until somebody else holds the Lease. Pods of a
 * dead machine have to hang.
 */
async function takeLease(api: KubeApi, { name }: Instance, signal: AbortSignal): Promise<void> {
  await sleep(leaseDelayMilliseconds, undefined, { signal });
  const spec = { holderIdentity: 'virtual-cloud', leaseDurationSeconds: 315_360_000 };
  const request: KubeCall = { method: 'PATCH', path: leasePath(name), body: { spec } };
  const answer = await persistently(api, { ...request, contentType: merge }, signal);
  if (answer.status === 200 || answer.status === 404) return;
  throw new Error(`PATCH ${request.path}: ${answer.status} ${messageOf(answer)}`);
}

/** Tries until the API server answers something that is meant: also while it is away, starts, or is full. */
async function persistently(
  api: KubeApi,
  request: KubeCall,
  signal: AbortSignal,
): Promise<KubeAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const answer = await callOnce(api, request);
    if (answer && answer.status < 500 && answer.status !== 429) return answer;
    await backOff(attempt, signal);
  }
}

async function callOnce(api: KubeApi, request: KubeCall): Promise<KubeAnswer | undefined> {
  try {
    return await api.call(request);
  } catch {
    // No answer is what the loop around this is for.
    return undefined;
  }
}

/** 50 ms, doubled each time up to 3.2 s, and up to as much again at random. */
async function backOff(attempt: number, signal: AbortSignal): Promise<void> {
  const least = 50 * 2 ** Math.min(attempt, 6);
  await sleep(least * (1 + Math.random()), undefined, { signal });
}

function uidOf({ body }: KubeAnswer): string {
  const uid = body.metadata?.uid;
  if (uid === undefined) throw new Error('The API server answered with a Node that has no UID.');
  return uid;
}

function messageOf({ body }: KubeAnswer): string {
  return body.message ?? '';
}
