/** Terms of the watcher are numbered by the seconds since 2020 at which they began, at least. */

const secondsUntil2020 = 1_577_836_800;

/** `now`: milliseconds since 1970. */
export function epochAt(now: number): number {
  return Math.floor(now / 1_000) - secondsUntil2020;
}
