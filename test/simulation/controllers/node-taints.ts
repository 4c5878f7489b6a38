/** The taints that controllers put on Nodes, and which pods they concern. */
import { conditionOf } from './objects.ts';
import type { NodeObject, PodObject, Taint, Toleration } from './objects.ts';

export const notReadyKey = 'node.kubernetes.io/not-ready';
export const unreachableKey = 'node.kubernetes.io/unreachable';
export const unschedulableKey = 'node.kubernetes.io/unschedulable';

/** Seconds that a pod stays on a Node that is not ready, where it says nothing else. */
export const defaultTolerationSeconds = 300;

const pressures: Readonly<Record<string, string>> = {
  MemoryPressure: 'node.kubernetes.io/memory-pressure',
  DiskPressure: 'node.kubernetes.io/disk-pressure',
  PIDPressure: 'node.kubernetes.io/pid-pressure',
  NetworkUnavailable: 'node.kubernetes.io/network-unavailable',
};

const ownKeys = new Set([
  notReadyKey,
  unreachableKey,
  unschedulableKey,
  ...Object.values(pressures),
]);

/** Keys of the taints `NoSchedule` that a Node has by its conditions. */
export function keysByConditions(node: NodeObject): Set<string> {
  const keys = Object.entries(pressures)
    .filter(([type]) => conditionOf(node, type) === 'True')
    .map(([, key]) => key);
  const key = sicknessOf(node);
  if (key !== undefined) keys.push(key);
  if (node.spec?.unschedulable === true) keys.push(unschedulableKey);
  return new Set(keys);
}

/** Undefined for a Node that is ready. */
export function sicknessOf(node: NodeObject): string | undefined {
  const ready = conditionOf(node, 'Ready');
  if (ready === 'True') return undefined;
  return ready === 'Unknown' ? unreachableKey : notReadyKey;
}

interface Wanted {
  effect: 'NoSchedule' | 'NoExecute';
  keys: ReadonlySet<string>;
  timeAdded: string;
}

/** Undefined where these are its taints already; those of others stay. */
export function taintsWith(
  node: NodeObject,
  { effect, keys, timeAdded }: Wanted,
): Taint[] | undefined {
  const present = node.spec?.taints ?? [];
  const isOurs = (taint: Taint): boolean => taint.effect === effect && ownKeys.has(taint.key);
  const has = new Set(present.filter(isOurs).map(({ key }) => key));
  const added = [...keys].filter((key) => !has.has(key));
  const kept = present.filter((taint) => !isOurs(taint) || keys.has(taint.key));
  if (added.length === 0 && kept.length === present.length) return undefined;
  return [...kept, ...added.map((key) => ({ key, effect, timeAdded }))];
}

function isTolerated(taint: Taint, toleration: Toleration): boolean {
  const { key, operator, value = '', effect } = toleration;
  if (effect && effect !== taint.effect) return false;
  if (operator === 'Exists') return !key || key === taint.key;
  return key === taint.key && value === (taint.value ?? '');
}

/** Whether the scheduler may put the pod there. */
export function fits({ spec = {} }: PodObject, node: NodeObject): boolean {
  const { tolerations = [], nodeSelector = {} } = spec;
  const labels = node.metadata.labels ?? {};
  const hard = (node.spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  if (node.spec?.unschedulable === true) hard.push({ key: unschedulableKey, effect: 'NoSchedule' });
  return (
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
    hard.every((taint) => tolerations.some((toleration) => isTolerated(taint, toleration)))
  );
}

/** How long the pod may stay under the taints `NoExecute`, seconds; `Infinity`: for ever. */
export function stayOf({ spec = {} }: PodObject, taints: readonly Taint[]): number {
  const stays = taints
    .filter(({ effect }) => effect === 'NoExecute')
    .map((taint) => stayUnder(taint, spec.tolerations ?? []));
  return Math.min(Infinity, ...stays);
}

function stayUnder(taint: Taint, tolerations: readonly Toleration[]): number {
  const found = tolerations.filter((toleration) => isTolerated(taint, toleration));
  if (found.length > 0) {
    const seconds = found.map(({ tolerationSeconds = Infinity }) => tolerationSeconds);
    return Math.max(0, Math.min(...seconds));
  }
  // A real API server adds this toleration to each pod that has none.
  const isOfSickness = taint.key === notReadyKey || taint.key === unreachableKey;
  return isOfSickness ? defaultTolerationSeconds : 0;
}
