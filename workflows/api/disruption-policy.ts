/** Generated from deploy/crds by `npm run generate`; do not edit. */
import type { LabelSelector } from './machine-set.ts';
import type { ConditionStatus, ObjectMeta } from './meta.ts';
import type { DisruptionReason } from './phases.ts';

/**
 * When, and how many at a time, machines that work may be taken from the selected
 * MachineDeployments. Of several policies for one deployment all must allow it.
 */
export interface DisruptionPolicy {
  /** Always `millwright.dev/v1alpha1`. */
  apiVersion: string;
  kind: 'DisruptionPolicy';
  metadata: ObjectMeta;
  spec: DisruptionPolicySpec;
  status?: DisruptionPolicyStatus;
}

/** What is allowed. */
export interface DisruptionPolicySpec {
  selector?: LabelSelector;
  /**
   * Reasons for which a machine is taken that the policy holds for: `Rollout` (a new template),
   * `Replace` (a machine whose Node is unhealthy is given up) and `Repair` (a Failed machine is
   * replaced). Default `Rollout` and `Replace`.
   */
  reasons?: DisruptionReason[];
  /** Machines are taken only in one of these. Default always. */
  windows?: DisruptionWindow[];
  /** Times in which no machine is taken, whatever the windows say. Default none. */
  exclusions?: DisruptionExclusion[];
  atATime?: DisruptionLimits;
  /**
   * How many machines above `replicas` the deployment whose turn it is may have, where its own
   * `maxSurge` is smaller; it then takes no machine before a new one is available. Needs
   * `atATime.deployments` 1. Default its own `maxSurge`.
   */
  surge?: number;
}

export interface DisruptionWindow {
  /**
   * When the window starts, in five fields as for cron: minute, hour, day of the month, month, day
   * of the week, e.g. `0 2 * * SAT`. A local time that is skipped starts at the first moment after
   * it, one that comes twice the first time.
   */
  schedule: string;
  /** How long the window is, e.g. `4h`, as a clock without changes measures it. */
  duration: string;
  /**
   * Time zone of the schedule, by its name in the IANA database, e.g. `Europe/Berlin`. Default
   * `UTC`.
   */
  timeZone?: string;
  /**
   * In this last part of the window nothing new begins, so that what has begun can end in it, e.g.
   * `30m`. Default `0`.
   */
  lead?: string;
}

export interface DisruptionExclusion {
  /** First moment, RFC 3339, e.g. `2026-12-19T00:00:00+01:00`. */
  start: string;
  /** First moment after it, RFC 3339. */
  end: string;
  /** Why, in words, e.g. `Christmas sale`; it is shown where something waits. */
  reason?: string;
}

/** How many may be on their way at a time. Default no limit. */
export interface DisruptionLimits {
  /**
   * How many machines of all selected deployments: a number, or a percentage of the sum of their
   * `replicas`, rounded up. With 0 none is taken. Default no limit.
   */
  machines?: number | string;
  /**
   * How many deployments may roll at a time. They take turns by name; one that has begun keeps its
   * turn until its rollout is complete. Default no limit.
   */
  deployments?: number;
}

/** What is. Written by the controller. */
export interface DisruptionPolicyStatus {
  /**
   * `Accepted` is False, with the faults as message, while the policy cannot be followed; then it
   * is closed.
   */
  conditions?: DisruptionPolicyCondition[];
  /** Number of machines on their way, over all selected deployments. */
  going?: number;
  /**
   * Old sets that may shrink, until they have and their machines are gone, and machines that may be
   * replaced.
   */
  grants?: DisruptionGrant[];
  /** In words, until when it is open, or what it waits for. */
  message?: string;
  /** metadata.generation that this status answers. */
  observedGeneration?: number;
  /** Machines may be taken now, as far as windows and exclusions go. */
  open?: boolean;
  /** Deployments whose turn it is to roll, where their number is limited. */
  turns?: DisruptionTurn[];
  /** When `open` changes by itself; absent when it never does. */
  until?: string;
  /** Number of machines that wait to be taken, over all selected deployments. */
  waiting?: number;
}

export interface DisruptionPolicyCondition {
  /** When the status last changed. */
  lastTransitionTime: string;
  /** In words, for people. */
  message: string;
  /** metadata.generation that the condition answers. */
  observedGeneration?: number;
  /** In one word, for programs. */
  reason: string;
  /** `True`, `False` or `Unknown`. */
  status: ConditionStatus;
  /** What the condition is about, e.g. `Accepted`. */
  type: string;
}

export interface DisruptionGrant {
  /** Name of the MachineDeployment. */
  deployment: string;
  /** Name of the Machine that may be replaced; absent where the set may shrink. */
  machine?: string;
  /** Name of its MachineSet. */
  set: string;
  /** When it was taken. */
  takenAt: string;
  /** Size that the set may shrink to; absent where a machine is named. */
  to?: number;
  /** UID of the MachineDeployment. */
  uid: string;
}

export interface DisruptionTurn {
  /** Name of the MachineDeployment. */
  deployment: string;
  /** When it was taken. */
  since: string;
  /** UID of the MachineDeployment. */
  uid: string;
}
