/** Carries out what a MachineDeployment planned. */
import type { ApplyInput, ApplyOutcome, LifeRef } from '../../workflows/activities.ts';
import { annotations, labels, options } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { WrittenSet } from '../../workflows/plan/rollout/after-steps.ts';
import type { DeploymentStep } from '../../workflows/plan/rollout/steps.ts';
import type { KubeClient } from '../kube/client.ts';
import { isAlreadyExists, isRefusal } from '../kube/errors.ts';
import { release } from '../kube/finalizer.ts';
import { orUndefined, unlessChanged } from '../kube/optional.ts';
import { customResource } from '../kube/paths.ts';
import { readLife, reportOn } from './life.ts';
import { newSetNamed, newSetOf, scalingAnnotations, syncPatchOf } from './new-set.ts';
import { refuseRollback, rollBack } from './rollback.ts';

type Step<Action extends DeploymentStep['action']> = Extract<DeploymentStep, { action: Action }>;

/**
 * Runs the steps in their order. A write holds only for the set that was planned for: where that changed meanwhile, the step
 * is left out, and the sets that are returned do not have it.
 */
export async function applyDeploymentSteps(
  control: KubeClient,
  { deployment, steps, scaling }: ApplyInput,
): Promise<ApplyOutcome> {
  const changes = new SetChanges(control, deployment);
  try {
    for (const step of steps) {
      if (step.action === 'scaleSet') await changes.scale(step, scaling);
      else if (step.action === 'closeSet') await changes.close(step);
      else if (isOwnStep(step)) await applyToDeployment(control, deployment, step);
      else await applyToSets(control, deployment, step);
    }
  } catch (error) {
    // To send the same again at once is of no use: the workflow says it on the object and backs off.
    if (!isRefusal(error)) throw error;
    return { written: changes.written, error: error.message };
  }
  return { written: changes.written };
}

type OwnStep = Step<'rollBack' | 'refuseRollback' | 'giveUp' | 'forgetGivenUp' | 'release'>;
type SetStep = Exclude<DeploymentStep, OwnStep | Step<'scaleSet' | 'closeSet'>>;

function isOwnStep(step: OwnStep | SetStep): step is OwnStep {
  return ['rollBack', 'refuseRollback', 'giveUp', 'forgetGivenUp', 'release'].includes(step.action);
}

async function applyToSets(control: KubeClient, deployment: LifeRef, step: SetStep): Promise<void> {
  switch (step.action) {
    case 'createSet':
      return await createSet(control, deployment, step);
    case 'syncSet':
      return await syncSet(control, deployment, step);
    case 'deleteSets':
      return await deleteSets(control, deployment, step);
    case 'grantReplacements':
      return await grantReplacements(control, deployment, step);
    case 'markMachines':
      return await markMachines(control, deployment, step);
  }
}

async function applyToDeployment(
  control: KubeClient,
  deployment: LifeRef,
  step: OwnStep,
): Promise<void> {
  switch (step.action) {
    case 'rollBack':
      return await rollBack(control, deployment, step);
    case 'refuseRollback':
      return await refuseRollback(control, deployment, step);
    case 'giveUp':
      return await giveUp(control, deployment, step);
    case 'forgetGivenUp':
      return await annotate(control, deployment, { [options.rolledBackFrom]: null });
    case 'release':
      return await release(control, 'machinedeployments', deployment);
  }
}

/** Writes to sets one after the other: the second to the same set holds for what the first one left. */
class SetChanges {
  readonly #control: KubeClient;
  readonly #deployment: LifeRef;
  readonly #versions = new Map<string, string>();

  constructor(control: KubeClient, deployment: LifeRef) {
    this.#control = control;
    this.#deployment = deployment;
  }

