/** Generated from deploy/crds by `npm run generate`; do not edit. */
import type { LabelSelector, MachineSummary, MachineTemplateSpec } from './machine-set.ts';
import type { ConditionStatus, ObjectMeta } from './meta.ts';
import type { OrchestrationType, StrategyType } from './phases.ts';

/** A number of machines that are moved from one template to the next. */
export interface MachineDeployment {
  /** Always `machine.sapcloud.io/v1alpha1`. */
  apiVersion: string;
  kind: 'MachineDeployment';
  metadata: ObjectMeta;
  spec: MachineDeploymentSpec;
  status?: MachineDeploymentStatus;
}

/** What is wanted. */
export interface MachineDeploymentSpec {
  /**
   * How many failed machines are preserved for inspection instead of being replaced at once.
   * Default 0.
   */
  autoPreserveFailedMachineMax?: number;
  /** Copied to the sets; otherwise without effect, as in MCM v0.62.1. */
  minReadySeconds?: number;
  /** True stops rollouts; scaling goes on. Default false. */
  paused?: boolean;
  /**
   * A rollout without progress for this long is reported in the condition `Progressing`. Default no
   * limit.
   */
  progressDeadlineSeconds?: number;
  /** Number of machines wanted. Default 0. */
  replicas?: number;
  /** Number of old, empty sets that are kept to roll back to. Default all. */
  revisionHistoryLimit?: number;
  rollbackTo?: RollbackConfig;
  selector?: LabelSelector;
  strategy?: MachineDeploymentStrategy;
  template: MachineTemplateSpec;
}

/** Asks for a rollback. Taken away by the controller when it is done. */
export interface RollbackConfig {
  /** Revision to go back to; 0 is the one before the present. Default 0. */
  revision?: number;
}

/** How machines move to a new template. Needed. */
export interface MachineDeploymentStrategy {
  inPlaceUpdate?: InPlaceUpdateMachineDeployment;
  rollingUpdate?: RollingUpdateMachineDeployment;
  /** `RollingUpdate`, `Recreate` or `InPlaceUpdate`. */
  type?: StrategyType;
}

/** Needed with `type` InPlaceUpdate. */
export interface InPlaceUpdateMachineDeployment {
  /**
   * How many machines more than `replicas` there may be during an update: a number, or a percentage
   * of `replicas`, rounded up. Needed; 0 is allowed.
   */
  maxSurge?: number | string;
  /**
   * How many machines fewer than `replicas` may be available during an update: a number, or a
   * percentage of `replicas`, rounded down. Needed; 0 is allowed. If both resolve to 0, this one
   * counts as 1.
   */
  maxUnavailable?: number | string;
  /**
   * `Auto` (the controller chooses the next machines) or `Manual` (a person labels their Nodes).
   */
  orchestrationType?: OrchestrationType;
}

/** Needed with `type` RollingUpdate. */
export interface RollingUpdateMachineDeployment {
  /**
   * How many machines more than `replicas` there may be during an update: a number, or a percentage
   * of `replicas`, rounded up. Needed; 0 is allowed.
   */
  maxSurge?: number | string;
  /**
   * How many machines fewer than `replicas` may be available during an update: a number, or a
   * percentage of `replicas`, rounded down. Needed; 0 is allowed. If both resolve to 0, this one
   * counts as 1.
   */
  maxUnavailable?: number | string;
}

/** What is. Written by the controller. */
export interface MachineDeploymentStatus {
  /** Number of machines in phase Running or Available. */
  availableReplicas?: number;
  /** How often the name of a new set was taken already. */
  collisionCount?: number;
  /** Conditions of the deployment; `Reconciling` and `Stalled` only while True, for kstatus. */
  conditions?: MachineDeploymentCondition[];
  /** Machines whose last operation failed. */
  failedMachines?: MachineSummary[];
  /** metadata.generation that this status answers. */
  observedGeneration?: number;
  /** Number of failed machines that are preserved. */
  preservedFailedReplicas?: number;
  /** Number of machines in phase Running. */
  readyReplicas?: number;
  /** Number of machines, those being deleted included. */
  replicas?: number;
  /** Number of machines wanted of the sets that are not available. */
  unavailableReplicas?: number;
  /** Number of machines made from the present template. */
  updatedReplicas?: number;
}

export interface MachineDeploymentCondition {
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** When the condition was last written. */
  lastUpdateTime?: string;
  /** In words, for people. */
  message?: string;
  /** In one word, for programs. */
  reason?: string;
  /** `True`, `False` or `Unknown`. */
  status: ConditionStatus;
  /** What the condition is about, e.g. `Available` or `Progressing`. */
  type: string;
}
