/** One MachineDeployment with its sets and machines in memory, for simulated rollouts. */
import type { MachineFact } from '../../workflows/plan/machine-set/scale-down.ts';
import type {
  RolloutOptions,
  Strategy,
} from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import type {
  ConditionText,
  Counts,
} from '../../workflows/plan/machine-deployment/rollout/progress.ts';
import { surgeOf } from '../../workflows/plan/machine-deployment/fenceposts.ts';
import type { PlannedFor } from '../../workflows/plan/machine-set/plan.ts';

/** A round is what happens between two looks of a MachineDeployment at its sets. */
export const millisecondsPerRound = 10_000;

export interface Cluster {
  round: number;
  deployment: SimulatedDeployment;
  /** Oldest first. */
  sets: SimulatedSet[];
  pace: Pace;
  /** Machines of these templates never join. */
  broken: Set<string>;
  hasNodes: boolean;
  /** Nodes that the cluster autoscaler leaves alone, by their machine's name. */
  protectedNodes: Set<string>;
  /** For names and resourceVersions: grows with each use. */
  serial: number;
}

export interface SimulatedDeployment {
  /** Also the name of its set, unless a set of that name is being deleted. */
  template: string;
  /** What a new set takes over besides the template: grows with each change. */
  notes: number;
  replicas: number;
  strategy: Strategy;
  maxSurge: number | string;
  maxUnavailable: number | string;
  isPaused: boolean;
  rollbackTo?: number;
  historyLimit?: number;
  deadlineSeconds?: number;
  options: RolloutOptions;
  condition?: ConditionText & { updatedAt: number };
  counts: Counts;
}

export interface SimulatedSet {
  name: string;
  /** As a deployment names it: its first set has the same name. */
  template: string;
  resourceVersion: number;
  generation: number;
  revision: number;
  isFormer: boolean;
  isDeleting: boolean;
  replicas: number;
  desired: number;
  max: number;
  notes: number;
  isTainted: boolean;
  isClosed: boolean;
  machines: SimulatedMachine[];
  /** What the set's own workflow does. */
  batch?: Batch;
  /** Names of machines that it is about to delete. */
  doomed?: string[];
  batchSize: number;
  /** Rounds for which its workflow does nothing. */
  sleeps: number;
  status: SetStatus;
  /** At the end of each round, the latest last. */
  statuses: SetStatus[];
}

export interface Batch {
  count: number;
  made: number;
  basis: PlannedFor;
}

export interface SetStatus {
  observedGeneration: number;
  replicas: number;
  ready: number;
  available: number;
}

export type SimulatedMachine = MachineFact & {
  /** Rounds in its present phase. */
  rounds: number;
  /** It goes although its set is to keep its size: it failed, or somebody deleted it. */
  isReplaced: boolean;
};

/** Times are in rounds. */
export interface Pace {
  boot: number;
  /** From deleted to gone. */
  going: number;
  /** After which a machine that does not join is Failed. */
  creation: number;
  /** Running for so long is available. */
  soak: number;
  /** The status of a set is that of so many rounds ago. */
  statusLag: number;
  /** What a MachineSet may do in one round. */
  actions: number;
  /** A batch that is at work makes all its machines, whatever becomes of the set's spec. */
  isDeaf: boolean;
}

const usualPace: Pace = {
  boot: 1,
  going: 1,
  creation: 3,
  soak: 0,
  statusLag: 0,
  actions: Infinity,
  isDeaf: false,
};

export interface ClusterChanges {
  deployment?: Partial<SimulatedDeployment>;
  pace?: Partial<Pace>;
  sets?: Partial<SimulatedSet>[];
  broken?: string[];
  hasNodes?: boolean;
}

/**
 * Ten machines of set `v1`, a change to template `v2`, surge 1 and nothing unavailable, unless said
 * otherwise.
 */
