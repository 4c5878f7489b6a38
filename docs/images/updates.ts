/** What the picture of an update in place shows: a Node that is drained, and whose agent works. */
import { customResource } from '../../kube/client/paths.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { DemoWorld } from './demo-world.ts';
import { createAll, deleteAll, untilFound } from './demo-world.ts';
import type { Manifest } from './manifests.ts';
import { classNamed, deploymentOf, specOf } from './manifests.ts';

export interface UpdateDemo {
  /** A Machine whose update waits for its agent, which the local stack has only if it is asked to. */
  waiting: string;
  /** Deletes all of it. */
  end(): Promise<void>;
}

const first = 'web';
const next = 'web-updated';
const pool = 'store';
const within = { seconds: 180 };

const manifests: Manifest[] = [
  classNamed(next, { size: 'small' }),
  deploymentOf({
    name: pool,
    replicas: 3,
    className: first,
    strategy: {
      type: 'InPlaceUpdate',
      inPlaceUpdate: { maxSurge: 0, maxUnavailable: 1, orchestrationType: 'Auto' },
    },
  }),
];

/** Needs the class of `startDemo`. Resolves when the agent may begin. */
export async function startUpdates(world: DemoWorld): Promise<UpdateDemo> {
  const { kube, namespace } = world;
  const end = (): Promise<void> => deleteAll(world, manifests);
  const path = customResource('machinedeployments', namespace, pool);
  await createAll(world, manifests);
  try {
    await untilFound({ ...within, what: `MachineDeployment ${pool}` }, async () => {
      const { status } = await kube.get<MachineDeployment>(path);
      return status?.availableReplicas === 3 || undefined;
    });
    await kube.patch(path, 'merge', { spec: { template: { spec: specOf(next) } } });
    const waiting = await untilFound({ ...within, what: 'an update in place' }, async () => {
      const { items } = await kube.list<Machine>(customResource('machines', namespace));
      return items.find(isUpdating)?.metadata.name;
    });
    return { waiting, end };
  } catch (error) {
    await end();
    throw error;
  }
}

function isUpdating({ status }: Machine): boolean {
  return status?.currentStatus?.phase === 'InPlaceUpdating';
}
