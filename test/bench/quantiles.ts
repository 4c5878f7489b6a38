export interface Quantiles {
  p50: number;
  p95: number;
  max: number;
}

/** Zeros of no values. */
export function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}
