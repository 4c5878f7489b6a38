/** Carries out what a MachineDeployment planned. */
import type { LifeRef, MachineDeploymentActivities } from '../../workflows/activities.ts';
import { apiVersion } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { KubeClient } from '../kube/client.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../kube/errors.ts';
import { recordEvent } from '../kube/events.ts';
import { release } from '../kube/finalizer.ts';
import { orUndefined } from '../kube/optional.ts';
import { customResource } from '../kube/paths.ts';
import { newSetOf, scalingAnnotationsOf } from './new-set.ts';

type Step = Parameters<MachineDeploymentActivities['applyDeploymentStep']>[0]['step'];

export async function applyDeploymentStep(
  control: KubeClient,
  { deployment, step }: { deployment: LifeRef; step: Step },
): Promise<void> {
  switch (step.action) {
    case 'createSet':
      return await createSet(control, deployment, step);
    case 'scaleSet':
      return await scaleSet(control, deployment, step);
    case 'deleteSets':
      return await deleteSets(control, deployment, step.names);
    case 'release':
      return await release(control, 'machinedeployments', deployment);
  }
}

async function createSet(
  control: KubeClient,
  ref: LifeRef,
  { name, replicas }: Extract<Step, { action: 'createSet' }>,
): Promise<void> {
  const deployment = await readLife(control, ref);
  if (!deployment) return;
  try {
    const set = newSetOf(deployment, { name, replicas });
    await control.create(customResource('machinesets', ref.namespace), set);
  } catch (error) {
    // Ours, by an attempt whose answer was lost: the next look finds it.
    if (isAlreadyExists(error)) return;
    throw error;
  }
  await reportScaling(control, ref, `Scaled up machine set ${name} to ${replicas}`);
}

/** The write holds only for the set that was read. */
async function scaleSet(
  control: KubeClient,
  ref: LifeRef,
  { name, resourceVersion, replicas, reason }: Extract<Step, { action: 'scaleSet' }>,
): Promise<void> {
  const deployment = await readLife(control, ref);
  if (!deployment || (deployment.spec.replicas ?? 0) !== replicas) return;
  const metadata = { resourceVersion, annotations: scalingAnnotationsOf(deployment) };
  try {
    const path = customResource('machinesets', ref.namespace, name);
    await control.patch(path, 'merge', { metadata, spec: { replicas } });
  } catch (error) {
    // The set changed meanwhile: the next look plans anew.
    if (isConflict(error) || isNotFound(error)) return;
    throw error;
  }
  await reportScaling(control, ref, `Scaled machine set ${name} to ${replicas}: ${reason}`);
}

async function deleteSets(control: KubeClient, ref: LifeRef, names: string[]): Promise<void> {
  for (const name of names) {
    await orUndefined(control.delete(customResource('machinesets', ref.namespace, name)));
  }
}

/** Undefined when the object is gone or another life has its name. */
async function readLife(
  control: KubeClient,
  { namespace, name, uid }: LifeRef,
): Promise<MachineDeployment | undefined> {
  const path = customResource('machinedeployments', namespace, name);
  const deployment = await orUndefined(control.get<MachineDeployment>(path));
  return deployment?.metadata.uid === uid ? deployment : undefined;
}

async function reportScaling(
  control: KubeClient,
  { namespace, name, uid }: LifeRef,
  message: string,
): Promise<void> {
  await recordEvent(
    control,
    { apiVersion, kind: 'MachineDeployment', namespace, name, uid },
    {
      type: 'Normal',
      reason: 'ScalingMachineSet',
      message,
      component: 'machine-controller-manager',
    },
  );
}
