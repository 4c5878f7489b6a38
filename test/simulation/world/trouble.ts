/** Names of all faults, and how often each happens. */

/** Shares of calls, or of events of a watch. */
const shares = {
  /** Of calls: the request is lost, or its answer; with or without a word to the caller. */
  lostCalls: 0.01,
  /** Of calls: they take seconds, there or back. */
  slowCalls: 0.02,
  /** Of calls: they arrive a second time, up to minutes later. */
  doubledCalls: 0.005,
  /** Of calls: the process is killed on the way. */
  killedCalls: 0.001,
  /** Of calls to an API server: it refuses, with 403, 409, 422, 429, 500 or 503. */
  refusedCalls: 0.01,
  /** Of events of a watch: they come late, by seconds. */
  lateEvents: 0.02,
  /** Of events of a watch: the watch breaks before it. */
  brokenWatches: 0.002,
  /** Of lists that may be answered from a cache: it is some changes behind. */
  staleLists: 0.3,
};

/** In an hour of a world. What each one does is in `disasters/`. */
const timesAnHour = {
  kills: 5,
  restarts: 4,
  killsOfAll: 0.3,
  versionChanges: 1,
  brokenHistories: 0.7,
  clusterOutages: 1.5,
  temporalOutages: 1,
  cutLines: 2,
  overloads: 1.5,
  clockJumps: 3,
  deletedLeases: 0.5,
  takenLeases: 0.5,
  compactions: 2,
  unseenChanges: 2,
  clusterRestores: 0.1,
  temporalLosses: 0.05,
  temporalRestores: 0.05,
  refusingWebhooks: 1,
  resets: 3,
  strippingPolicies: 1,
  hugeObjects: 0.5,
};

export type CallFault = keyof typeof shares;
export type DisasterName = keyof typeof timesAnHour;
export type FaultName = CallFault | DisasterName;

/** How often each fault happens: a share, or times in an hour. */
export type Trouble = Readonly<Record<FaultName, number>>;

/** Each kind by itself is rare enough for work to be done, and often enough to meet all others. */
export const allFaults: Trouble = { ...shares, ...timesAnHour };

export const isCallFault = (name: string): name is CallFault => Object.hasOwn(shares, name);
const isDisaster = (name: string): name is DisasterName => Object.hasOwn(timesAnHour, name);
const isFault = (name: string): name is FaultName => isCallFault(name) || isDisaster(name);

/** In an order that never changes. */
export const faultNames: readonly FaultName[] = Object.keys(allFaults).filter(isFault);
export const callFaults: readonly CallFault[] = faultNames.filter(isCallFault);
export const disasterNames: readonly DisasterName[] = faultNames.filter(isDisaster);

/** Nothing of all this. */
export function noneOf<K extends string>(trouble: Readonly<Record<K, number>>): Record<K, number> {
  const none: Record<K, number> = { ...trouble };
  for (const name in none) none[name] = 0;
  return none;
}

/** With these faults alone. Throws for a name that is none. */
export function troubleOf(names: readonly string[]): Trouble {
  const unknown = names.find((name) => !isFault(name));
  if (unknown !== undefined) {
    throw new RangeError(`fault "${unknown}": must be one of ${faultNames.join(', ')}`);
  }
  const trouble = { ...allFaults };
  for (const name of faultNames) if (!names.includes(name)) trouble[name] = 0;
  return trouble;
}

export const calm: Trouble = troubleOf([]);
