import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repository, type User } from '../layout.ts';
import { host } from '../supervision/ports.ts';
import { answersOk, type Component } from './component.ts';
import type { StackWorld } from './world.ts';

const virtualCloudEntrance = join(repository, 'deploy/local/virtual-cloud/main.ts');
const watcherEntrance = join(repository, 'workers/watcher.ts');
const workerEntrance = join(repository, 'workers/worker.ts');

/** Our own programs: the virtual cloud, and unless it is to be left out the operator. */
export function ourPrograms(world: StackWorld): Component[] {
  const operator = world.options.operator ? [watcher(world), worker(world)] : [];
  return [virtualCloud(world), ...operator].filter((component) => component !== undefined);
}

function virtualCloud({ layout, ports }: StackWorld): Component | undefined {
  if (!existsSync(virtualCloudEntrance)) return undefined;
  const address = `http://${host}:${ports.virtualCloud}`;
  return {
    name: 'virtual-cloud',
    needs: ['kube-apiserver'],
    address,
    ports: [ports.virtualCloud],
    command: async () => ({
      file: process.execPath,
      args: [
        virtualCloudEntrance,
        `--listen=${host}:${ports.virtualCloud}`,
        `--data=${layout.virtualCloudData}`,
        `--kubeconfig=${layout.kubeconfigOf('virtual-cloud')}`,
      ],
    }),
    isReady: () => answersOk(`${address}/settings`),
  };
}

function watcher(world: StackWorld): Component | undefined {
  if (!existsSync(watcherEntrance)) return undefined;
  return {
    name: 'watcher',
    needs: ['cluster', 'temporal'],
    ports: [],
    command: async () => ({
      file: process.execPath,
      args: [watcherEntrance, ...clusterArgs(world, 'millwright-watcher')],
      env: operatorEnvironment(world),
    }),
  };
}

function worker(world: StackWorld): Component | undefined {
  if (!existsSync(workerEntrance)) return undefined;
  const { layout } = world;
  return {
    name: 'worker',
    needs: ['cluster', 'temporal', 'virtual-cloud', 'workflow-bundle'],
    ports: [],
    command: async () => ({
      file: process.execPath,
      args: [
        workerEntrance,
        ...clusterArgs(world, 'millwright-worker'),
        ...(existsSync(layout.workflowBundle) ? ['--workflow-bundle', layout.workflowBundle] : []),
      ],
      env: operatorEnvironment(world),
    }),
  };
}

function clusterArgs({ layout, options }: StackWorld, user: User): string[] {
  const kubeconfig = layout.kubeconfigOf(user);
  return [
    '--control-kubeconfig',
    kubeconfig,
    '--target-kubeconfig',
    kubeconfig,
    '--namespace',
    options.namespace,
  ];
}

/** What a person sets to start one more worker by hand is the same. */
export function operatorEnvironment({ ports }: Pick<StackWorld, 'ports'>): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: `${host}:${ports.temporal}`,
    MILLWRIGHT_VIRTUAL_CLOUD: `http://${host}:${ports.virtualCloud}`,
  };
}
