/**
 * Until when a machine has time to join and to be drained. All times in milliseconds since the
 * epoch.
 */
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import type { DrainOptions } from '../api/drain-options.ts';
import { evictionSeconds } from '../plan/drain/removals.ts';
import type { MachineState, PreservationDrain, TeardownState } from './state.ts';

/** Counts from the creation of the object, as in MCM v0.62.1. */
export function createDeadlineOf(prepared: PreparedMachine | undefined): number {
  if (!prepared) return Number.MAX_SAFE_INTEGER;
  return prepared.createdAt + prepared.limits.creationTimeoutSeconds * 1000;
}

/** The same, or later because of an outage. */
export function joinDeadlineOf({ object }: MachineState): number {
  return Math.max(createDeadlineOf(object.prepared), object.joinBy?.at ?? 0);
}

/** Drain options of the operators, by all that was read and seen. */
export function drainOptionsOf({ object }: MachineState): DrainOptions {
  return object.observed?.drain ?? object.prepared?.drain ?? {};
}

/**
 * As if nothing had been paused: the activity that drains moves it by the pauses. No restart begins
 * it anew.
 */
export function drainDeadlineOf(state: MachineState): number {
  const { object, teardown } = state;
  const { prepared } = object;
  if (!prepared) return Number.MAX_SAFE_INTEGER;
  if (!teardown) return keptDrainDeadlineOf(keptDrainOf(state), prepared);
  const { until = 0 } = drainOptionsOf(state);
  // A time that passed while hooks held the drain is of no use.
  return until > (prepared.drainHeldUntil ?? 0) ? until : drainTimeoutOf(prepared, teardown);
}

/** Since when pauses move its deadline. */
export function drainBeganAt(state: MachineState): number {
  const { object, teardown } = state;
  if (teardown) return mayDrainSince(object.prepared, teardown);
  return keptDrainOf(state)?.startedAt ?? 0;
}

/** Drain of a Node that stays: for its update, or as its machine is preserved. */
export function keptDrainOf({
  inPlace,
  preservation,
}: MachineState): PreservationDrain | undefined {
  return inPlace?.drain?.isDone === false ? inPlace.drain : preservation?.drain;
}

/** As the drain that runs moved it. */
export function shownDrainDeadlineOf(state: MachineState): number {
  return state.drain?.deadline ?? drainDeadlineOf(state);
}

function drainTimeoutOf(prepared: PreparedMachine, teardown: TeardownState): number {
  return mayDrainSince(prepared, teardown) + prepared.limits.drainTimeoutSeconds * 1000;
}

/** The time of the hooks before it is not its own. */
function mayDrainSince(
  { deletionRequestedAt, drainHeldUntil = 0 }: Partial<PreparedMachine> = {},
  { startedAt }: TeardownState,
): number {
  return Math.max(deletionRequestedAt ?? startedAt, drainHeldUntil);
}

function keptDrainDeadlineOf(
  { startedAt }: Partial<PreservationDrain> = {},
  { limits }: PreparedMachine,
): number {
  if (startedAt === undefined) return Number.MAX_SAFE_INTEGER;
  return startedAt + limits.drainTimeoutSeconds * 1000;
}

/**
 * Evictions that are tried for a pod. A person who extends a drain wants its budgets respected for
 * as much longer.
 */
export function evictRetriesOf(state: MachineState): number | undefined {
  const { object, teardown } = state;
  const { prepared } = object;
  const retries = prepared?.limits.maxEvictRetries;
  const { until } = drainOptionsOf(state);
  if (!prepared || !teardown || retries === undefined || until === undefined) return retries;
  const extension = Math.max(until - drainTimeoutOf(prepared, teardown), 0);
  return retries + Math.ceil(extension / (evictionSeconds * 1000));
}
