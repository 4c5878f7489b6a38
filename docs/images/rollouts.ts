/**
 * What the pictures of rollouts show: one that holds after its first machines, one that goes on,
 * one that is stuck.
 */
import { customResource } from '../../kube/client/paths.ts';
import { options } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { DemoWorld } from './demo-world.ts';
import { createAll, deleteAll, forgetFault, letNoneJoin, untilFound } from './demo-world.ts';
import type { Manifest } from './manifests.ts';
import { classNamed, deploymentOf, specOf } from './manifests.ts';

export interface RolloutDemo {
  /** A MachineDeployment whose new machines stopped joining in the middle. */
  stuck: string;
  /** Deletes all of it. */
  end(): Promise<void>;
}

const first = 'web';
const next = 'web-next';
const held = 'api';
const slow = 'cache';
const stuck = 'batch';
/** So many new machines join before the others do not. */
const joining = 2;
const within = { seconds: 180 };

const manifests: Manifest[] = [
  classNamed(next, { size: 'medium' }),
  deploymentOf({
    name: held,
    replicas: 8,
    className: first,
    annotations: { [options.canary]: '25%' },
  }),
  deploymentOf({ name: slow, replicas: 4, className: first }),
  deploymentOf({ name: stuck, replicas: 6, className: first, progressDeadlineSeconds: 10 }),
];

/** Needs the class of `startDemo`. Resolves when each rollout is where it is to be shown. */
export async function startRollouts(world: DemoWorld): Promise<RolloutDemo> {
  const end = (): Promise<void> => endRollouts(world);
  for (const name of [slow, stuck]) await forgetFault(world, globOf(name));
  await createAll(world, manifests);
  try {
    for (const name of [held, slow, stuck]) await untilStatus(world, name, isWhole);
    for (const name of [held, slow, stuck]) await roll(world, name);
    await Promise.all([slow, stuck].map((name) => stopJoining(world, name)));
    await untilStatus(world, held, (one) => reasonOf(one) === 'DeploymentPaused');
    await untilStatus(world, stuck, (one) => reasonOf(one) === 'ProgressDeadlineExceeded');
  } catch (error) {
    await end();
    throw error;
  }
  return { stuck, end };
}

async function roll({ kube, namespace }: DemoWorld, name: string): Promise<void> {
  const patch = { spec: { template: { spec: specOf(next) } } };
  await kube.patch(customResource('machinedeployments', namespace, name), 'merge', patch);
}

async function stopJoining(world: DemoWorld, name: string): Promise<void> {
  await untilStatus(world, name, ({ metadata: { generation = 0 }, status = {} }) => {
    const { observedGeneration = 0, updatedReplicas = 0 } = status;
    return observedGeneration >= generation && updatedReplicas >= joining;
  });
  await letNoneJoin(world, globOf(name));
}

function globOf(name: string): string {
  return `${name}-*`;
}

async function untilStatus(
  { kube, namespace }: DemoWorld,
  name: string,
  isThere: (deployment: MachineDeployment) => boolean,
): Promise<void> {
  const path = customResource('machinedeployments', namespace, name);
  await untilFound({ ...within, what: `MachineDeployment ${name}` }, async () => {
    const deployment = await kube.get<MachineDeployment>(path);
    return isThere(deployment) ? deployment : undefined;
  });
}

function isWhole(deployment: MachineDeployment): boolean {
  return reasonOf(deployment) === 'NewMachineSetAvailable';
}

function reasonOf({ status }: MachineDeployment): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Progressing')?.reason;
}

async function endRollouts(world: DemoWorld): Promise<void> {
  await deleteAll(world, manifests);
  for (const name of [slow, stuck]) await forgetFault(world, globOf(name));
}
