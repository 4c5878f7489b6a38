/** Which object something is said of, and of which state of it. */

import type { Operations } from './tracing.ts';

/** The object that a workflow stands for. */
export interface NamespacedName {
  namespace: string;
  name: string;
}

export type Kind = 'machine' | 'machineSet' | 'machineDeployment' | 'machineClass' | 'secret';

/** An object, and which life of it: a step for another UID does nothing. */
export interface ObjectReference extends NamespacedName {
  uid: string;
}

/** The cluster that gave an object its resourceVersion. */
export type VersionSource = 'control' | 'target';

declare const versionSource: unique symbol;

/**
 * Where and when a snapshot was taken. `Source` is for the compiler alone: resourceVersions of two
 * clusters say nothing of each other, so snapshots of the one cannot be compared with those of the
 * other.
 */
export interface SnapshotVersion<Source extends VersionSource = 'control'> {
  readonly [versionSource]?: Source;
  /**
   * UID of the namespace `kube-system` of the control cluster: signals of other clusters are
   * refused.
   */
  cluster: string;
  /**
   * Transitions of the watcher's Lease. A later leader wins over any resourceVersion of an earlier
   * one.
   */
  epoch: number;
  /** resourceVersion of the object, or of the event that removed it. */
  resourceVersion: string;
}

/**
 * Is `a` later than `b`? resourceVersions are decimal numbers of one cluster (comparable by
 * KEP-5504).
 */
export function isNewer<Source extends VersionSource>(
  a: SnapshotVersion<Source>,
  b: SnapshotVersion<NoInfer<Source>> | undefined,
): boolean {
  if (b === undefined || a.epoch > b.epoch) return true;
  return a.epoch === b.epoch && BigInt(a.resourceVersion) > BigInt(b.resourceVersion);
}

/** What a launch goes by before its Machine is read: docs/decisions/0063-one-step-each-way.md. */
export interface Launch {
  /** Of its class. */
  provider: string;
  /** Its creation timeout, milliseconds. */
  deadline: number;
}

/** Starts a workflow. Whatever else it needs it reads itself. */
export interface WorkflowInput {
  ref: NamespacedName;
  cluster: string;
  /** Only of a new Machine, where the first step may be its whole launch. */
  launch?: Launch;
  /** Operations of this run: put there by an interceptor, and never sent. Absent in some tests. */
  operations?: Operations;
}
