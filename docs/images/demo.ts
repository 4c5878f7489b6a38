/** What the pictures show: three machines that run, three that never join, two whose class is wrong. */
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../../activities/kube/client.ts';
import { isNotFound } from '../../activities/kube/errors.ts';
import type { MachineKind } from '../../activities/kube/paths.ts';
import { customResource, namespaced } from '../../activities/kube/paths.ts';
import { apiVersion } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';

export interface DemoWorld {
  kube: KubeClient;
  namespace: string;
  /** Address of the virtual cloud. */
  cloud: string;
}

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
const readyWithinMs = 30_000;
const pollMs = 200;

interface Manifest {
  kind: MachineKind;
  body: Typed & Record<string, unknown>;
}

/** Resolves when each machine is in the phase that it is to be shown in. Objects of the same names are refused. */
export async function startDemo(world: DemoWorld): Promise<Demo> {
  const { kube, namespace, cloud } = world;
  await forgetFault(cloud);
  await addFault(cloud);
  await kube.create(namespaced('secrets', namespace), secret);
  for (const { kind, body } of manifests) await kube.create(customResource(kind, namespace), body);
  const names = await untilShown(world);
  return { ...names, end: () => endDemo(world) };
}

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: pool },
  stringData: { userData: '#cloud-config\nhostname: <<MACHINE_NAME>>\n' },
};

const manifests: Manifest[] = [
  classNamed('web', {}),
  classNamed('gpu', { size: 'huge' }),
  deployment(),
  ...refused.map((name) => machineNamed(name, 'gpu')),
  ...lonely.map((name) => machineNamed(name, 'web')),
];

function classNamed(name: string, providerSpec: object): Manifest {
  const secretRef = { name: secret.metadata.name };
  const body = { ...typed('MachineClass', name), provider: 'local', providerSpec, secretRef };
  return { kind: 'machineclasses', body };
}

function machineNamed(name: string, className: string): Manifest {
  return { kind: 'machines', body: { ...typed('Machine', name), spec: specOf(className) } };
}

function deployment(): Manifest {
  const labels = { name: pool };
  const spec = {
    replicas,
    selector: { matchLabels: labels },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: { metadata: { labels }, spec: specOf('web') },
  };
  return { kind: 'machinedeployments', body: { ...typed('MachineDeployment', pool), spec } };
}

function specOf(className: string): object {
  return { class: { kind: 'MachineClass', name: className } };
}

interface Typed {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

function typed(kind: string, name: string): Typed {
  return { apiVersion, kind, metadata: { name } };
}

type Shown = Pick<Demo, 'running' | 'refused'>;

async function untilShown({ kube, namespace }: DemoWorld): Promise<Shown> {
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    const { items } = await kube.list<Machine>(customResource('machines', namespace));
    const shown = shownOf(items);
    if (shown !== undefined) return shown;
    if (Date.now() > deadline) throw new Error(`not ready after ${readyWithinMs / 1000} s`);
    await delay(pollMs);
  }
}

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

/** Machines before their classes, which carry a finalizer while they are used. */
async function endDemo({ kube, namespace, cloud }: DemoWorld): Promise<void> {
  const paths = manifests
    .toReversed()
    .map(({ kind, body }) => customResource(kind, namespace, body.metadata.name));
  for (const path of [...paths, namespaced('secrets', namespace, secret.metadata.name)]) {
    try {
      await kube.delete(path);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  await forgetFault(cloud);
}

async function forgetFault(cloud: string): Promise<void> {
  await callCloud(`${cloud}/faults?match=${encodeURIComponent(lonelyGlob)}`, { method: 'DELETE' });
}

async function addFault(cloud: string): Promise<void> {
  const fault = { operation: 'create', match: lonelyGlob, kind: 'neverJoin' };
  await callCloud(`${cloud}/faults`, { method: 'POST', body: JSON.stringify(fault) });
}

async function callCloud(url: string, request: { method: string; body?: string }): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { ok, status } = await fetch(url, { headers, ...request });
  if (!ok) throw new Error(`virtual cloud: ${request.method} ${url}: ${status}`);
}
