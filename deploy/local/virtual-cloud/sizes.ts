/**
 * Resources of a Node by the size of its machine, as `status.capacity` and `status.allocatable`.
 */
export const sizes = {
  small: { cpu: '2', memory: '4Gi', 'ephemeral-storage': '20Gi', pods: '110' },
  medium: { cpu: '4', memory: '16Gi', 'ephemeral-storage': '50Gi', pods: '110' },
  large: { cpu: '16', memory: '64Gi', 'ephemeral-storage': '100Gi', pods: '250' },
} as const;

export type Size = keyof typeof sizes;

export const sizeNames: readonly Size[] = ['small', 'medium', 'large'];
