/** The part of the port that keeps machines for inspection. */
import type { ObjectReference } from './references.ts';
import type { PreservationNotes } from '../api/preservation.ts';
import type { AutoPreservation } from '../plan/machine-set/auto-preservation.ts';
import type { Refusals } from '../plan/requeues.ts';
import type { Preserve } from '../api/preserve-value.ts';

export interface PreserveRequest {
  machine: ObjectReference;
  /** UID of the Node that the machine has joined by; absent when it has not, or it is not known. */
  nodeUid?: string;
  /** Until when the workflow knows it to be preserved, milliseconds. */
  until?: number;
  /** How the drain of its Node ended; absent while there was none. */
  drain?: { error?: string };
  /** Time of the workflow, milliseconds. */
  now: number;
}

/** A machine that is being kept for inspection. */
export interface Preservation {
  value: Preserve;
  /** Milliseconds. */
  until: number;
  /** It is Failed and has its Node. */
  isToBeDrained: boolean;
}

export type PreserveOutcome =
  /** The object is gone, going, or of another life: the watcher signals that. */
  | { found: 'nothing' }
  /** Some of it may be done. */
  | { found: 'outOfReach'; reason: string }
  /** The API server refuses a write. */
  | { found: 'refused'; reason: string }
  | {
      found: 'machine';
      preservation?: Preservation;
      /** Present annotations of Machine and Node. */
      notes?: PreservationNotes;
      node?: { uid: string; preserve: string };
    };

/** Short idempotent steps, run as local activities. */
export interface PreservationActivities {
  /** Preserves a machine, or ends that, as its annotations, its phase and the time say. */
  preserveMachine(input: PreserveRequest): Promise<PreserveOutcome>;
  /** Annotates Failed machines of a set as preserved automatically, or takes that back. */
  markPreserved(
    input: { set: ObjectReference } & AutoPreservation,
  ): Promise<{ refused?: Refusals }>;
}
