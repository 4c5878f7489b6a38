/** The steps of a rollout for which its DisruptionPolicies have a turn and room, taken from them. */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { WrittenSet } from '../../workflows/plan/machine-deployment/rollout/after-steps.ts';
import type { DeploymentStep } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { GateDependencies } from '../disruption/dependencies.ts';
import type { SetSize } from '../disruption/grants.ts';
import { takeForRollout } from '../disruption/grants.ts';
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
  if (!planned.some(disrupts)) return { steps: planned };
  const deployment = await readLiving(dependencies.control, ref);
  if (!deployment) return { steps: [] };
  const sizes = planned.filter(takesMachines).map(({ name, replicas }) => ({
    set: name,
    to: replicas,
  }));
  const isUrgent = planned.some((step) => 'isUrgent' in step && step.isUrgent);
  const taken = await takeForRollout(dependencies, { deployment, sizes, isUrgent });
  const steps = planned.flatMap((step) => (disrupts(step) ? (within(step, taken) ?? []) : step));
  const isSame = steps.length === planned.length && steps.every((step, i) => step === planned[i]);
  return isSame ? { steps } : { steps, isCut: true };
}

/** Tells how many machines the sets have lost. */
export function noteDisrupted(
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

function disrupts(step: DeploymentStep): boolean {
  return 'disrupts' in step && step.disrupts;
}

function takesMachines(step: DeploymentStep): step is ScaleStep {
  return disrupts(step) && step.action === 'scaleSet' && step.replicas < step.from;
}

function within(
  step: DeploymentStep,
  { mayGrow, sizes }: { mayGrow: boolean; sizes: readonly SetSize[] },
): DeploymentStep | undefined {
  if (!takesMachines(step)) return mayGrow ? step : undefined;
  const { to = step.from } = sizes.find(({ set }) => set === step.name) ?? {};
  if (to >= step.from) return undefined;
  return to === step.replicas ? step : { ...step, replicas: to };
}
