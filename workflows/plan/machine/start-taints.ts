/** Taints that keep pods away from a Node until an agent on it is ready and takes them off. */
import type { Taint } from '../../api/machine.ts';

/**
 * The first is the custom of drivers for networks and volumes; the others are those of Kubernetes,
 * of its autoscaler and its readiness controller, and of Gardener.
 */
const startKeys = [
  /\/agent-not-ready$/,
  /^node\.cloudprovider\.kubernetes\.io\/uninitialized$/,
  /^(?:startup|ignore)-taint\.cluster-autoscaler\.kubernetes\.io\//,
  /^readiness\.k8s\.io\//,
  /^node\.gardener\.cloud\/critical-components-not-ready$/,
];

const isOfStart = ({ key }: Taint): boolean => startKeys.some((pattern) => pattern.test(key));

export const withoutStartTaints = (taints: readonly Taint[] = []): Taint[] =>
  taints.filter((taint) => !isOfStart(taint));

/** Without those that were put on before and are gone: put back, one could empty a healthy Node. */
export function dueTaints(
  wanted: readonly Taint[] = [],
  { present = [], last = [] }: Record<'present' | 'last', readonly Taint[] | undefined>,
): Taint[] {
  const [there, before] = [present, last].map((taints) => new Set(taints.map(idOf)));
  return wanted.filter(
    (taint) => !isOfStart(taint) || there?.has(idOf(taint)) || !before?.has(idOf(taint)),
  );
}

/** A taint is known by these. */
export const idOf = ({ key, effect }: Taint): string => JSON.stringify([key, effect]);