export function aCluster(changes: ClusterChanges = {}): Cluster {
  const deployment: SimulatedDeployment = {
    template: 'v2',
    notes: 1,
    replicas: 10,
    strategy: 'RollingUpdate',
    maxSurge: 1,
    maxUnavailable: 0,
    isPaused: false,
    options: { autoRollback: false, faults: [] },
    counts: { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 },
    ...changes.deployment,
  };
  const cluster: Cluster = {
    round: 0,
    deployment,
    sets: [],
    pace: { ...usualPace, ...changes.pace },
    broken: new Set(changes.broken),
    hasNodes: changes.hasNodes ?? false,
    protectedNodes: new Set(),
    serial: 0,
  };
  for (const set of changes.sets ?? [{ name: 'v1' }]) addSet(cluster, set);
  return cluster;
}

/** With as many Running machines as it is to have, unless said otherwise. */
export function addSet(cluster: Cluster, changes: Partial<SimulatedSet>): SimulatedSet {
  const { replicas, notes } = cluster.deployment;
  const size = changes.machines?.length ?? changes.replicas ?? replicas;
  const set: SimulatedSet = {
    name: 'v1',
    template: changes.name ?? 'v1',
    resourceVersion: nextSerial(cluster),
    generation: 1,
    revision: cluster.sets.length + 1,
    isFormer: false,
    isDeleting: false,
    replicas: size,
    desired: replicas,
    max: mostOf(cluster),
    notes,
    isTainted: false,
    isClosed: false,
    machines: [],
    batchSize: 1,
    sleeps: 0,
    status: { observedGeneration: 0, replicas: 0, ready: 0, available: 0 },
    statuses: [],
    ...changes,
  };
  if (!changes.machines) set.machines = manyMachines(cluster, set, size);
  if (set.machines.length > 0) set.status = { ...reportOf(cluster, set), observedGeneration: 1 };
  set.statuses.push(set.status);
  cluster.sets.push(set);
  return set;
}

/** They have been Running for long. */
function manyMachines(cluster: Cluster, set: SimulatedSet, count: number): SimulatedMachine[] {
  return Array.from({ length: count }, () => ({
    ...aNewMachine(cluster, set, 'Running'),
    rounds: 1_000,
  }));
}

/** What a set says of its machines. */
export function reportOf({ pace }: Cluster, { generation, machines }: SimulatedSet): SetStatus {
  const running = machines.filter(isRunning);
  return {
    observedGeneration: generation,
    replicas: machines.length,
    ready: running.length,
    available: running.filter(({ rounds }) => rounds >= pace.soak).length,
  };
}

export function aNewMachine(
  cluster: Cluster,
  { name }: { name: string },
  phase = '',
): SimulatedMachine {
  const serial = nextSerial(cluster);
  return {
    name: `${name}-${String(serial).padStart(4, '0')}`,
    uid: `uid-${serial}`,
    phase,
    isDeleting: false,
    priority: 3,
    isUpdatedInPlace: false,
    createdAt: serial,
    rounds: 0,
    isReplaced: false,
  };
}

export function nextSerial(cluster: Cluster): number {
  cluster.serial += 1;
  return cluster.serial;
}

export function now({ round }: Cluster): number {
  return round * millisecondsPerRound;
}

export function isRunning({ phase }: SimulatedMachine): boolean {
  return phase === 'Running';
}

export function isGoing({ phase }: SimulatedMachine): boolean {
  return phase === 'Terminating';
}

export function specOf({ deployment }: Cluster) {
  const { strategy, maxSurge, maxUnavailable, replicas } = deployment;
  const type = strategy === 'OnDelete' ? 'RollingUpdate' : strategy;
  // With OnDelete a new machine comes only in place of one that is gone.
  const limits = { maxSurge: strategy === 'OnDelete' ? 0 : maxSurge, maxUnavailable };
  return { replicas, template: {}, strategy: { type, rollingUpdate: limits } };
}

/** The set of the deployment's template: the one that is not being deleted, if there are two. */
export function newSetOf({ deployment, sets }: Cluster): SimulatedSet | undefined {
  const fitting = sets.filter(({ template }) => template === deployment.template);
  return fitting.find(({ isDeleting }) => !isDeleting) ?? fitting[0];
}

export function mostOf(cluster: Cluster): number {
  return cluster.deployment.replicas + surgeOf(specOf(cluster));
}
