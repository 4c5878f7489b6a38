/** The part of the port that updates machines in place: docs/decisions/0059-update-in-place.md. */
import type { InPlaceNode } from '../api/in-place.ts';
import type { MachinePhase } from '../api/phases.ts';
import type { Instance } from '../plan/machine/facts.ts';
import type { ObjectReference } from './references.ts';

export interface InPlaceRequest {
  machine: ObjectReference;
  instance: Instance;
  /** UID of the Node that the machine has joined by, where that is known. */
  nodeUid?: string;
  /** Its Node was drained since it was selected. */
  isDrained: boolean;
  /** Time of the workflow, milliseconds. */
  now: number;
}

export type InPlaceOutcome =
  /** The object is gone, going, or another: the watcher signals that. */
  | { found: 'nothing' }
  | { found: 'outOfReach'; reason: string }
  /** An API server refuses a write. */
  | { found: 'refused'; reason: string }
  | {
      found: 'machine';
      phase: MachinePhase;
      /** As the step left it; absent where there is none. */
      node?: { uid: string; inPlace?: InPlaceNode };
      /** When the time of the phase is over, or it is to be looked at again, milliseconds. */
      deadline?: number;
      /** Why it stays as it is past its time. */
      hold?: string;
    };

/** Short idempotent steps, run as local activities. */
export interface InPlaceActivities {
  /** Reads Machine and Node, and does the one thing that is next: see `planInPlace`. */
  updateInPlace(input: InPlaceRequest): Promise<InPlaceOutcome>;
}
