/** The Machine object: what was seen of it, what was read, and what commands wrote to it. */
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import type { MachineSnapshot } from '../contracts/snapshots.ts';
import { machineSnapshot } from '../contracts/snapshots.ts';
import type { SnapshotVersion } from '../contracts/references.ts';
import { isNewer } from '../contracts/references.ts';
import type { DrainOptions } from '../api/drain-options.ts';
import type { PreservationNotes } from '../api/preservation.ts';
import { failed, forget } from '../plan/requeues.ts';
import { attemptNow } from '../runtime/turns.ts';
import { observeObject } from '../runtime/object-lifecycle.ts';
import { defined } from '../values/defined.ts';
import { pick } from '../values/schema.ts';
import { drainOptionsOf } from './deadlines.ts';
import { retryFailureNow } from './failure.ts';
import { checkSoon } from './health.ts';
import { forgetClock } from './in-place.ts';
import { noteBehind, noteClassBehind } from './node.ts';
import { showMachineSet } from './phase.ts';
import type { MachineObjectState, MachineState } from './state.ts';
import { instanceOf } from './state.ts';

/** Takes in a live object. Returns whether anything changed that the plan decides by. */
export function observeMachine(state: MachineState, seen: MachineSnapshot): boolean {
  const { object } = state;
  const known = object.observed;
  const found = observeObject(object, seen);
  if (found !== 'newer') return found === 'successor';
  noteChanges(state, seen);
  // Options that the signal leaves out stay as they were.
  object.observed = {
    ...(known?.drain && { drain: known.drain }),
    ...seen,
    ...writtenAfter(object, seen),
  };
  if (!seen.hasFinalizer && !seen.isDeleting && !object.prepared) object.unclaimedUid = seen.uid;
  noteFinalizer(object, seen);
  return true;
}

function noteChanges(state: MachineState, seen: MachineSnapshot): void {
  const { object, teardown } = state;
  const isInDoubt = mayBeRestored(object.observed, seen) && !teardown;
  if (isInDoubt) noteDoubt(state);
  if (isInDoubt || wasEdited(object.observed, seen)) noteEdit(state);
  if (seen.movedTo !== undefined) noteMove(state, seen.movedTo);
}

/** What belongs to its set is read anew. */
function noteMove(state: MachineState, machineSet: string): void {
  showMachineSet(machineSet);
  const { prepared } = state.object;
  if (prepared && prepared.machineSet !== machineSet) markStale(state);
}

function wasEdited(known: MachineSnapshot | undefined, { specDigest }: MachineSnapshot): boolean {
  return known?.specDigest !== undefined && known.specDigest !== specDigest;
}

/**
 * In a new term the watcher signals what changed, and everything when a database may have been
 * restored: then ids and phase on the object may be those of before.
 */
function mayBeRestored(
  { epoch = 0 }: Partial<MachineSnapshot> = {},
  seen: MachineSnapshot,
): boolean {
  return epoch > 0 && seen.epoch > epoch;
}

function noteEdit(state: MachineState): void {
  retryFailureNow(state);
  markStale(state);
  noteBehind(state);
  checkSoon(state);
  forgetClock(state);
}

/**
 * A repaired class wakes a machine that waits for it, and one that runs, whose Node may have to
 * follow. A create that was sent may fail yet by the class as it was.
 */
export function observeClass(state: MachineState, { ...seen }: SnapshotVersion): boolean {
  const { failure, creation, teardown, phase } = state;
  noteClassBehind(state, seen);
  const isCreating = !teardown && creation.stage !== 'none' && !instanceOf(state);
  if (!failure && !isCreating) return phase === 'Running';
  markStale(state);
  retryFailureNow(state);
  return true;
}

/** A machine that was never read gets its finalizer by the first read. */
function noteFinalizer(
  object: MachineObjectState,
  { isDeleting, hasFinalizer }: Pick<MachineSnapshot, 'isDeleting' | 'hasFinalizer'>,
): void {
  if (hasFinalizer || isDeleting || !object.prepared) delete object.finalizerLostAt;
  else object.finalizerLostAt ??= Date.now();
}

export function markStale({ object }: MachineState): void {
  object.isStale = true;
}

/** Its launch begins with a read. */
export function noteLaunch(state: MachineState): void {
  state.object.wasLaunched = true;
  markFresh(state);
}

/** Changes from now on are for another read. */
export function markFresh({ object }: MachineState): void {
  object.isStale = false;
}

/** The next read may find the object in a state from before the known one, or after it. */
export function noteDoubt({ object }: MachineState): void {
  object.mayBeRestored = true;
}

/** Returns whether what was read may be of another time than what is known; from now on not. */
export function takeDoubt({ object }: MachineState): boolean {
  const isInDoubt = object.mayBeRestored ?? false;
  delete object.mayBeRestored;
  return isInDoubt;
}

export function markGone({ object }: MachineState): void {
  object.isGone = true;
}

export function noteSuccessorReported({ object }: MachineState, uid: string): void {
  object.toldSuccessor = uid;
}

