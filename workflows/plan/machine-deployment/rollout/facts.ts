/**
 * A MachineDeployment and its MachineSets, as plans see them: small enough to stand in a history
 * for every read.
 */
import type { CommandSource } from '../../../api/command-source.ts';

/** `OnDelete` is `RollingUpdate` with the annotation `millwright.dev/on-delete`. */
export type Strategy = 'RollingUpdate' | 'Recreate' | 'InPlaceUpdate' | 'OnDelete';

export interface DeploymentFacts extends ObservedDeployment {
  progress: Progress;
  /**
   * The set could not take over the deployment's fields a short while ago: the sizes do not wait
   * for another attempt.
   */
  isSyncHeldBack?: boolean;
  /**
   * New machines were all there after the deadline had passed: one that fails later, while old ones
   * still drain, is not what the rollout waits for.
   */
  isLateByOld?: boolean;
  /** Since when DisruptionPolicies allow no machine, milliseconds. */
  limitedSince?: number;
}

/** Without what the status says of it. */
export interface ObservedDeployment {
  isDeleting: boolean;
  hasFinalizer: boolean;
  /**
   * `kubectl delete --cascade=orphan`: while the finalizer `orphan` stands, no child is deleted.
   */
  isOrphaning: boolean;
  /** Faults that make the spec unusable; empty when it is fine. */
  faults: string[];
  /** Name of the template's class. */
  className: string;
  replicas: number;
  strategy: Strategy;
  /** InPlaceUpdate: people select. Default false: Millwright does. */
  isManual?: true;
  /** Why it is not known which Nodes are selected: none is selected meanwhile. */
  selectionUnknown?: string;
  /** Counts, percentages resolved: see ../fenceposts.ts. */
  maxSurge: number;
  maxUnavailable: number;
  isPaused: boolean;
  /** Revision that `spec.rollbackTo` asks for; 0 is the one before. */
  rollbackTo?: number;
  historyLimit?: number;
  options: RolloutOptions;
  /** Name that a set of the present template would get. */
  newSetName: string;
  /** Oldest first. */
  sets: SetFacts[];
  /**
   * Annotation `machine.sapcloud.io/last-deployment-replica-change-by-scaler-time`, or what the
   * list of the autoscaler alone says of it.
   */
  scaledAt?: string;
  /** When the list alone will say it, milliseconds. */
  nextScaledAt?: number;
  /** The autoscaler's marks that are not acted on yet; absent when there are none. */
  marks?: Marks;
  /** Sets whose list of machines that may be replaced is to change; absent when none is. */
  grants?: Grant[];
  /** When Failed machines that DisruptionPolicies hold back may be replaced, milliseconds. */
  repairsAt?: number;
  /** When a Running machine will have been so for long enough, milliseconds. */
  nextAvailableAt?: number;
  /** Absent without a wave that has a time. */
  watched?: WatchedMachines;
  /** Nodes are to be tainted: false without a target cluster. */
  hasNodes: boolean;
  /** Nodes are to be kept from the cluster autoscaler during rollouts. */
  protectsNodes: boolean;
  /** Nodes to keep from the cluster autoscaler that are not yet, the first hundred. */
  unprotectedNodes: string[];
  /**
   * Nodes are kept from the cluster autoscaler, or may be since an earlier life of the workflow.
   */
  hasProtectedNodes: boolean;
  /** Source of the worker's commands; absent: `temporal`. */
  commandsBy?: CommandSource;
  /** What DisruptionPolicies allow; absent: none selects the deployment. */
  gate?: RolloutGate;
  /** Name of the set whose rollout was finished last, where that is known and there is a gate. */
  finishedSet?: string;
}

/** What the DisruptionPolicies of a deployment let its rollout do now. Decision 58. */
export interface RolloutGate {
  /** Why no machine may be taken; absent while some may. */
  closed?: ClosedGate;
  /** The answer changes then, milliseconds: an open gate closes. */
  until?: number;
  /** Bound on the machines that the next step takes; absent: none. */
  machines?: { count: number; policy: string; why: string };
}

export interface ClosedGate {
  /** Name of the DisruptionPolicy. */
  policy: string;
  /**
   * `time`: a window or an exclusion; `turn`: other deployments roll; `fault`: it cannot be read or
   * followed, or allows no machine at all, and only a person ends that.
   */
  kind: 'time' | 'turn' | 'fault';
  /** `turn`: the deployments that roll are Blocked. */
  isBlocked?: boolean;
  /** In words, with absolute times. */
  why: string;
  /** Opens by itself then, milliseconds. */
  until?: number;
}

