/**
 * `providerSpec` of a MachineClass with `provider: virtual`. Every field has a default: `{}` is
 * enough.
 */
import type { Taint } from '../../../workflows/api/machine.ts';

export const sizes = ['small', 'medium', 'large'] as const;

export interface VirtualProviderSpec {
  /** Lower-case letters, digits and dashes. Default `a`. */
  zone: string;
  /** 2 CPUs and 4 GiB, 4 and 16, 16 and 64. Default `small`. */
  size: (typeof sizes)[number];
  /** On the Node, from its registration on. */
  labels: Record<string, string>;
  annotations: Record<string, string>;
  taints: Taint[];
  /** On the instance. */
  tags: Record<string, string>;
  /** The instance counts as uninitialized until it is initialized. Default false. */
  needsInitialization: boolean;
}

/** A validated spec with its defaults. */
export function withDefaults(spec: unknown): VirtualProviderSpec {
  const { zone, size, labels, annotations, taints, tags, needsInitialization } = (spec ??
    {}) as Partial<VirtualProviderSpec>;
  return {
    zone: zone ?? 'a',
    size: size ?? 'small',
    labels: labels ?? {},
    annotations: annotations ?? {},
    taints: taints ?? [],
    tags: tags ?? {},
    needsInitialization: needsInitialization ?? false,
  };
}
