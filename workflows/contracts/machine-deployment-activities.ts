/** The part of the port that rollouts ask for. */
import type { ObjectReference, NamespacedName } from './references.ts';
import type { RolloutCommand } from './commands.ts';
import type { Refusals } from '../plan/requeues.ts';
import type { WrittenSet } from '../plan/machine-deployment/rollout/after-steps.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';
import type { DeploymentStep, NodeStep, Report } from '../plan/machine-deployment/rollout/steps.ts';

export interface ObserveDeploymentInput {
  deployment: NamespacedName;
  /**
   * resourceVersion that the watcher signalled: an older state is of no use. Absent: whatever was
   * read before is of none.
   */
  atLeast?: string;
  /** Time of the workflow, milliseconds. */
  now: number;
  /**
   * Nodes that are kept from the cluster autoscaler; absent when an earlier life may have left some
   * so.
   */
  protectedNodes?: string[];
  /** Why the last step failed. */
  error?: string;
  /**
   * Objects that are not to be written for now, as their writes were refused; e.g.
   * `MachineSet/pool-1`.
   */
  passOver?: string[];
  /** The API server's refusal of them, for the condition. */
  refusal?: string;
  /** Name of the set whose rollout was finished: a pause or a refusal takes that off the status. */
  finished?: string;
  /** During another rollout: name of the set whose rollout was finished before. */
  lastFinished?: string;
}

export type ObservedDeploymentOutcome =
  { found: false } | { found: true; uid: string; facts: DeploymentFacts; refused?: Refusals };

export interface ApplyInput {
  deployment: ObjectReference;
  steps: DeploymentStep[];
  /** Sizes that a scaled set notes. */
  scaling: { desired: number; max: number };
}

export interface ApplyOutcome {
  /** Sets that were scaled or closed; one that is missing changed since the plan. */
  written: WrittenSet[];
  /** Why the API server refused a step on which the plan depends; those after it were not tried. */
  error?: string;
  /** Writes that were refused: all else was done. */
  refused?: Refusals;
  /** Its finalizer stays on: its deletion was undone by an etcd that was restored. */
  isUndone?: true;
  /** DisruptionPolicies had no room for all of the steps: another read shows what is left. */
  isCut?: true;
}

export interface RolloutCommandInput {
  deployment: ObjectReference;
  command: RolloutCommand;
  /** Revision that a `resume` lets pass its canary. */
  canaryRevision?: number;
  /** The annotation that asks for it; absent where it came through Temporal. */
  written?: string;
  /** Length of the history when it came through Temporal. */
  heardAt?: number;
  /** Time of the workflow, milliseconds. */
  now?: number;
}

export interface MachineDeploymentActivities {
  /**
   * Reads the deployment, its sets and machines; adopts and releases sets; writes finalizer and
   * status if they changed.
   */
  observeMachineDeployment(input: ObserveDeploymentInput): Promise<ObservedDeploymentOutcome>;
  applyDeploymentSteps(input: ApplyInput): Promise<ApplyOutcome>;
  /** Returns the Nodes that are kept from the cluster autoscaler by this. */
  updateRolloutNodes(input: {
    deployment: ObjectReference;
    step: NodeStep;
    protects: boolean;
  }): Promise<{ protectedNodes: string[] }>;
  /**
   * Writes what a person asked for into the spec, and an Event that says so. Returns what was done,
   * in words.
   */
  applyRolloutCommand(input: RolloutCommandInput): Promise<string>;
  reportDeployment(input: { deployment: ObjectReference; report: Report }): Promise<void>;
}
