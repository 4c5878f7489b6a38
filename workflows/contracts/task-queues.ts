/**
 * What tells one install of Millwright from another, and every name in Temporal that follows from it. A Temporal namespace
 * may be shared by several installs, of one or of several control clusters: docs/decisions/0009-install-identity.md.
 */
import type { DriverCall } from './driver-activities.ts';

/** The namespaces that an install serves may change; these do not. */
export interface Install {
  /** Id of the control cluster: the UID of its namespace kube-system, or what `--cluster-id` says. */
  cluster: string;
  /** `--install`; by default the namespace that it serves. */
  name: string;
  /** `--cluster-name`: what the ids of this cluster's workflows and schedules begin with. */
  clusterName?: string | undefined;
}

/** The object that a workflow stands for. */
export interface ObjectRef {
  namespace: string;
  name: string;
}

export type Kind = 'machine' | 'machineSet' | 'machineDeployment' | 'machineClass' | 'secret';

/** Of workflows. No part of it can hold a "/", so no two installs have one queue. */
export function taskQueueOf({ cluster, name }: Pick<Install, 'cluster' | 'name'>): string {
  return `millwright/${cluster}/${name}`;
}

export function drainQueueOf(taskQueue: string): string {
  return `${taskQueue}/drain`;
}

/** What the names of a driver's queues begin with. */
export function driverQueuesOf(taskQueue: string, provider: string): string {
  return `${taskQueue}/driver/${provider}`;
}

export function driverQueueOf(taskQueue: string, provider: string, call: DriverCall): string {
  return `${driverQueuesOf(taskQueue, provider)}/${call}`;
}

/**
 * One workflow per object; the id can be typed by hand, e.g. `machine/default/pool-77cfc-8cjpg`. With a cluster name
 * `machine/<cluster name>/default/pool-77cfc-8cjpg`.
 */
export function workflowIdOf(
  kind: Kind,
  { namespace, name }: ObjectRef,
  clusterName?: string,
): string {
  return [kind, ...(clusterName === undefined ? [] : [clusterName]), namespace, name].join('/');
}

/** Undefined for what no object has. */
export function refOfWorkflowId(
  workflowId: string,
): (ObjectRef & { kind: Kind; clusterName?: string }) | undefined {
  const [first, ...parts] = workflowId.split('/');
  const kind = kinds.find((known) => known === first);
  const [clusterName, namespace, name] = parts.length === 2 ? [undefined, ...parts] : parts;
  if (!kind || parts.length > 3 || namespace === undefined || name === undefined) return undefined;
  return { kind, namespace, name, ...(clusterName !== undefined && { clusterName }) };
}

const kinds: Kind[] = ['machine', 'machineSet', 'machineDeployment', 'machineClass', 'secret'];

/** Of a scheduled check, e.g. `safety/orphans/default`. */
export function scheduleIdOf(
  check: string,
  { name, clusterName }: Pick<Install, 'name' | 'clusterName'>,
): string {
  return ['safety', check, ...(clusterName === undefined ? [] : [clusterName]), name].join('/');
}
