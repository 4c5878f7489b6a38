/**
 * How long the commands that look take with many machines, their start included. The machines are
 * objects alone, with the statuses that a worker writes: no process of ours runs beside.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createKubeClient } from '../../kube/client/http-client.ts';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';
import { startStack, stopStack } from '../../deploy/local/stack.ts';
import { build } from '../../tools/build/build.ts';
import { quantiles } from './quantiles.ts';

const namespace = 'default';
const perSet = 100;
const atOnce = 20;
const rounds = 9;

export async function measureCli(
  machines: number,
  { stateDir, json }: { stateDir: string; json: boolean },
): Promise<void> {
  await rm(stateDir, { recursive: true, force: true });
  const stack = await startStack({ stateDir, operator: false, quiet: true });
  const folder = await mkdtemp(join(stateDir, 'cli-'));
  try {
    const kubeConfig = loadKubeConfig(stack.kubeconfig);
    const kube = createKubeClient({ kubeConfig, userAgent: 'bench' });
    await createFleet(kube, machines);
    await kube.close();
    await build(['cli'], folder);
    const commands = [
      ['status'],
      ['stuck'],
      ['explain', 'machine/pool-0-0'],
      ['tree', 'mcd/pool-0'],
    ];
    // How busy this machine is.
    const times: Record<string, Times> = { 'node -e 0': await timesOf(['-e', '0']) };
    for (const words of commands) {
      times[`millwright ${words.join(' ')}`] = await timesOf([
        join(folder, 'cli', 'millwright.js'),
        ...words,
        `--kubeconfig=${stack.kubeconfig}`,
      ]);
    }
    print(machines, { times, json });
  } finally {
    await stopStack(stateDir);
  }
}

/** Seconds. */
interface Times {
  median: number;
  fastest: number;
}

async function timesOf(argv: readonly string[]): Promise<Times> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await promisify(execFile)(process.execPath, [...argv], { maxBuffer: 64 * 1024 * 1024 });
    seconds.push((performance.now() - began) / 1_000);
  }
  return { median: quantiles(seconds).p50, fastest: Math.min(...seconds) };
}

function print(
  machines: number,
  { times, json }: { times: Record<string, Times>; json: boolean },
): void {
  if (json) return console.log(JSON.stringify({ machines, times }, undefined, 2));
  console.log(`${machines} machines, ${rounds} times each, seconds with the start of the program:`);
  for (const [command, { median, fastest }] of Object.entries(times)) {
    const numbers = `median ${median.toFixed(2)}, fastest ${fastest.toFixed(2)}`;
    console.log(`  ${command.padEnd(36)} ${numbers}`);
  }
}

/** Deployments of one set with a hundred machines each; each tenth machine is in trouble. */
async function createFleet(kube: KubeClient, machines: number): Promise<void> {
  for (let first = 0; first < machines; first += perSet) {
    const name = `pool-${first / perSet}`;
    const replicas = Math.min(perSet, machines - first);
    const pool = await create(
      kube,
      'machinedeployments',
      poolOf('MachineDeployment', { name, replicas }),
    );
    const set = await create(kube, 'machinesets', {
      ...poolOf('MachineSet', { name, replicas }),
      metadata: { name, labels: { name }, ownerReferences: [ownerOf('MachineDeployment', pool)] },
    });
    const owner = ownerOf('MachineSet', set);
    for (let at = 0; at < replicas; at += atOnce) {
      const batch = Array.from(
        { length: Math.min(atOnce, replicas - at) },
        (_, index) => at + index,
      );
      await Promise.all(batch.map((number) => createMachine(kube, { name, number, owner })));
    }
  }
}

interface Wanted {
  name: string;
  replicas: number;
}

function poolOf(kind: string, { name, replicas }: Wanted): object {
  return {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind,
    metadata: { name, labels: { name } },
    spec: {
      replicas,
      selector: { matchLabels: { name } },
      template: {
        metadata: { labels: { name } },
        spec: { class: { kind: 'MachineClass', name: 'small' } },
      },
      ...(kind === 'MachineDeployment' && {
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      }),
    },
  };
}

const create = async (
  kube: KubeClient,
  kind: 'machinedeployments' | 'machinesets' | 'machines',
  object: object,
): Promise<KubeObject> => await kube.create(customResource(kind, namespace), object);

function ownerOf(kind: string, { metadata: { name, uid } }: KubeObject): object {
  return { apiVersion: 'machine.sapcloud.io/v1alpha1', kind, name, uid, controller: true };
}

async function createMachine(
  kube: KubeClient,
  { name, number, owner }: { name: string; number: number; owner: object },
): Promise<void> {
  const machine = `${name}-${number}`;
  await create(kube, 'machines', {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'Machine',
    metadata: { name: machine, labels: { name, node: machine }, ownerReferences: [owner] },
    spec: { class: { kind: 'MachineClass', name: 'small' }, providerID: `local:///a/${machine}` },
  });
  const path = `${customResource('machines', namespace, machine)}/status`;
  await kube.patch(path, 'merge', { status: number % 10 === 0 ? refused() : running(machine) });
}

const now = (): string => new Date().toISOString();

function refused(): object {
  return {
    currentStatus: { phase: 'CrashLoopBackOff', lastUpdateTime: now() },
    lastOperation: {
      description:
        'Cloud provider message - machine codes error: code = [ResourceExhausted] message = [zone "a" has no more capacity]',
      errorCode: 'ResourceExhausted',
      lastUpdateTime: now(),
      state: 'Failed',
      type: 'Create',
    },
  };
}

/** With conditions as large as those of a kubelet. */
function running(name: string): object {
  const types = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready', 'NetworkUnavailable'];
  return {
    conditions: types.map((type) => ({
      type,
      status: type === 'Ready' ? 'True' : 'False',
      reason: `KubeletHasNo${type}`,
      message: 'kubelet has said that this is as it should be',
      lastHeartbeatTime: now(),
      lastTransitionTime: now(),
    })),
    currentStatus: { phase: 'Running', lastUpdateTime: now() },
    lastOperation: {
      description: `Machine ${name} successfully joined the cluster`,
      lastUpdateTime: now(),
      state: 'Successful',
      type: 'Create',
    },
    nodeRef: { kind: 'Node', name },
  };
}
