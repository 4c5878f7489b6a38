/** Steps for which DisruptionPolicies have a turn and room, which are taken from them. */
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { WrittenSet } from '../../workflows/plan/machine-deployment/rollout/after-steps.ts';
import type { DeploymentStep } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { GateDependencies } from '../disruption/dependencies.ts';
import type { Taken } from '../disruption/grants.ts';
import { takeForRollout } from '../disruption/grants.ts';
import { namesRepair, takeForRepairs } from '../disruption/repairs.ts';
import { readLiving } from './lifecycle.ts';

interface GrantedSteps {
  steps: readonly DeploymentStep[];
  /** Some are left out, or smaller. */
  isCut?: true;
}

type ScaleStep = Extract<DeploymentStep, { action: 'scaleSet' }>;

/** Turn and grants are in the status of the policies when this returns. */
export async function granted(
  dependencies: GateDependencies,
  ref: ObjectReference,
  planned: readonly DeploymentStep[],
): Promise<GrantedSteps> {
  const isRepair = planned.some(repairs) && namesRepair(dependencies);
  if (!isRepair && !planned.some(disrupts)) return { steps: planned };
  const deployment = await readLiving(dependencies.control, ref);
  if (!deployment) return { steps: [] };
  const taken = await takeAll(dependencies, deployment, planned.filter(disrupts));
  const steps: DeploymentStep[] = [];
  for (const step of planned) {
    if (disrupts(step)) steps.push(...within(step, taken));
    else if (repairs(step)) steps.push(await repaired(dependencies, deployment, step));
    else steps.push(step);
  }
  const isSame = steps.length === planned.length && steps.every((step, i) => step === planned[i]);
  return isSame ? { steps } : { steps, isCut: true };
}

async function takeAll(
  dependencies: GateDependencies,
  deployment: MachineDeployment,
  steps: readonly DeploymentStep[],
): Promise<Taken> {
  if (steps.length === 0) return { mayGrow: true, sizes: [] };
  const shrinking = steps.filter(takesMachines);
  const sizes = shrinking.map(({ name, replicas }) => ({ set: name, to: replicas }));
  const isUrgent = steps.some((step) => 'isUrgent' in step && step.isUrgent);
  return await takeForRollout(dependencies, { deployment, sizes, isUrgent });
}

/** With the machines alone that may be replaced now; those that are listed already stay so. */
async function repaired(
  dependencies: GateDependencies,
  deployment: MachineDeployment,
  step: RepairStep,
): Promise<DeploymentStep> {
  const path = customResource('machinesets', deployment.metadata.namespace ?? '', step.set);
  const found = await ignoreNotFound(dependencies.control.get<MachineSet>(path));
  const listed = found?.metadata.annotations?.[annotations.replacements]?.split(',') ?? [];
  const news = step.machines.filter((name) => !listed.includes(name));
  const asked = { set: step.set, machines: news };
  const taken = await takeForRepairs(dependencies, deployment, asked);
  if (taken.length === news.length) return step;
  const machines = step.machines.filter((name) => listed.includes(name) || taken.includes(name));
  return { ...step, machines };
}

/** Tells how many machines the sets have lost. */
export function noteTaken(
  { disrupted }: Pick<GateDependencies, 'disrupted'>,
  steps: readonly DeploymentStep[],
  written: readonly WrittenSet[],
): void {
  const scaled = steps.filter(takesMachines).filter(({ name }) => {
    return written.some((set) => set.name === name);
  });
  const count = scaled.reduce((sum, { from, replicas }) => sum + from - replicas, 0);
  if (count > 0) disrupted('Rollout', count);
}

type RepairStep = Extract<DeploymentStep, { action: 'grantReplacements' }> & {
  machines: string[];
};

/** A set may replace some of its Failed machines. */
function repairs(step: DeploymentStep): step is RepairStep {
  return step.action === 'grantReplacements' && (step.machines ?? []).length > 0;
}

function disrupts(step: DeploymentStep): boolean {
  return 'disrupts' in step && step.disrupts;
}

function takesMachines(step: DeploymentStep): step is ScaleStep {
  return disrupts(step) && step.action === 'scaleSet' && step.replicas < step.from;
}

function within(step: DeploymentStep, { mayGrow, sizes }: Taken): DeploymentStep[] {
  if (!takesMachines(step)) return mayGrow ? [step] : [];
  const { to = step.from } = sizes.find(({ set }) => set === step.name) ?? {};
  if (to >= step.from) return [];
  return [to === step.replicas ? step : { ...step, replicas: to }];
}
