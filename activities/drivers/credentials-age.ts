/** When credentials that a cloud refuses are fetched anew. */

/** Younger ones would be refused again, and the place that they come from be asked at each call. */
const youngestSeconds = 60;

/** @param ageMs Since these credentials, or the client that keeps them, were made. */
export function isWorthRenewal(ageMs: number): boolean {
  return ageMs >= youngestSeconds * 1_000;
}