/** Annotations `millwright.dev/...` of the deployment. */
export interface RolloutOptions {
  /** Faults of the options; empty when they are fine. */
  faults: string[];
  /** New machines after which a rollout holds; of several waves, those of the first. */
  canary?: number;
  /** Absent: `canary` is the only one, and a person ends it. */
  waves?: Wave[];
  /** Revision whose canary has been passed, all waves of it. */
  canaryPassed?: number;
  /** Absent: all were passed, or none. */
  wavesPassed?: WavesPassed;
  waveNote?: WaveNote;
  /** A changed template waits until then: milliseconds, and as a person wrote it. */
  rolloutAfter?: { at: number; text: string };
  /** Windows and exclusions of DisruptionPolicies do not count until then, milliseconds. */
  overridePolicies?: { until: number; reason: string };
  autoRollback: boolean;
  /** Machines whose update in place failed are replaced. Default: they stay. */
  inPlaceFailure?: 'replace';
  /** The set whose template was given up: an automatic rollback holds on the set before it. */
  rolledBackFrom?: string;
}

/** Of the option `millwright.dev/canary`: so many machines of the new set, and no more. */
export interface Wave {
  machines: number;
  /** It ends by itself when they were watched for so long; absent: a person ends it. */
  seconds?: number;
}

/** The first waves of one revision, which are over. */
export interface WavesPassed {
  revision: number;
  count: number;
}

/** Annotation `millwright.dev/canary-since`: what is remembered of the wave after those. */
export interface WaveNote extends WavesPassed {
  /** When all its machines were available, or when one of them was lost; milliseconds. */
  since: number;
  /** Absent: one of them was lost, and a person decides. */
  machines?: NotedMachines;
}

/** Of the machines that are left, those that are no younger are the same ones. */
export interface NotedMachines {
  count: number;
  /** When the youngest of them was made, milliseconds. */
  youngest: number;
}

/** The machines of the template's set, as far as a wave with a time asks for them. */
export interface WatchedMachines {
  /** When the youngest of them was made, milliseconds; absent: there is none. */
  youngest?: number;
  /** Those of the note that are left: neither failed nor going. */
  left?: number;
  /**
   * When the time is over, milliseconds and for people: what kept the system from acting moves it.
   */
  end?: { at: number; text: string };
}

/** State of the condition `Progressing`. */
export interface Progress {
  reason: string;
  isOverdue: boolean;
  /** When it will be overdue, milliseconds. */
  deadline?: number;
  /** Status counts say that all machines are new, available and alone. */
  isComplete: boolean;
}

export interface SetFacts {
  name: string;
  uid: string;
  resourceVersion: string;
  /** Annotation `deployment.kubernetes.io/revision`; 0 when there is none. */
  revision: number;
  /** It was the new set before: a rollout to it is a rollback. */
  isFormer: boolean;
  /** Its template is the deployment's; true of one set at most. See `withDeletedSetsGoing`. */
  isOfTemplate: boolean;
  isDeleting: boolean;
  /** Its status answers its latest spec: no batch of an earlier spec still runs. */
  isObserved: boolean;
  replicas: number;
  /** `status.replicas`, machines that are going away included. */
  reported: number;
  /**
   * `deployment.kubernetes.io/desired-replicas`: of the deployment when the set was last scaled.
   */
  desired?: number;
  /** `deployment.kubernetes.io/max-replicas` of then. */
  max?: number;
  /** The sizes that a scaling notes on the set are those of the present `replicas`. */
  hasFreshScaling: boolean;
  /** The fields that a new set takes over from its deployment differ. */
  needsSync: boolean;
  /**
   * A letter for each machine that is not going away, in the order in which a scale-down takes
   * them: `A` available, `R` Running but not for long enough, `U` anything else.
   */
  machines: string;
  /** Machines that are going away. */
  going: number;
  /** Failed machines that are kept for inspection. Default 0. */
  preserved?: number;
  /**
   * Machines that a cluster autoscaler chose and for which the set has not shrunk yet, the next to
   * go first: when it chose them, milliseconds; 0 when that is not known. Default none.
   */
  chosen?: number[];
  /** Annotation `deployment.machine.sapcloud.io/prefer-no-schedule`: its Nodes carry the taint. */
  isTainted: boolean;
  /** Label `node.machine.sapcloud.io/scale-up-disabled`. */
  isClosed: boolean;
  /** Absent with other strategies, and where no update in place is under way. */
  inPlace?: InPlaceMachines;
  /** Why it cannot make machines. */
  problem?: string;
  /** The first of its machines whose last operation failed: its name, and why. */
  failing?: { name: string; why: string };
}

