/**
 * The process of `bench bare`: makes as many Machines as it is told to, or deletes them all, and
 * carries out their workflows.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { Reflector } from '../../../kube/cache/reflector.ts';
import { createVirtualCloudClient } from '../../../activities/drivers/virtual/client.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import { loadKubeConfig } from '../../../kube/client/kubeconfig.ts';
import { customResource, node } from '../../../kube/client/paths.ts';
import { isReady, type Node } from '../../../kube/objects/nodes.ts';
import { inParallel } from '../../../activities/runtime/parallel.ts';
import { apiVersion, finalizers } from '../../../workflows/api/constants.ts';
import { bundleWorkflows } from '../../../workers/temporal/bundle-workflows.ts';
import { LeanWorker } from '../../../workers/temporal/sandbox/lean-worker.ts';
import {
  corePolls,
  localActivitySlots,
  workflowSlots,
  workflowTuner,
} from '../../../workers/temporal/workers.ts';
import { WorkflowSlotSupplier } from '../../../workers/temporal/workflow-slot-supplier.ts';
import { namespace, poolName } from '../pool.ts';
import { createBareActivities } from './activities.ts';
import type { BareMachine } from './activities.ts';
import { deleted, ready } from './workflow.ts';
import type { bareMachine } from './workflow.ts';

const [kubeconfig = '', cloudUrl = '', address = ''] = process.argv.slice(2);
const taskQueue = 'bare';
/** Requests at a time. */
const width = 20;

const kube = createKubeClient({ kubeConfig: loadKubeConfig(kubeconfig), userAgent: 'bare' });
const cloud = createVirtualCloudClient({ url: new URL(cloudUrl), callTimeoutSeconds: 30 });
const temporal = new Client({ connection: await Connection.connect({ address }) });
const cores = availableParallelism();
const slots = new WorkflowSlotSupplier({ ...workflowSlots(cores), timeoutMs: 10_000 });
const worker = await LeanWorker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: await bundleWorkflows({
    workflowsPath: fileURLToPath(new URL('workflow.ts', import.meta.url)),
  }),
  activities: { ...createBareActivities(kube, cloud) },
  tuner: workflowTuner(slots, { regular: 100, local: localActivitySlots(cores) }),
  ...corePolls,
});
void worker.run();

/** Whether what the workflow waits for is there. */
interface Seen extends BareMachine {
  resourceVersion: string;
  isDue: boolean;
}

function watch<K extends KubeObject>(
  path: string,
  isDue: (object: K) => boolean,
  on: { first(seen: Seen): Promise<unknown>; due(seen: Seen): Promise<unknown> },
): Reflector<K, Seen> {
  return new Reflector<K, Seen>({
    client: kube,
    path,
    transform: (object) => {
      const { name, uid, resourceVersion } = object.metadata;
      return { name, uid, resourceVersion, isDue: isDue(object) };
    },
    onChange: ({ type, object, previous }) => {
      if (type === 'gone') return;
      if (!previous) void on.first(object);
      if (object.isDue && !previous?.isDue) void on.due(object);
    },
    onError: (error) => console.error(error),
  });
}

const workflowOf = ({ name }: BareMachine): string => `bare/${name}`;
const machines = watch<KubeObject>(
  customResource('machines', namespace),
  ({ metadata }) => metadata.deletionTimestamp !== undefined,
  {
    first: ({ name, uid }) =>
      temporal.workflow.start<typeof bareMachine>('bareMachine', {
        taskQueue,
        workflowId: workflowOf({ name, uid }),
        args: [{ name, uid }],
      }),
    due: (seen) => temporal.workflow.getHandle(workflowOf(seen)).signal(deleted),
  },
);
const nodes = watch<Node>(node(), isReady, {
  first: () => Promise.resolve(),
  due: (seen) => temporal.workflow.getHandle(workflowOf(seen)).signal(ready),
});

async function create(count: number): Promise<void> {
  await inParallel(
    Array.from({ length: count }, (_, index) => index),
    width,
    async (index) => {
      await kube.create(customResource('machines', namespace), {
        apiVersion,
        kind: 'Machine',
        metadata: {
          name: `${poolName}-${index}`,
          labels: { name: poolName },
          finalizers: [finalizers.machine],
        },
        spec: { class: { kind: 'MachineClass', name: poolName } },
      });
    },
  );
}

async function deleteAll(): Promise<void> {
  await inParallel([...machines.items.keys()], width, async (name) => {
    await kube.delete(customResource('machines', namespace, name));
  });
}

await Promise.all([machines.synced, nodes.synced]);
process.on('message', (count: number) => void (count === 0 ? deleteAll() : create(count)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
