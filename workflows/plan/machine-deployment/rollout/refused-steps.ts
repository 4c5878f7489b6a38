/**
 * Writes of a MachineDeployment that the API server refuses: what they are for is left alone for a
 * while, and all else goes on.
 */
import type { RefusedWrites, Requeue } from '../../requeues.ts';
import { isHeld } from '../../requeues.ts';
import type { DeploymentFacts } from './facts.ts';
import type { DeploymentStep } from './steps.ts';

/** Failures that are tried again later. */
export interface DeploymentRequeues {
  /** Steps on sets that were refused, or did not last; of those on which the whole plan depends. */
  steps?: Requeue;
  /** The step `syncSet`, so that replicas are served while it waits. */
  sync?: Requeue;
  /** Writes to single objects, such as `MachineSet/pool-1`. */
  refused?: RefusedWrites;
  /** Work on Nodes. */
  nodes?: Requeue;
}

/** The deployment itself, and its status. */
export const ownSubject = 'MachineDeployment';
export const statusSubject = 'the status';

/** Other objects are named by kind and name, e.g. `MachineSet/pool-1`. */
export function setSubject(name: string): string {
  return `MachineSet/${name}`;
}

export function machineSubject(name: string): string {
  return `Machine/${name}`;
}

/**
 * The objects that a step is for and that can be refused one by one; none where the whole plan
 * depends on it.
 */
export function subjectsOf(step: DeploymentStep): string[] {
  if (step.action === 'scaleSet' || step.action === 'closeSet') return [setSubject(step.name)];
  if (step.action === 'grantReplacements') return [setSubject(step.set)];
  if (step.action === 'deleteSets') return step.names.map(setSubject);
  if (step.action === 'noteWave' || step.action === 'passWave') return [ownSubject];
  if (step.action !== 'markMachines') return [];
  const own = step.list === step.was ? [] : [ownSubject];
  return [...namesIn(step).map(machineSubject), ...own];
}

function namesIn({ preferred, machines }: Extract<DeploymentStep, { action: 'markMachines' }>) {
  return [...new Set([...preferred, ...machines.map(({ name }) => name)])];
}

/** The steps, without what was refused a short while ago. */
export function allowedSteps(
  { sets }: Pick<DeploymentFacts, 'sets'>,
  steps: readonly DeploymentStep[],
  { requeues, now }: { requeues: DeploymentRequeues; now: number },
): DeploymentStep[] {
  const { refused } = requeues;
  if (!refused || !isHeld(requeues, 'refused', now)) return [...steps];
  const held = new Set(refused.names);
  const own = new Set(sets.map(({ name }) => setSubject(name)));
  // A set that cannot be adopted has machines of ours: another one would make them twice.
  const lacksSet = refused.names.some((name) => name.startsWith(setSubject('')) && !own.has(name));
  return steps
    .filter(({ action }) => action !== 'createSet' || !lacksSet)
    .flatMap((step) => withoutHeld(step, held) ?? []);
}

function withoutHeld(step: DeploymentStep, held: ReadonlySet<string>): DeploymentStep | undefined {
  if (step.action === 'deleteSets') {
    const names = step.names.filter((name) => !held.has(setSubject(name)));
    return names.length > 0 ? { ...step, names } : undefined;
  }
  if (step.action === 'markMachines') {
    const preferred = step.preferred.filter((name) => !held.has(machineSubject(name)));
    const machines = step.machines.filter(({ name }) => !held.has(machineSubject(name)));
    const list = held.has(ownSubject) ? step.was : step.list;
    const isNothing = preferred.length + machines.length === 0 && list === step.was;
    return isNothing ? undefined : { ...step, preferred, machines, list };
  }
  return subjectsOf(step).some((name) => held.has(name)) ? undefined : step;
}
