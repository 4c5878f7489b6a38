/**
 * Everything that a caller needs to talk to the workflows: ids, inputs, signals, queries.
 *
 * Signals carry level, not edge: a snapshot and where it was taken. A lost, doubled or reordered
 * signal is harmless, because an older snapshot is ignored and a newer one says everything.
 */
import type { SnapshotVersion } from './references.ts';
import type { SignalDefinition } from '@temporalio/common';
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { DrainReport } from './drain-activities.ts';
import type {
  ClassSnapshot,
  GoneSnapshot,
  MachineSnapshot,
  MachinesSnapshot,
  MissingInstance,
  NodeSnapshot,
  SetSnapshot,
} from './snapshots.ts';

export const machineObserved = defineSignal<[MachineSnapshot]>('machineObserved');
export const machineGone = defineSignal<[GoneSnapshot]>('machineGone');
export const nodeObserved = defineSignal<[NodeSnapshot]>('nodeObserved');
/**
 * The MachineClass or one of its Secrets changed: the class is validated anew, machines that wait
 * for a repair try again.
 */
export const classChanged = defineSignal<[ClassSnapshot]>('classChanged');

/** A doubt, not a fact: the workflow asks the cloud itself, twice. */
export const instanceMissing = defineSignal<[MissingInstance]>('instanceMissing');

/** From the drain activity of this very machine. */
export const drainReport = defineSignal<[DrainReport]>('drainReport');
/** Pods that are left, what is in the way, the deadline. */
export const drainQuery = defineQuery<unknown>('drain');

export const machineSetObserved = defineSignal<[SetSnapshot]>('machineSetObserved');
export const machineSetGone = defineSignal<[GoneSnapshot]>('machineSetGone');
/** Says "something changed": the set reads its machines, as consistently as a LIST. */
export const machinesChanged = defineSignal<[MachinesSnapshot]>('machinesChanged');

export const machineDeploymentObserved = defineSignal<[SetSnapshot]>('machineDeploymentObserved');
export const machineDeploymentGone = defineSignal<[GoneSnapshot]>('machineDeploymentGone');
/** Says only "something changed": the deployment reads its sets by a consistent LIST. */
export const machineSetsChanged = defineSignal<[SnapshotVersion]>('machineSetsChanged');

/**
 * Says only "something changed" of a MachineDeployment of `cluster.k8s.io` or of its mirror. Of the
 * front, not of the watcher.
 */
export const poolChanged = defineSignal<[PoolNews]>('poolChanged');

export interface PoolNews extends Pick<SnapshotVersion, 'cluster'> {
  /** A Node of the pool is not to be drained: all of them are read. */
  ofNodes?: boolean;
}

/** Machines use a class, or a class uses a Secret, for the first time or no more. */
export const useChanged = defineSignal<[SnapshotVersion]>('useChanged');

/** Signals of the watcher. */
export const watcherSignals = {
  machineObserved,
  machineGone,
  nodeObserved,
  classChanged,
  machineSetObserved,
  machineSetGone,
  machinesChanged,
  machineDeploymentObserved,
  machineDeploymentGone,
  machineSetsChanged,
  useChanged,
};

export type SignalName = keyof typeof watcherSignals;

/** The payload of each signal. */
export type SignalPayloads = {
  [Name in SignalName]: (typeof watcherSignals)[Name] extends SignalDefinition<[infer Payload]>
    ? Payload
    : never;
};

/** The plan of a rollout, what blocks it and what comes next. */
export const rolloutQuery = defineQuery<unknown>('rollout');

/** Which object a run stands for, as far as it knows. */
export interface FollowedObject {
  /** Absent before the object was signalled or read. */
  uid?: string;
  isGone: boolean;
}

/** For programs of ours: the state has another form in each kind. */
export const objectQuery = defineQuery<FollowedObject>('object');

/** The whole state of a workflow, for people and tests. */
export const stateQuery = defineQuery<unknown>('state');
