/**
 * What the pictures of machines show: three that run, three that never join, two whose class is
 * wrong.
 */
import { customResource, namespaced } from '../../kube/client/paths.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { DemoWorld } from './demo-world.ts';
import {
  createAll,
  deleteAll,
  deleteAt,
  forgetFault,
  letNoneJoin,
  untilFound,
} from './demo-world.ts';
import type { Manifest } from './manifests.ts';
import { classNamed, deploymentOf, machineNamed, secret } from './manifests.ts';

export interface Demo {
  /** A machine that is Running. */
  running: string;
  /** A machine whose class has a field that its provider refuses. */
  refused: string;
  /** Deletes all of it. */
  end(): Promise<void>;
}

const pool = 'web';
const replicas = 3;
const refused = ['gpu-0', 'gpu-1'];
const lonely = ['edge-0', 'edge-1', 'edge-2'];
const lonelyGlob = 'edge-*';
const readyWithinSeconds = 180;

const manifests: Manifest[] = [
  classNamed('web', {}),
  classNamed('gpu', { size: 'huge' }),
  deploymentOf({ name: pool, replicas, className: 'web' }),
  ...refused.map((name) => machineNamed(name, 'gpu')),
  ...lonely.map((name) => machineNamed(name, 'web')),
];

/** Resolves when each machine is in the phase that it is to be shown in. */
export async function startDemo(world: DemoWorld): Promise<Demo> {
  const { kube, namespace } = world;
  await forgetFault(world, lonelyGlob);
  await letNoneJoin(world, lonelyGlob);
  await kube.create(namespaced('secrets', namespace), secret);
  await createAll(world, manifests);
  const awaited = { what: 'machines in their phases', seconds: readyWithinSeconds };
  const names = await untilFound(awaited, async () => {
    const { items } = await kube.list<Machine>(customResource('machines', namespace));
    return shownOf(items);
  });
  return { ...names, end: () => endDemo(world) };
}

type Shown = Pick<Demo, 'running' | 'refused'>;

function shownOf(machines: Machine[]): Shown | undefined {
  const running = namesIn(machines, 'Running').filter((name) => name.startsWith(`${pool}-`));
  const failing = namesIn(machines, 'CrashLoopBackOff');
  const pending = namesIn(machines, 'Pending');
  const areWaiting =
    refused.every((name) => failing.includes(name)) &&
    lonely.every((name) => pending.includes(name));
  const [[first], [firstRefused]] = [running, refused];
  if (!areWaiting || running.length < replicas || !first || !firstRefused) return undefined;
  return { running: first, refused: firstRefused };
}

function namesIn(machines: Machine[], phase: string): string[] {
  return machines
    .filter(({ status }) => status?.currentStatus?.phase === phase)
    .map(({ metadata }) => metadata.name);
}

async function endDemo(world: DemoWorld): Promise<void> {
  const { kube, namespace } = world;
  await deleteAll(world, manifests);
  await deleteAt(kube, namespaced('secrets', namespace, secret.metadata.name));
  await forgetFault(world, lonelyGlob);
}
