/**
 * Identity of one install of Millwright, and every name in Temporal that follows from it. A
 * Temporal namespace may be shared by several installs, of one or of several control clusters:
 * docs/decisions/0009-install-identity.md.
 */
import type { DriverCall } from './driver-activities.ts';

/** The namespaces that an install serves may change; these do not. */
export interface Install {
  /**
   * Id of the control cluster: the UID of its namespace kube-system, or what `--cluster-id` says.
   */
  cluster: string;
  /** `--install`; by default the namespace that it serves. */
  name: string;
  /** `--cluster-name`: what the ids of this cluster's workflows and schedules begin with. */
  clusterName?: string | undefined;
}

/** Task queue of workflows. No part of it can hold a "/", so no two installs have one queue. */
export function taskQueueOf({ cluster, name }: Pick<Install, 'cluster' | 'name'>): string {
  return `millwright/${cluster}/${name}`;
}

export function drainQueueOf(taskQueue: string): string {
  return `${taskQueue}/drain`;
}

/** Of the workflows and activities of the front. */
export function frontQueueOf(taskQueue: string): string {
  return `${taskQueue}/front`;
}

/** Prefix of the names of a driver's queues. */
export function driverQueuesOf(taskQueue: string, provider: string): string {
  return `${taskQueue}/driver/${provider}`;
}

export function driverQueueOf(taskQueue: string, provider: string, call: DriverCall): string {
  return `${driverQueuesOf(taskQueue, provider)}/${call}`;
}
