/** `maxSurge` and `maxUnavailable`: counts or percentages of `replicas`. */
import type {
  MachineDeploymentSpec,
  MachineDeploymentStrategy,
  RollingUpdateMachineDeployment,
} from '../../api/machine-deployment.ts';

type IntOrPercent = number | string;

/**
 * Machines above `replicas` during a rollout, rolling or in place. A percentage is rounded up. MCM
 * v0.62.1 has those of an update in place in the first size of the new set only.
 */
export function surgeOf({ strategy = {}, replicas = 0 }: MachineDeploymentSpec): number {
  return countOf(boundsOf(strategy)?.maxSurge, replicas, Math.ceil);
}

/** The surge of the strategy, rolling or in place, if it has one. */
export function anySurgeOf({ strategy, replicas = 0 }: MachineDeploymentSpec): number {
  const { rollingUpdate, inPlaceUpdate } = strategy ?? {};
  return countOf(rollingUpdate?.maxSurge ?? inPlaceUpdate?.maxSurge, replicas, Math.ceil);
}

/**
 * Machines that may be missing during a rollout. A percentage is rounded down, so that a small set
 * never drops below what was asked; where neither surge nor this would allow a step, one machine
 * may be missing.
 */
export function unavailableOf({ strategy = {}, replicas = 0 }: MachineDeploymentSpec): number {
  const bounds = boundsOf(strategy);
  if (!bounds || replicas <= 0) return 0;
  const count = countOf(bounds.maxUnavailable, replicas, Math.floor);
  if (count === 0 && countOf(bounds.maxSurge, replicas, Math.ceil) === 0) return 1;
  return Math.min(count, replicas);
}

/** Undefined for a strategy without. As in MCM v0.62.1, updates in place by hand have no surge. */
function boundsOf(strategy: MachineDeploymentStrategy): RollingUpdateMachineDeployment | undefined {
  const { type, rollingUpdate = {}, inPlaceUpdate = {} } = strategy;
  if (type === 'RollingUpdate') return rollingUpdate;
  if (type !== 'InPlaceUpdate') return undefined;
  return isManual(strategy) ? { ...inPlaceUpdate, maxSurge: 0 } : inPlaceUpdate;
}

/** An update in place for which people select the machines. */
export function isManual({ type, inPlaceUpdate }: MachineDeploymentStrategy = {}): boolean {
  return type === 'InPlaceUpdate' && inPlaceUpdate?.orchestrationType === 'Manual';
}

function countOf(
  value: IntOrPercent | undefined,
  replicas: number,
  round: (count: number) => number,
): number {
  if (typeof value === 'number') return bounded(value);
  // Anything else is a fault of the spec, which is not followed then.
  const amount = bounded(Number(/^\+?(\d+)%?$/.exec(value ?? '')?.[1] ?? 0));
  return value?.endsWith('%') ? bounded(round((amount * replicas) / 100)) : amount;
}

/** The API's own limit. */
const most = 2 ** 31 - 1;

function bounded(count: number): number {
  return Math.min(Math.max(count, 0), most);
}
