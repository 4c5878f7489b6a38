/** What tools of GitOps make of our objects: Helm, kstatus, and the health checks of Argo CD. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '../../../kube/client/client.ts';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { eventually } from '../../support/eventually.ts';
import { testStack } from './test-stack.ts';

const probe = await preparedBinary('gitops-health');
const helm = await preparedBinary('helm');
const configMap = new URL('../../../deploy/gitops/argocd-cm.yaml', import.meta.url);
const prefix = 'resource.customizations.health.machine.sapcloud.io_';

export interface Health {
  kstatus: { status: string; message: string };
  argocd: { status: string; message: string };
}

/** Answered by their own code: `deploy/local/tools/gitops`. */
export async function healthOf(object: KubeObject & { kind?: string }): Promise<Health> {
  const { kind = '' } = object;
  const { data }: { data: Record<string, string> } = parse(await readFile(configMap, 'utf8'));
  const script = data[`${prefix}${kind}`];
  if (script === undefined) throw new Error(`deploy/gitops has no health check for ${kind}`);
  return await inFolder({ 'health.lua': script }, async (folder) => {
    const input = JSON.stringify(object);
    return JSON.parse(await runProgram(probe, [join(folder, 'health.lua')], { input }));
  });
}

/** Waits for the status of kstatus and of Argo CD. Returns Argo CD's message. */
export async function untilHealth(
  what: string,
  read: () => Promise<KubeObject>,
  expected: { kstatus: string; argocd: string },
): Promise<string> {
  return await eventually(`${what} is ${expected.kstatus}`, async () => {
    const { kstatus, argocd } = await healthOf(await read());
    expect({ kstatus: kstatus.status, argocd: argocd.status, said: argocd.message }).toMatchObject(
      expected,
    );
    return argocd.message;
  });
}

export const healthy = { kstatus: 'Current', argocd: 'Healthy' };
export const failed = { kstatus: 'Failed', argocd: 'Degraded' };

/** `helm upgrade --install --wait` of a chart of these objects. Resolves when that ends well. */
export async function install(
  { namespace, release }: { namespace: string; release: string },
  objects: readonly object[],
): Promise<void> {
  const files = {
    'Chart.yaml': JSON.stringify({ apiVersion: 'v2', name: release, version: '0.1.0' }),
    'templates/objects.yaml': objects.map((object) => JSON.stringify(object)).join('\n---\n'),
  };
  await inFolder(files, async (folder) => {
    // What ends the wait is what the status says.
    const asked = ['upgrade', '--install', '--wait', '--timeout=10m'];
    await helmIn(namespace, [...asked, release, folder]);
  });
}

export async function uninstall(place: { namespace: string; release: string }): Promise<void> {
  await helmIn(place.namespace, ['uninstall', place.release, '--ignore-not-found']);
}

async function helmIn(namespace: string, args: readonly string[]): Promise<void> {
  const env = { KUBECONFIG: testStack().layout.kubeconfig };
  await runProgram(helm, ['--namespace', namespace, ...args], { env });
}

async function inFolder<T>(
  files: Record<string, string>,
  run: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-gitops-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
