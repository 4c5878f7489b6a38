/** Which tasks of one queue go first; the default of Temporal is 3. */

/**
 * Priority of sets, deployments, classes and checks, inherited by their activities. A set is one
 * workflow among its hundreds of machines, and when its step waits behind theirs nothing is made or
 * deleted meanwhile.
 */
export const beforeMachines = { priorityKey: 1 } as const;
