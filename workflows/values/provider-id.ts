/**
 * Do two providerIDs name one instance? A Node may say the zone where the Machine says the region
 * (`aws:///eu-west-1b/i-1`, `aws:///eu-west-1/i-1`), so only the last part counts. An empty one
 * fits any: MCM v0.62.1 goes by names alone.
 */
export function isSameInstance(a: string | undefined, b: string | undefined): boolean {
  if (!a || !b) return true;
  return lastPartOf(a) === lastPartOf(b);
}

/**
 * The part of an ID that distinguishes the instances of a cloud, in lower case: no cloud has two
 * that differ in their case alone, and Azure answers with another case than it was asked in.
 */
export function lastPartOf(providerID: string): string {
  return providerID.slice(providerID.lastIndexOf('/') + 1).toLowerCase();
}
