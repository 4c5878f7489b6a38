/**
 * resourceVersions are decimal numbers without leading zeros, comparable within one cluster
 * (KEP-5504).
 */

export function isNewer(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}

export const olderOf = (a: string, b: string): string => (isNewer(a, b) ? b : a);

/** The last one before `version`. */
export const before = (version: string): string => String(BigInt(version) - 1n);
