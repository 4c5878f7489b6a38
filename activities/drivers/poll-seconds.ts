/**
 * After how many seconds a driver wants to be asked again about what its cloud works on. Each time
 * is a timer and an activity: two actions of Temporal Cloud (docs/temporal.md).
 */
export const pollSeconds = {
  /** A create is done in 5 to 20 s mostly, a deletion in a minute. */
  aws: 10,
  /** Where Azure does not say it. */
  azure: 10,
  /** Most operations take 10 to 90 s, and are young for half a minute. */
  gcp: { young: 5, old: 10 },
} as const;
