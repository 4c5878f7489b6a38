/** Steps and plans of a MachineDeployment. */
import type { Marks, WaveNote } from './facts.ts';

export type DeploymentStep =
  | {
      action: 'createSet';
      name: string;
      replicas: number;
      revision: number;
      reason: string;
      /** It begins a rollout that DisruptionPolicies bound. */
      disrupts?: true;
    }
  | {
      action: 'scaleSet';
      name: string;
      resourceVersion: string;
      from: number;
      replicas: number;
      /**
       * When the cluster autoscaler last changed the number, RFC 3339; absent when that is not for
       * this set.
       */
      scaledAt?: string;
      reason: string;
      /** It is part of a rollout that DisruptionPolicies bound, and does not follow `replicas`. */
      disrupts?: true;
      /** It goes back in the middle of a rollout: only the number of machines bounds it. */
      isUrgent?: true;
    }
  /** The new set takes over annotations, revision and what is pushed down to machines. */
  | { action: 'syncSet'; name: string; resourceVersion: string; revision: number; reason: string }
  /** An old set of the strategy OnDelete makes no machines; a new set does. */
  | {
      action: 'closeSet';
      name: string;
      resourceVersion: string;
      isClosed: boolean;
      reason: string;
    }
  | { action: 'grantReplacements'; set: string; machines?: string[]; reason: string }
  | ({
      action: 'markMachines';
      reason: string;
    } & Marks)
  /** `wish`: the revision in `spec.rollbackTo` that it answers; 0 is the one before. */
  | { action: 'rollBack'; set: string; revision: number; wish: number; reason: string }
  /** `spec.rollbackTo` cannot be done: it is taken away, with an Event. */
  | { action: 'refuseRollback'; event: string; wish: number; reason: string }
  /** The template's set is given up until the template changes. */
  | { action: 'giveUp'; set: string; onto: string; reason: string }
  /** The template changed: what was given up before counts no more. */
  | { action: 'forgetGivenUp'; reason: string }
  | WaveStep
  | { action: 'deleteSets'; names: string[]; reason: string }
  | { action: 'release'; reason: string };

export type WaveStep =
  /** `was`: in place of which it is written. */
  | { action: 'noteWave'; note: WaveNote; was?: WaveNote; reason: string }
  /** The wave after `count` others of that revision is over. */
  | { action: 'passWave'; revision: number; count: number; reason: string };

/** Work on Nodes runs beside everything else: the target cluster may be out of reach. */
export type NodeStep =
  | { action: 'taintNodes'; set: string; reason: string }
  | { action: 'untaintNodes'; set: string; reason: string }
  | { action: 'protectNodes'; nodes: string[]; reason: string }
  | { action: 'releaseNodes'; reason: string }
  | InPlaceStep;

/** Of an update in place: decision 59. `machines`: names of Machines, at most a hundred. */
export type InPlaceStep =
  | { action: 'markCandidates'; machines: string[]; reason: string }
  | { action: 'unmarkNodes'; machines: string[]; reason: string }
  /**
   * `most`: Nodes of the deployment that may then be selected and not updated yet, in all.
   * `disrupts`, `isUrgent`: as in `scaleSet`.
   */
  | {
      action: 'selectForUpdate';
      machines: string[];
      most: number;
      disrupts?: true;
      isUrgent?: true;
      reason: string;
    }
  /** `to`: name of the MachineSet of the template. */
  | { action: 'moveMachines'; machines: string[]; to: string; reason: string }
  | { action: 'tidyUpdated'; machines: string[]; reason: string };

export type RolloutState = 'Progressing' | 'Paused' | 'Complete' | 'Blocked' | 'RollingBack';

export interface DeploymentPlan {
  /** Done one after the other; empty when there is nothing to do but wait. */
  steps: DeploymentStep[];
  nodeStep?: NodeStep;
  state: RolloutState;
  /** Why this step, or what is awaited, in words. */
  reason: string;
  /** The step that comes after it, in words. */
  next?: string;
  /** The outside reason to wait: an object, a hold, a time. */
  blockedBy?: string;
  /** Only a person ends what it waits for. */
  needsPerson?: boolean;
  /** Steps are wanted, and not to be tried before then, milliseconds. */
  retryAt?: number;
  /** `syncSet` is wanted, whether or not it is to be tried now. */
  wantsSync?: true;
  /** Plan again then, milliseconds. */
  until?: number;
  /** Time at which the hold ends by itself, milliseconds. */
  heldUntil?: number;
  /** An Event, written when it changes. */
  report?: Report;
}

export interface Report {
  type: 'Normal' | 'Warning';
  /** UpperCamelCase. */
  reason: string;
  message: string;
}
