/**
 * One pass of a drain: cordon, evict what may be evicted, wait a little for pods that really terminate.
 *
 * A pass that cannot finish fails as benign and is tried again by Temporal, which writes no history; the failure's message
 * says what is in the way. A pass holds no state: the pods that are left are read anew.
 */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DrainOutcome, DrainRequest } from '../../workflows/activities.ts';
import type { KubeClient } from '../kube/client.ts';
import { isNotFound, isTooManyRequests } from '../kube/errors.ts';
import { namespaced, node as nodePath } from '../kube/paths.ts';
import type { Node } from '../machine/node.ts';
import { orUndefined } from '../kube/optional.ts';
import type { Pod } from './pods.ts';
import { mustLeave, podKey } from './pods.ts';

/** While pods really terminate, a pass stays and watches; longer waits are left to the retry. */
const passMilliseconds = 15_000;
const pollMilliseconds = 500;

export interface DrainContext {
  target: KubeClient;
  /** Of the activity: a drain is cancelled to change its mode. */
  signal: AbortSignal;
}

export async function drainNode(
  context: DrainContext,
  request: DrainRequest,
): Promise<DrainOutcome> {
  const { target } = context;
  const isForced = request.isForced || Date.now() >= request.deadline;
  if (!(await cordon(target, request.nodeName))) return { evictedPods: 0, isForced };
  const evicted = new Set<string>();
  const passEnd = Date.now() + passMilliseconds;
  for (;;) {
    const pods = await podsOn(target, request.nodeName);
    if (pods.length === 0) return { evictedPods: evicted.size, isForced };
    const blocked = await removeAll(target, pods, { isForced, evicted });
    if (blocked.length > 0 || Date.now() >= passEnd) throw stillThere(pods, blocked);
    await sleep(pollMilliseconds, undefined, { signal: context.signal });
  }
}

/** False when the Node is gone: there is nothing left to drain. */
async function cordon(target: KubeClient, name: string): Promise<boolean> {
  const patch = { spec: { unschedulable: true } };
  return (await orUndefined(target.patch<Node>(nodePath(name), 'merge', patch))) !== undefined;
}

async function podsOn(target: KubeClient, nodeName: string): Promise<Pod[]> {
  const { items } = await target.list<Pod>('/api/v1/pods', {
    fieldSelector: `spec.nodeName=${nodeName}`,
  });
  return items.filter(mustLeave);
}

interface Removal {
  isForced: boolean;
  evicted: Set<string>;
}

/** Returns what stands in the way, in words; pods that are going already are left alone. */
async function removeAll(target: KubeClient, pods: Pod[], removal: Removal): Promise<string[]> {
  const outcomes = await Promise.all(
    pods
      .filter((pod) => removal.isForced || pod.metadata.deletionTimestamp === undefined)
      .map((pod) => (removal.isForced ? forceDelete(target, pod) : evict(target, pod, removal))),
  );
  return outcomes.filter((outcome) => outcome !== undefined);
}

async function evict(
  target: KubeClient,
  pod: Pod,
  { evicted }: Removal,
): Promise<string | undefined> {
  const { name, namespace = '', uid } = pod.metadata;
  try {
    await target.create(`${namespaced('pods', namespace, name)}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: { preconditions: { uid } },
    });
    evicted.add(podKey(pod));
    return undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (!isTooManyRequests(error)) throw error;
    const cause = error.details.causes?.[0]?.message ?? error.message;
    return `${podKey(pod)}: ${cause}`;
  }
}

async function forceDelete(target: KubeClient, pod: Pod): Promise<undefined> {
  const { name, namespace = '', uid } = pod.metadata;
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  try {
    await target.delete(namespaced('pods', namespace, name), options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

const namedPodsMax = 5;

function stillThere(pods: Pod[], blocked: string[]): ApplicationFailure {
  const names = pods.slice(0, namedPodsMax).map(podKey).join(', ');
  const rest = pods.length > namedPodsMax ? ` and ${pods.length - namedPodsMax} more` : '';
  const obstacle = blocked.length > 0 ? `; ${blocked.slice(0, namedPodsMax).join('; ')}` : '';
  const failure = ApplicationFailure.create({
    type: blocked.length > 0 ? 'DrainBlocked' : 'Draining',
    message: `${pods.length} ${pods.length === 1 ? 'pod' : 'pods'} left: ${names}${rest}${obstacle}`,
    category: ApplicationFailureCategory.BENIGN,
    ...(blocked.length === 0 && { nextRetryDelay: '1s' }),
  });
  // The Temporal UI shows it in large; it would tell nothing.
  failure.stack = '';
  return failure;
}
