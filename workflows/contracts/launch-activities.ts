/** The launch of a new Machine in one step. */
import type { RecordedCreateOutcome } from './driver-activities.ts';
import type { ReadAndClaimOutcome } from './machine-activities.ts';
import type { ObjectReference } from './references.ts';

/** A Machine that no controller has acted on, as it was signalled. */
export interface NewMachine {
  machine: ObjectReference;
  cluster: string;
  /** Of its class. */
  provider: string;
  resourceVersion: string;
}

export interface LaunchOutcome {
  read: ReadAndClaimOutcome;
  /** Absent: the cloud was not asked. `unknown`: it may have been. */
  created?: RecordedCreateOutcome | { outcome: 'unknown' };
}

/** Served on the queue for creates by a worker that serves the core as well. */
export interface LaunchActivities {
  /**
   * `readAndClaimMachine`, and for a Machine without instance, phase and fault `createInstance`. It
   * fails only where the cloud was not asked.
   */
  launchMachine(request: NewMachine): Promise<LaunchOutcome>;
}
