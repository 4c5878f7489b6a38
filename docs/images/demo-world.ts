/** Where the demonstrations act: the API server and the virtual cloud of a local stack. */
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../../kube/client/client.ts';
import { isNotFound } from '../../kube/client/errors.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { Manifest } from './manifests.ts';

export interface DemoWorld {
  kube: KubeClient;
  namespace: string;
  /** Address of the virtual cloud. */
  cloud: string;
}

const pollMs = 200;

/** @throws after `seconds`, naming what was awaited. */
export async function untilFound<T>(
  { what, seconds }: { what: string; seconds: number },
  find: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`not there after ${seconds} s: ${what}`);
    await delay(pollMs);
  }
}

/** Objects of the same names are refused. */
export async function createAll(
  { kube, namespace }: DemoWorld,
  manifests: readonly Manifest[],
): Promise<void> {
  for (const { kind, body } of manifests) await kube.create(customResource(kind, namespace), body);
}

/** The last first: machines before their classes, which carry a finalizer while they are used. */
export async function deleteAll(
  { kube, namespace }: DemoWorld,
  manifests: readonly Manifest[],
): Promise<void> {
  for (const { kind, body } of manifests.toReversed()) {
    await deleteAt(kube, customResource(kind, namespace, body.metadata.name));
  }
}

export async function deleteAt(kube: KubeClient, path: string): Promise<void> {
  try {
    await kube.delete(path);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Instances with such names that are created from now on never join. */
export async function letNoneJoin({ cloud }: DemoWorld, glob: string): Promise<void> {
  const fault = { operation: 'create', match: glob, kind: 'neverJoin' };
  await callCloud(`${cloud}/faults`, { method: 'POST', body: JSON.stringify(fault) });
}

export async function forgetFault({ cloud }: DemoWorld, glob: string): Promise<void> {
  await callCloud(`${cloud}/faults?match=${encodeURIComponent(glob)}`, { method: 'DELETE' });
}

async function callCloud(url: string, request: { method: string; body?: string }): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { ok, status } = await fetch(url, { headers, ...request });
  if (!ok) throw new Error(`virtual cloud: ${request.method} ${url}: ${status}`);
}
