/**
 * Facts about an object for metrics, beyond those that signals need. Numbers and short texts: there
 * are thousands of objects.
 */
import type { CreationTrouble } from '../../workflows/api/creation-failure.ts';
import type { DrainBlocker } from '../../workflows/api/drain-failure.ts';
import type { ConditionStates } from './condition-states.ts';

export interface MachineFigures {
  /** Empty while there is no instance. */
  providerID: string;
  classApiGroup: string;
  classKind: string;
  /** Label `topology.kubernetes.io/zone` of its Node's template; empty when absent. */
  zone: string;
  conditions: ConditionStates;
  /** When the phase was written last, milliseconds. */
  phaseSince: number | undefined;
  /** `metadata.deletionTimestamp`, milliseconds. */
  deletedAt: number | undefined;
  /** Code of a creation that failed last and is tried again; empty where it has no code. */
  creationFailure: string | undefined;
  /** Cause of that failure; undefined where it has no name. */
  creationTrouble: CreationTrouble | undefined;
  /** Failed, as no Node joined in time. */
  isCreationTimedOut: boolean;
  drainBlockedBy: DrainBlocker | undefined;
  /** Hooks hold its deletion since then, milliseconds. */
  heldSince: number | undefined;
}

/** A machine in `status.failedMachines`. */
export interface FailedMachine {
  name: string;
  providerID: string;
  ownerRef: string;
  /** State of its last operation. */
  state: string;
  type: string;
}

interface CommonFigures {
  /** Milliseconds. */
  createdAt: number;
  replicas: number | undefined;
  minReadySeconds: number | undefined;
  conditions: ConditionStates;
  failedMachines: readonly FailedMachine[];
}

export interface MachineSetFigures extends CommonFigures {
  classApiGroup: string;
  classKind: string;
  className: string;
  status: MachineSetCounts;
  /** Creates no machines. */
  isFrozen: boolean;
}

export interface MachineSetCounts {
  replicas: number;
  readyReplicas: number;
  availableReplicas: number;
  fullyLabeledReplicas: number;
}

export type RolloutState = 'complete' | 'progressing' | 'paused' | 'blocked';

export interface MachineDeploymentFigures extends CommonFigures {
  strategy: string;
  isPaused: boolean;
  /** Machines, also where a percentage was written; undefined with another strategy. */
  maxSurge: number | undefined;
  maxUnavailable: number | undefined;
  revisionHistoryLimit: number | undefined;
  progressDeadlineSeconds: number | undefined;
  /** Revision; undefined where no rollback is asked for. */
  rollbackTo: number | undefined;
  status: MachineDeploymentCounts;
  rollout: RolloutState;
}

export interface MachineDeploymentCounts {
  replicas: number;
  readyReplicas: number;
  availableReplicas: number;
  unavailableReplicas: number;
  updatedReplicas: number;
  collisionCount: number | undefined;
}