  get written(): WrittenSet[] {
    return [...this.#versions].map(([name, resourceVersion]) => ({ name, resourceVersion }));
  }

  async scale(step: Step<'scaleSet'>, { desired, max }: ApplyInput['scaling']): Promise<void> {
    const { name, from, replicas } = step;
    const notes = scalingAnnotations(desired, max);
    const isDone = await this.#patch(step, {
      metadata: { annotations: notes },
      spec: { replicas },
    });
    if (!isDone || from === replicas) return;
    const direction = replicas > from ? 'up' : 'down';
    const message = `Scaled ${direction} machine set ${name} to ${replicas}`;
    await reportOn(this.#control, this.#deployment, {
      type: 'Normal',
      reason: 'ScalingMachineSet',
      message,
    });
  }

  async close(step: Step<'closeSet'>): Promise<void> {
    const value = step.isClosed ? 'true' : null;
    await this.#patch(step, { metadata: { labels: { [labels.scaleUpDisabled]: value } } });
  }

  /** False when the set changed meanwhile: the next look plans anew. */
  async #patch(
    { name, resourceVersion: planned }: { name: string; resourceVersion: string },
    patch: { metadata: object; spec?: object },
  ): Promise<boolean> {
    const resourceVersion = this.#versions.get(name) ?? planned;
    const metadata = { ...patch.metadata, resourceVersion };
    const path = customResource('machinesets', this.#deployment.namespace, name);
    const body = { ...patch, metadata };
    const set = await unlessChanged(this.#control.patch<MachineSet>(path, 'merge', body));
    if (set) this.#versions.set(name, set.metadata.resourceVersion);
    return set !== undefined;
  }
}

async function createSet(
  control: KubeClient,
  ref: LifeRef,
  { name, replicas, revision }: Step<'createSet'>,
): Promise<void> {
  const deployment = await readLife(control, ref);
  if (!deployment || deployment.metadata.deletionTimestamp !== undefined) return;
  // Another name means another template than the one that was planned for.
  const newSet = newSetNamed(deployment, name);
  const { metadata, spec } = deployment;
  if (!newSet || spec.paused || metadata.deletionTimestamp !== undefined) return;
  try {
    const set = newSetOf(deployment, { ...newSet, replicas, revision });
    await control.create(customResource('machinesets', ref.namespace), set);
  } catch (error) {
    // Ours, by an attempt whose answer was lost: the next look finds it.
    if (isAlreadyExists(error)) return;
    throw error;
  }
  if (replicas === 0) return;
  const message = `Scaled up machine set ${name} to ${replicas}`;
  await reportOn(control, ref, { type: 'Normal', reason: 'ScalingMachineSet', message });
}

async function syncSet(
  control: KubeClient,
  ref: LifeRef,
  { name, resourceVersion, revision }: Step<'syncSet'>,
): Promise<void> {
  const path = customResource('machinesets', ref.namespace, name);
  const deployment = await readLife(control, ref);
  const set = await orUndefined(control.get<MachineSet>(path));
  if (!deployment || set?.metadata.resourceVersion !== resourceVersion) return;
  const patch = syncPatchOf(deployment, set, revision);
  if (patch) await unlessChanged(control.patch(path, 'merge', patch));
}

async function grantReplacements(
  control: KubeClient,
  { namespace }: LifeRef,
  { set, machines }: Step<'grantReplacements'>,
): Promise<void> {
  const notes = { [annotations.replacements]: machines ? machines.join(',') : null };
  const path = customResource('machinesets', namespace, set);
  await orUndefined(control.patch(path, 'merge', { metadata: { annotations: notes } }));
}

/** The list is shortened only if the autoscaler has not written another one meanwhile. */
async function markMachines(
  control: KubeClient,
  { namespace, name: deployment }: LifeRef,
  { machines, was, list }: Step<'markMachines'>,
): Promise<void> {
  for (const { name, time } of machines) {
    const notes = { [annotations.priority]: '1', [annotations.markedForDeletionTime]: time };
    const path = customResource('machines', namespace, name);
    await orUndefined(control.patch(path, 'merge', { metadata: { annotations: notes } }));
  }
  if (list === was) return;
  const path = customResource('machinedeployments', namespace, deployment);
  const { metadata } = await control.get<MachineDeployment>(path);
  if (metadata.annotations?.[annotations.triggerDeletion] !== was) return;
  const { uid, resourceVersion } = metadata;
  const notes = { [annotations.triggerDeletion]: list };
  const patch = { metadata: { uid, resourceVersion, annotations: notes } };
  await unlessChanged(control.patch(path, 'merge', patch));
}

async function giveUp(
  control: KubeClient,
  deployment: LifeRef,
  { set, reason }: Step<'giveUp'>,
): Promise<void> {
  await annotate(control, deployment, { [options.rolledBackFrom]: set });
  const text = { type: 'Warning', reason: 'AutomaticRollback', message: reason } as const;
  await reportOn(control, deployment, text);
}

async function annotate(
  control: KubeClient,
  { namespace, name, uid }: LifeRef,
  notes: Record<string, string | null>,
): Promise<void> {
  const path = customResource('machinedeployments', namespace, name);
  const patch = { metadata: { uid, annotations: notes } };
  await unlessChanged(control.patch(path, 'merge', patch));
}

async function deleteSets(
  control: KubeClient,
  { namespace }: LifeRef,
  { names }: Step<'deleteSets'>,
): Promise<void> {
  for (const name of names) {
    await orUndefined(control.delete(customResource('machinesets', namespace, name)));
  }
}
