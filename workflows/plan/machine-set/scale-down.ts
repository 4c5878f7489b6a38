/** Which machines of a set go first. */
import type { Preserve } from '../../api/preserve-value.ts';

export interface MachineFact {
  name: string;
  uid: string;
  phase: string;
  isDeleting: boolean;
  /** Annotation `machinepriority.machine.sapcloud.io`; 3 when absent or no integer. */
  priority: number;
  /** Annotation `machine.sapcloud.io/marked-for-deletion-time`, milliseconds. */
  markedAt?: number;
  /**
   * Annotation `machine.sapcloud.io/delete-machine`, milliseconds; 0 when its value is no time. The
   * cluster autoscaler of the Kubernetes project writes it right before it lowers the number.
   */
  chosenAt?: number;
  /** `status.currentStatus.preserveExpiryTime`, milliseconds. */
  preservedUntil?: number;
  /**
   * Annotation `node.machine.sapcloud.io/preserve` of the Machine, else of its Node.
   * `auto-preserved`: of the Machine itself.
   */
  preserve?: Preserve;
  /** It was preserved, and its time was over while it was Failed. Default false. */
  wasPreserved?: boolean;
  /**
   * Label `node.machine.sapcloud.io/update-result` is `successful`: it is on its way to another
   * set.
   */
  isUpdatedInPlace: boolean;
  /** It is Failed since then, milliseconds, and never joined. */
  unjoinedSince?: number;
  createdAt: number;
}

/**
 * MCM v0.62.1 gives the phases "" and InPlace* the rank 0, which makes machines that are just being
 * created or updated the first to go; here a machine that is not yet created stands between
 * CrashLoopBackOff and Unknown, and one that is updated in place stands beside Running.
 */
const phaseRank: Record<string, number> = {
  Terminating: 0,
  Failed: 1,
  CrashLoopBackOff: 2,
  '': 2.5,
  Unknown: 3,
  Pending: 4,
  Available: 5,
  Running: 6,
};

/** `Random` is `Oldest` here: a choice that can be foreseen. */
export type DeletePolicy = 'Random' | 'Newest' | 'Oldest';

/** Annotation `millwright.dev/delete-policy`; undefined for what is none. */
export function deletePolicyOf(text = 'Random'): DeletePolicy | undefined {
  return text === 'Random' || text === 'Newest' || text === 'Oldest' ? text : undefined;
}

/**
 * A total order: preserved last (of these the automatic ones first), then chosen for deletion,
 * priority, mark, phase, age (older first, unless the policy is `Newest`), name.
 */
export function orderForScaleDown(
  machines: readonly MachineFact[],
  now: number,
  policy: DeletePolicy = 'Random',
): MachineFact[] {
  const age = policy === 'Newest' ? -1 : 1;
  return machines.toSorted(
    (a, b) =>
      byPreservation(a, b, now) ||
      byChoice(a, b) ||
      a.priority - b.priority ||
      byMark(a, b) ||
      (phaseRank[a.phase] ?? 6) - (phaseRank[b.phase] ?? 6) ||
      age * (a.createdAt - b.createdAt) ||
      compareText(a.name, b.name),
  );
}

function byPreservation(a: MachineFact, b: MachineFact, now: number): number {
  return (
    preservationRank(a, now) - preservationRank(b, now) ||
    preservation(a, now) - preservation(b, now)
  );
}

/** A preservation that a person requested outlasts an automatic one. */
function preservationRank(machine: MachineFact, now: number): number {
  if (preservation(machine, now) === 0) return 0;
  return machine.preserve === 'auto-preserved' ? 1 : 2;
}

/** 0 when not preserved, so that those with a later expiry come later. */
function preservation({ preservedUntil }: MachineFact, now: number): number {
  return preservedUntil !== undefined && preservedUntil > now ? preservedUntil : 0;
}

/**
 * The latest first: an earlier one may be left of an autoscaler that died between its choice and
 * the lower number, which is now that of another choice.
 */
function byChoice(a: MachineFact, b: MachineFact): number {
  return (b.chosenAt ?? -1) - (a.chosenAt ?? -1);
}

function byMark(a: MachineFact, b: MachineFact): number {
  if (a.markedAt === b.markedAt) return 0;
  if (a.markedAt === undefined) return 1;
  if (b.markedAt === undefined) return -1;
  return a.markedAt - b.markedAt;
}

/** Code point order: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
