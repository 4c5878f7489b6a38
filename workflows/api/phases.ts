/**
 * The words of the status and of the strategy. The schema, like that of MCM v0.62.1, only says that
 * they are strings.
 */

const machinePhases = [
  'Pending',
  'Available',
  'Running',
  'Unknown',
  'Failed',
  'CrashLoopBackOff',
  'Terminating',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
] as const satisfies MachinePhase[];

/** The schema lets any text pass; what is no phase says as little as an absent one. */
export function machinePhaseOf(text: string | undefined): MachinePhase {
  return machinePhases.find((phase) => phase === text) ?? '';
}

export type MachinePhase =
  /** The instance exists; its Node has not joined. */
  | 'Pending'
  /** The instance exists, and there is no target cluster that a Node could join. */
  | 'Available'
  /** The Node is ready and healthy. */
  | 'Running'
  /** Was Running; the Node is missing or unhealthy. */
  | 'Unknown'
  /** Given up: the owner replaces the machine. */
  | 'Failed'
  /** Creating or initializing the instance failed and is tried again. */
  | 'CrashLoopBackOff'
  /** Being deleted. */
  | 'Terminating'
  /** Drained, and waiting for the agent on the Node to update it. */
  | 'InPlaceUpdating'
  | 'InPlaceUpdateSuccessful'
  | 'InPlaceUpdateFailed'
  /** Nothing is known of an instance yet. Absent means the same. */
  | '';

const joinedPhases = [
  'Running',
  'Unknown',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
] as const satisfies MachinePhase[];

/** The Node has joined, and the machine was not given up. */
export function hasJoined(phase: MachinePhase): phase is (typeof joinedPhases)[number] {
  return joinedPhases.some((joined) => joined === phase);
}

/** It is updated in place, or that has failed: a clock runs. */
export function isBeingUpdated(phase: MachinePhase): boolean {
  return phase === 'InPlaceUpdating' || phase === 'InPlaceUpdateFailed';
}

export type OperationState = 'Processing' | 'Failed' | 'Successful';

export type OperationType =
  'Create' | 'Update' | 'InPlaceUpdate' | 'DrainNode' | 'HealthCheck' | 'Delete';

export type StrategyType = 'RollingUpdate' | 'Recreate' | 'InPlaceUpdate';

/** Chooser of the next machines in an in-place update: the controller, or a person by labels. */
export type OrchestrationType = 'Auto' | 'Manual';

/** Reasons for which Millwright itself takes a machine that works, or one that may come back. */
export type DisruptionReason =
  /** Another template. */
  | 'Rollout'
  /** Its Node is unhealthy: the machine is about to turn Failed. */
  | 'Replace'
  /** It is Failed: its set makes another. */
  | 'Repair';