/**
 * Machines of a set by where their update in place is: names, at most the first hundred of each,
 * but all of `selected`.
 */
export interface InPlaceMachines {
  /** They have joined, and their Nodes are no candidates yet. Of old sets. */
  unmarked: string[];
  /** Candidates that are not available, in the order in which they are selected. */
  faulty: string[];
  /** Candidates that are available, in that order. */
  ready: string[];
  /** All whose Node is selected and that are not updated yet, failed ones included. */
  selected: string[];
  /** So many of them are still available: their drain has not begun. */
  selectedAvailable: number;
  /** Of the selected: the update failed, or the Node has not answered in time. */
  failed: { name: string; why: string }[];
  /** Updated, to be moved to the set of the template. Of old sets. */
  updated: string[];
  /** Moved here: the Node or the Machine says so still. Mostly of the set of the template. */
  arrived: string[];
  /** Nodes of the set of the template that carry marks and on which no agent works. */
  marked: string[];
}

export interface Grant {
  set: string;
  /** Absent: all failed machines may be replaced. */
  machines?: string[];
}

export interface MarkedMachine {
  name: string;
  /** RFC 3339. */
  time: string;
}

/** `node.machine.sapcloud.io/trigger-deletion-by-mcm`: machines that the autoscaler wants gone. */
export interface Marks {
  /** Machines that are to get priority 1: they go first when their set shrinks. */
  preferred: string[];
  /**
   * Machines that are to get the time of their mark: from then on they go even if their set keeps
   * its size.
   */
  machines: MarkedMachine[];
  /** The annotation as it was read. */
  was: string;
  /** The annotation with what is still to do; null when that is nothing. */
  list: string | null;
}

/**
 * Sets as a rollout counts them. A set that is being deleted makes no machine any more, whatever
 * its size says, and all that it has go. It is not the set of the template either: the template
 * gets another one, which need not wait until the last machine of this one is gone.
 */
export function withDeletedSetsGoing<Facts extends ObservedDeployment>(facts: Facts): Facts {
  return { ...facts, sets: facts.sets.map((set) => (set.isDeleting ? goingOnly(set) : set)) };
}

function goingOnly({ inPlace: _none, ...set }: SetFacts): SetFacts {
  const going = set.going + presentIn(set);
  return {
    ...set,
    isOfTemplate: false,
    replicas: 0,
    machines: '',
    going,
    preserved: 0,
    chosen: [],
  };
}

/** Has machines, or is to have some. */
export function isActive(set: SetFacts): boolean {
  return set.replicas > 0 || presentIn(set) > 0 || set.going > 0 || set.reported > 0;
}

export function presentIn({ machines }: SetFacts): number {
  return machines.length;
}

/** Machines that are to leave the set by an update in place that has begun. */
export function underWayIn({ inPlace }: SetFacts): number {
  return (inPlace?.selected.length ?? 0) + (inPlace?.updated.length ?? 0);
}

/** Selected, and not failed: each goes on by itself. */
export function workedOnIn({ inPlace }: SetFacts): string[] {
  const failed = new Set(inPlace?.failed.map(({ name }) => name));
  return inPlace?.selected.filter((name) => !failed.has(name)) ?? [];
}

/** Machines that there are, or will be at this size before anything else is decided. */
export function totalOf(set: SetFacts): number {
  return set.going + Math.max(set.replicas, presentIn(set));
}

/** Machines for certain available when the set has shrunk to `size`. */
export function availableAt(set: SetFacts, size = set.replicas): number {
  return countLast(set, size, 'A');
}

/**
 * Machines that carry load when the set has shrunk to `size`, whether or not they have done so for
 * long enough.
 */
export function runningAt(set: SetFacts, size = set.replicas): number {
  return countLast(set, size, 'A') + countLast(set, size, 'R');
}

function countLast({ machines }: SetFacts, size: number, letter: 'A' | 'R'): number {
  let count = 0;
  for (let index = Math.max(machines.length - size, 0); index < machines.length; index += 1) {
    if (machines[index] === letter) count += 1;
  }
  return count;
}

export function sumOf(sets: readonly SetFacts[], of: (set: SetFacts) => number): number {
  return sets.reduce((sum, set) => sum + of(set), 0);
}
