/** Everything that chaos acts on and looks at: one stack of its own, and one namespace in it. */
import { join } from 'node:path';
import { isAlreadyExists } from '../../kube/client/errors.ts';
import { namespaced } from '../../kube/client/paths.ts';
import { startStack, stopStack } from '../../deploy/local/stack.ts';
import { StateRecorder } from '../e2e/support/bounds.ts';
import { Cluster } from '../e2e/support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import {
  classManifest,
  className,
  deploymentManifest,
  secretName,
} from '../e2e/support/manifests.ts';
import { testStackOf } from '../e2e/support/test-stack.ts';
import { VirtualCloud } from '../e2e/support/virtual-cloud.ts';
import { WorkflowRecords } from '../e2e/support/workflow-records.ts';
import { StrippingPolicy } from './policy.ts';
import { pools, type Wish } from './wishes.ts';

const namespace = 'chaos';
export const secondClass = 'medium';
/** Has no machines: it shows how soon a wish is heard. */
export const probe = `${namespace}-probe`;
/** Long enough to tell the pools apart, and in the names of all that is made of them. */
const prefixLength = 40;
const bootSeconds = 0.5;
/** A server that was killed answers again within it. */
const outageSeconds = 120;
/** Longer than a drain needs that is not blocked. */
const drainTimeout = '20s';

/**
 * The checks that heal what was done behind everybody's back run all the time, and soon act on what
 * they see.
 */
const workerFlags = [
  '--safety-entities-period=10s',
  '--machine-safety-orphan-vms-period=10s',
  '--safety-orphans-min-age=10s',
];

export interface World extends AsyncDisposable {
  stateDir: string;
  cluster: Cluster;
  cloud: VirtualCloud;
  workflows: WorkflowRecords;
  recorder: StateRecorder;
  policy: StrippingPolicy;
}

/** Name of a pool's MachineDeployment. */
export const nameOf = (pool: string): string => `${namespace}-${pool}`;

/** The names of a pool's sets and machines begin so: they are shorter than the longest one's. */
export const prefixOf = (name: string): string => `${name}-`.slice(0, prefixLength);

/**
 * Starts a fresh stack with two watchers and two workers. It is stopped with the world; its logs
 * stay.
 */
export async function openWorld(stateDir: string): Promise<World> {
  const ours = { doubled: true, workerFlags };
  const stack = await startStack({ stateDir, namespace, fresh: true, quiet: true, ...ours });
  const { layout, virtualCloud, temporalAddress } = testStackOf(stack);
  const cluster = new Cluster(namespace, layout.kubeconfig);
  const cloud = new VirtualCloud(virtualCloud, namespace);
  const workflows = new WorkflowRecords(namespace, temporalAddress);
  const recorder = new StateRecorder(cluster.kube, namespace);
  const policy = await StrippingPolicy.start(cluster.kube, namespace, 'name');
  const close = async (): Promise<void> => {
    policy.close();
    await recorder.stop();
    await workflows.close();
    await cluster.kube.close();
    await stopStack(stateDir);
  };
  const parts = { stateDir, cluster, cloud, workflows, recorder, policy };
  const world = { ...parts, [Symbol.asyncDispose]: close };
  try {
    await furnish(world);
    return world;
  } catch (error) {
    await close();
    throw error;
  }
}

export const actionLogOf = (stateDir: string): string => join(stateDir, 'logs', 'chaos.jsonl');

/** Does it again while servers are away, for two minutes at most. */
export async function persistently<T>(
  what: string,
  work: () => Promise<T>,
  pollMilliseconds = 200,
): Promise<T> {
  return await eventually(what, work, { timeoutSeconds: outageSeconds, pollMilliseconds });
}

export async function createPool({ cluster }: World, pool: string, wish: Wish): Promise<void> {
  const name = nameOf(pool);
  const rollingUpdate = pools[pool] ?? { maxSurge: 1, maxUnavailable: 0 };
  const manifest = deploymentManifest(
    { namespace, name },
    {
      replicas: wish.replicas,
      strategy: { type: 'RollingUpdate', rollingUpdate },
      template: {
        metadata: { labels: { name } },
        spec: { class: { kind: 'MachineClass', name: wish.class }, drainTimeout },
      },
    },
  );
  try {
    await cluster.create('machinedeployments', manifest);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // The answer to an earlier attempt was lost, or the pool that was deleted before is still
    // there.
    const { deletionTimestamp } = (await cluster.deployment(name)).metadata;
    if (deletionTimestamp !== undefined) throw error;
  }
}

/** The second class, pods to be drained, and the probe. */
async function furnish(world: World): Promise<void> {
  const { cluster, cloud, recorder } = world;
  await cloud.set({ bootSeconds });
  const providerSpec = { size: secondClass };
  const manifest = classManifest({ namespace, name: secondClass }, { providerSpec });
  await cluster.create('machineclasses', manifest);
  await createPods(cluster);
  await createPool(world, 'probe', { replicas: 0, class: className });
  await recorder.started();
}

const pods = { app: 'web', replicas: 8, maxUnavailable: 3 };

/** Pods that go where there is room, and a budget that now and then holds a drain up. */
async function createPods({ kube }: Cluster): Promise<void> {
  const { app, replicas, maxUnavailable } = pods;
  const selector = { matchLabels: { app } };
  await kube.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app },
    spec: {
      replicas,
      selector,
      template: {
        metadata: { labels: { app } },
        spec: { containers: [{ name: 'app', image: 'nothing' }] },
      },
    },
  });
  await kube.create(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: app },
    spec: { maxUnavailable, selector },
  });
}

/** All that chaos made and the stack's example: what uses a class or a Secret holds it. */
export async function deleteEverything({ cluster }: World): Promise<void> {
  await cluster.delete(cluster.pathOf('machinedeployments'));
  await cluster.delete(cluster.pathOf('machineclasses'));
  await cluster.delete(namespaced('secrets', namespace, secretName));
}
