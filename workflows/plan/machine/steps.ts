/** Steps that the plan of a Machine can request. */

/** A step that runs beside the loop. */
export interface RunningStep {
  name:
    | 'launch'
    | 'create'
    | 'findStaleNode'
    | 'syncNode'
    | 'findInstance'
    | 'describeInstance'
    | 'getConsoleOutput'
    | 'drain'
    | 'drainPreserved'
    | 'drainInPlace'
    | 'deleteInstance';
  isCancelRequested: boolean;
  /** How a drain was to go when the step began. */
  drain: DrainMode;
}

export interface DrainMode {
  /** It asks no PodDisruptionBudget. */
  byForce: boolean;
  /** Digest of what operators ask of it. */
  options: string;
}

export type MachineStep =
  /** Read the object, its class, its limits. */
  | { action: 'readAndClaim' }
  /** The same for a new Machine, and create, in one step. */
  | { action: 'launch' }
  | { action: 'create' }
  | { action: 'recordFailure' }
  | { action: 'findStaleNode' }
  | { action: 'recordCreated' }
  | { action: 'recordJoined' }
  /** Delete the Machine with its Node. */
  | { action: 'deleteWithNode' }
  | { action: 'syncNode' }
  /** Ask the cloud what an instance that did not join in time has printed. */
  | { action: 'getConsoleOutput' }
  | { action: 'recordTimeout' }
  | { action: 'checkHealth' }
  /** Ask the cloud whether the instance is there. */
  | { action: 'describeInstance' }
  | { action: 'recordMissingInstance' }
  /** Do what the annotations say of its preservation. */
  | { action: 'preserve' }
  | { action: 'drainPreserved' }
  /** Do what is next of the update in place of its Node. */
  | { action: 'updateInPlace' }
  | { action: 'drainInPlace' }
  | { action: 'beginTeardown' }
  /** Read which hooks hold the deletion, and say so on the object. */
  | { action: 'checkHooks' }
  /** Ask the cloud what a create without an answer made. */
  | { action: 'findInstance' }
  | { action: 'drain' }
  | { action: 'deleteInstance' }
  | { action: 'finishTeardown' }
  /** Say on the Machine that was created under the same name what it waits for. */
  | { action: 'recordSuccessor' }
  /** Ask the running step to stop. */
  | { action: 'cancel'; reason: string }
  | { action: 'wait'; reason: string; until?: number }
  /** Forget what is known, and begin with a read, as a workflow that was lost does. */
  | { action: 'startOver'; reason: string }
  | { action: 'complete'; reason: string };

const longSteps = new Set<string>([
  'launch',
  'create',
  'findStaleNode',
  'syncNode',
  'findInstance',
  'drain',
  'drainPreserved',
  'drainInPlace',
  'deleteInstance',
  'describeInstance',
  'getConsoleOutput',
]);

/** A step that runs beside the loop. */
export function isLong(action: string): action is RunningStep['name'] {
  return longSteps.has(action);
}
