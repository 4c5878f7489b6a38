import type { Kind, NamespacedName } from './references.ts';
import type { Install } from './task-queues.ts';
/**
 * Ids in Temporal that follow from an object or an install:
 * docs/decisions/0009-install-identity.md.
 */
/**
 * One workflow per object; the id can be typed by hand, e.g. `machine/default/pool-77cfc-8cjpg`.
 * With a cluster name `machine/<cluster name>/default/pool-77cfc-8cjpg`.
 */
export function workflowIdOf(
  kind: Kind,
  { namespace, name }: NamespacedName,
  clusterName?: string,
): string {
  return [kind, ...(clusterName === undefined ? [] : [clusterName]), namespace, name].join('/');
}

/**
 * Of the mirror of a MachineDeployment of `cluster.k8s.io`. That of our MachineDeployment differs
 * in the first part alone, as both have one name.
 */
export function frontIdOf(ref: NamespacedName, clusterName?: string): string {
  return `front/${workflowIdOf('machineDeployment', ref, clusterName).slice(mirrored.length)}`;
}

/** From the id of the mirror to that of our MachineDeployment. */
export function mirroredIdOf(frontId: string): string {
  return frontId.replace(/^front\//, mirrored);
}

const mirrored = 'machineDeployment/';

/** Undefined for what no object has. */
export function refOfWorkflowId(
  workflowId: string,
): (NamespacedName & { kind: Kind; clusterName?: string }) | undefined {
  const [first, ...parts] = workflowId.split('/');
  const kind = kinds.find((known) => known === first);
  const [clusterName, namespace, name] = parts.length === 2 ? [undefined, ...parts] : parts;
  if (!kind || parts.length > 3 || namespace === undefined || name === undefined) return undefined;
  return { kind, namespace, name, ...(clusterName !== undefined && { clusterName }) };
}

const kinds: Kind[] = ['machine', 'machineSet', 'machineDeployment', 'machineClass', 'secret'];

/**
 * Id of the Schedule of a check, e.g. `safety/orphans/default`; of one namespace of a fleet, e.g.
 * `safety/orphans/fleet-eu:shoot--dev`. No other part can hold a ":".
 */
export function scheduleIdOf(
  check: string,
  {
    name,
    clusterName,
    fleetNamespace,
  }: Pick<Install, 'name' | 'clusterName'> & { fleetNamespace?: string },
): string {
  const last = fleetNamespace === undefined ? name : `${name}:${fleetNamespace}`;
  return ['safety', check, ...(clusterName === undefined ? [] : [clusterName]), last].join('/');
}