/** Takes over what a read found. */
export function noteRead(state: MachineState, machine: PreparedMachine, cluster: string): void {
  const { object } = state;
  const { uid, resourceVersion } = machine;
  // What an earlier read learned of the class holds until a later one learns more, or the Machine
  // names another.
  const { className, provider, hasExternalDriver, bootstrapTokenId } = object.prepared ?? {};
  const ofClass = className === machine.className ? { provider, hasExternalDriver } : {};
  const known = { ...ofClass, bootstrapTokenId };
  object.prepared = { ...defined(known), ...machine };
  object.uid = uid;
  const version = { cluster, epoch: object.observed?.epoch ?? 0, resourceVersion };
  // A signal that came while we read may know better.
  if (isNewer(version, object.observed)) {
    const { specDigest, command } = object.observed ?? {};
    const signalled = defined({ specDigest, command });
    object.observed = pick<MachineSnapshot>(
      { ...signalled, ...machine, ...version },
      machineSnapshot,
    );
  } else if (object.observed?.resourceVersion === resourceVersion) {
    // A watcher of an earlier version does not signal them.
    const { hooks: _unknown, ...observed } = object.observed;
    object.observed = { ...observed, ...(machine.hooks && { hooks: machine.hooks }) };
  }
  // A finalizer that could not be set now is due a while after this read.
  delete object.finalizerLostAt;
  noteFinalizer(object, object.observed ?? machine);
}

export function noteNodeRead({ object }: MachineState): void {
  object.isNodeRead = true;
}

export function mustReadNode(state: MachineState): void {
  delete state.object.isNodeRead;
  markStale(state);
}

/**
 * How long a machine that is late to join has after an outage, and the longest wait before the next
 * read.
 */
const outageRetryMs = 30_000;

/**
 * `reason`: absent when the target cluster answered. Nothing can join meanwhile: the creation
 * timeout moves on.
 */
export function noteReach(state: MachineState, reason: string | undefined): void {
  if (reason === undefined) {
    forget(state.requeues, 'read');
    return;
  }
  const attempt = { ...attemptNow(), longestSeconds: outageRetryMs / 1_000 };
  failed(state.requeues, 'read', { message: reason, ...attempt });
  markStale(state);
  noteJoinOutage(state, attempt.now);
}

/** A machine that is late to join could not be checked: it has until the next check. */
export function noteJoinOutage({ object }: MachineState, now: number): void {
  object.joinBy = { at: now + outageRetryMs, isOutage: true };
}

const longestJoinMs = 300_000;

/** The outage is over: while it lasted no Node could register. */
export function noteJoinOutageEnd({ object }: MachineState, machine: PreparedMachine): void {
  const timeoutMs = Math.min(machine.limits.creationTimeoutSeconds * 1_000, longestJoinMs);
  object.joinBy = { at: Date.now() + timeoutMs, isOutage: false };
}

/** The class came back after the deletion began. */
export function noteProvider(
  { object }: MachineState,
  found: Pick<PreparedMachine, 'provider' | 'hasExternalDriver'>,
): void {
  if (object.prepared) Object.assign(object.prepared, found);
}

/** The machine has joined: its token is of no use any more. */
export function forgetBootstrapToken({ object }: MachineState): void {
  delete object.prepared?.bootstrapTokenId;
}

/**
 * Returns whether the class says that the cloud refuses its credentials. From now on it does not.
 */
export function takeClassRefusal({ object }: MachineState): boolean {
  const isRefused = object.prepared?.isClassRefused ?? false;
  delete object.prepared?.isClassRefused;
  return isRefused;
}

/** It was done: that its annotation is gone is not signalled, and the next run must not hear it. */
export function forgetCommand({ object }: MachineState, written: string): void {
  if (object.observed?.command === written) delete object.observed.command;
}

/** A command was written to the object. As the watcher will signal it: that is no news then. */
export function noteDrainOptions(state: MachineState, change: DrainOptions): void {
  const { observed } = state.object;
  if (observed) observed.drain = { ...drainOptionsOf(state), ...change };
}

/** See `noteDrainOptions`. */
export function noteForce({ object }: MachineState): void {
  if (object.observed) object.observed.forceDeletion = true;
}

/**
 * A command wrote this version. The watcher may still signal the versions before it, with the
 * options before it: they would begin the drain anew.
 */
export function noteWritten({ object }: MachineState, resourceVersion: string): void {
  const { observed } = object;
  if (!observed) return;
  const { cluster, epoch } = observed;
  object.written = { cluster, epoch, resourceVersion };
}

/** Fields that commands set, where `seen` is from before the last of them. */
function writtenAfter(
  { observed, written }: MachineObjectState,
  seen: MachineSnapshot,
): Partial<MachineSnapshot> {
  if (!observed || !written || !isNewer(written, seen)) return {};
  const { drain, forceDeletion } = observed;
  return defined({ drain, forceDeletion });
}

/** Notes the preservation that a check left on the object. */
export function notePreservation(
  { object }: MachineState,
  notes: PreservationNotes | undefined,
): void {
  if (!object.observed) return;
  const { preservation: _older, ...rest } = object.observed;
  object.observed = { ...rest, ...(notes && { preservation: notes }) };
}
