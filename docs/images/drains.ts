/**
 * What the pictures of drains show: two that a PodDisruptionBudget holds up, and one whose pod does
 * not terminate.
 */
import { customResource, namespaced } from '../../kube/client/paths.ts';
import type { KubeObject } from '../../kube/client/client.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { DemoWorld } from './demo-world.ts';
import { createAll, deleteAll, deleteAt, untilFound } from './demo-world.ts';
import type { Manifest } from './manifests.ts';
import { machineNamed } from './manifests.ts';

export interface DrainDemo {
  /** A Machine whose drain a budget blocks. */
  guarded: string;
  /** Lets them all go. */
  end(): Promise<void>;
}

const guarded = ['store-0', 'store-1'];
const lingering = 'store-2';
const app = 'shop';
const lingeringPod = 'exporter';
const podsPerNode = 2;
const holdUp = 'millwright.dev/demo';
const within = { seconds: 180 };

const manifests: Manifest[] = [...guarded, lingering].map((name) => machineNamed(name, 'web'));

/** Needs the class of `startDemo`. Resolves when all of them wait. */
export async function startDrains(world: DemoWorld): Promise<DrainDemo> {
  const [first = ''] = guarded;
  const end = (): Promise<void> => endDrains(world);
  await createAll(world, manifests);
  try {
    const names = [...guarded, lingering];
    for (const name of names) await untilPhase(world, name, 'Running');
    await createPods(world);
    for (const name of names) await deleteAt(world.kube, machinePath(world, name));
    for (const name of names) await untilBlocked(world, name);
  } catch (error) {
    await end();
    throw error;
  }
  return { guarded: first, end };
}

function machinePath({ namespace }: DemoWorld, name: string): string {
  return customResource('machines', namespace, name);
}

async function createPods({ kube, namespace }: DemoWorld): Promise<void> {
  const pods = guarded.flatMap((nodeName) =>
    Array.from({ length: podsPerNode }, (_, index) =>
      podOf(`${app}-${nodeName}-${index}`, nodeName),
    ),
  );
  for (const pod of pods) await kube.create(namespaced('pods', namespace), pod);
  const last = podOf(lingeringPod, lingering);
  const metadata = { name: lingeringPod, finalizers: [holdUp], labels: {} };
  await kube.create(namespaced('pods', namespace), { ...last, metadata });
  await kube.create(budgets(namespace), {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: app },
    spec: { minAvailable: guarded.length * podsPerNode, selector: { matchLabels: { app } } },
  });
}

function budgets(namespace: string): string {
  return `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
}

function podOf(name: string, nodeName: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app } },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'a', image: 'none' }],
    },
  };
}

async function untilPhase(world: DemoWorld, name: string, phase: string): Promise<void> {
  await untilFound({ ...within, what: `Machine ${name} is ${phase}` }, async () => {
    const { status } = await world.kube.get<Machine>(machinePath(world, name));
    return status?.currentStatus?.phase === phase ? name : undefined;
  });
}

/** Its name may have been another's before, whose Events are still there. */
async function untilBlocked(world: DemoWorld, name: string): Promise<void> {
  const { kube, namespace } = world;
  const { metadata } = await kube.get<Machine>(machinePath(world, name));
  const fieldSelector = `involvedObject.uid=${metadata.uid},reason=DrainBlocked`;
  await untilFound({ ...within, what: `the drain of ${name} is blocked` }, async () => {
    const path = namespaced('events', namespace);
    return (await kube.list<KubeObject>(path, { fieldSelector })).items[0];
  });
}

async function endDrains(world: DemoWorld): Promise<void> {
  const { kube, namespace } = world;
  await deleteAt(kube, `${budgets(namespace)}/${app}`);
  await deleteAll(world, manifests);
  const labelSelector = `app=${app}`;
  const { items } = await kube.list<KubeObject>(namespaced('pods', namespace), { labelSelector });
  for (const { metadata } of items) {
    await deleteAt(kube, namespaced('pods', namespace, metadata.name));
  }
  const path = namespaced('pods', namespace, lingeringPod);
  await kube.patch(path, 'merge', { metadata: { finalizers: null } });
}
