/** What may go to Temporal: JSON reads it back as it was, and every number is one. */

/** Paths of what is not sound, e.g. `facts.sets.0.replicas: NaN`. */
export function unsoundParts(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [`${path}: ${value}`];
  if (typeof value === 'bigint' || typeof value === 'function') return [`${path}: ${typeof value}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    unsoundParts(part, path === '' ? key : `${path}.${key}`),
  );
}

/** Counts that are below zero, by the names that counts have. */
export function negativeCounts(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const here = path === '' ? key : `${path}.${key}`;
    const isCount = countNames.test(key) && typeof part === 'number';
    if (isCount) return part < 0 ? [`${here}: ${part}`] : [];
    return negativeCounts(part, here);
  });
}

const countNames =
  /^(replicas|.*Replicas|reported|maxSurge|maxUnavailable|historyLimit|total|present|createGeneration|maxEvictRetries|revision|canary|replacementBudget)$/;
