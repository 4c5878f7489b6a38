import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, type User } from '../layout.ts';
import { host, type PortName } from '../supervision/ports.ts';
import { userDataConfig } from '../cluster/joining.ts';
import { answersOk, type Component } from './component.ts';
import type { StackWorld } from './world.ts';

const virtualCloudEntrance = join(repository, 'deploy/local/virtual-cloud/main.ts');

/** The sources, or what was built of them. */
const entranceOf = (
  role: 'watcher' | 'worker' | 'front',
  { image }: StackWorld['options'],
): string =>
  image === undefined ? join(repository, `workers/${role}.ts`) : join(image, `${role}.js`);

/**
 * By default the young generation of each thread grows to 128 MiB, the old one to a multiple of
 * what lives in it, and the C library gives many threads an arena of their own. With these a worker
 * of a few hundred machines takes a third less memory (docs/decisions/0005-memory.md).
 */
export const nodeFlags = ['--max-semi-space-size=8', '--heap-growing-percent=30'];
/**
 * Few arenas, and what is freed goes back to the system: left to itself the C library keeps more
 * and more, up to 64 MiB, after large blocks were freed.
 */
export const mallocSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;
/** A killed process's work is taken up after 4 s, so that a person can watch it. */
export const quickRecovery = ['--workflow-task-timeout=4s', '--heartbeat-timeout=4s'] as const;

const nodeEnvironment = ({ layout }: StackWorld): Record<string, string> => ({
  ...mallocSettings,
  NODE_COMPILE_CACHE: layout.compileCache,
});

/** Our own programs: the virtual cloud, and unless it is to be left out the operator. */
export function ourPrograms(world: StackWorld): Component[] {
  const { ports, options } = world;
  const operator = [
    ...(options.inOne ? [] : [watcher(world, 'watcher', ports.watcher)]),
    ...(options.doubled ? [watcher(world, 'second-watcher', ports.secondWatcher)] : []),
    ...workersOf(world),
    ...(options.front ? [front(world)] : []),
  ];
  return [virtualCloud(world), ...(options.operator ? operator : [])];
}

const workerNames: readonly { name: string; port: PortName }[] = [
  { name: 'worker', port: 'worker' },
  { name: 'second-worker', port: 'secondWorker' },
  { name: 'third-worker', port: 'thirdWorker' },
  { name: 'fourth-worker', port: 'fourthWorker' },
];

function workersOf(world: StackWorld): Component[] {
  const { doubled, workers = doubled ? [[], []] : [[]] } = world.options;
  if (workers.length > workerNames.length) {
    throw new Error(
      `workers: ${workers.length} are too many; allowed: up to ${workerNames.length}`,
    );
  }
  return workerNames
    .slice(0, workers.length)
    .map(({ name, port }, index) => worker(world, { name, port, flags: workers[index] ?? [] }));
}

function virtualCloud(world: StackWorld): Component {
  const { layout, ports } = world;
  const address = `http://${host}:${ports.virtualCloud}`;
  return {
    name: 'virtual-cloud',
    needs: ['kube-apiserver'],
    address,
    ports: [ports.virtualCloud],
    command: async () => ({
      file: process.execPath,
      args: [
        ...nodeFlags,
        virtualCloudEntrance,
        `--listen=${host}:${ports.virtualCloud}`,
        `--data=${layout.virtualCloudData}`,
        `--kubeconfig=${layout.kubeconfigOf('virtual-cloud')}`,
      ],
      env: nodeEnvironment(world),
    }),
    isReady: () => answersOk(`${address}/settings`),
  };
}

function watcher(world: StackWorld, name: string, port: number): Component {
  return ourProcess(world, {
    name,
    needs: ['cluster', 'search-attributes'],
    port,
    user: 'millwright-watcher',
    args: [entranceOf('watcher', world.options)],
  });
}

function worker(
  world: StackWorld,
  { name, port, flags }: { name: string; port: PortName; flags: readonly string[] },
): Component {
  const withWatcher = world.options.inOne === true && name === 'worker';
  return ourProcess(world, {
    name,
    needs: ['cluster', 'search-attributes', 'virtual-cloud', 'workflow-bundle'],
    port: world.ports[port],
    user: withWatcher ? 'millwright-controller' : 'millwright-worker',
    args: [
      entranceOf('worker', world.options),
      `--workflow-bundle=${world.layout.workflowBundle}`,
      '--approve-kubelet-serving',
      ...(withWatcher ? ['--with-watcher'] : []),
      ...world.options.workerFlags,
      ...flags,
    ],
  });
}

function front(world: StackWorld): Component {
  return ourProcess(world, {
    name: 'front',
    needs: ['cluster', 'search-attributes', 'workflow-bundle'],
    port: world.ports.front,
    user: 'millwright-front',
    args: [
      entranceOf('front', world.options),
      `--workflow-bundle=${world.layout.workflowBundle}`,
      `--user-data-config=${userDataConfig}`,
    ],
  });
}

interface OurProcess {
  name: string;
  needs: readonly string[];
  port: number;
  user: User;
  /** The entrance and what only this process takes. */
  args: readonly string[];
}

function ourProcess(world: StackWorld, { name, needs, port, user, args }: OurProcess): Component {
  const address = `http://${host}:${port}`;
  const kubeconfig = world.layout.kubeconfigOf(user);
  return {
    name,
    needs,
    address,
    ports: [port],
    command: async () => ({
      file: process.execPath,
      args: [
        ...nodeFlags,
        ...args,
        `--control-kubeconfig=${kubeconfig}`,
        `--target-kubeconfig=${world.options.withoutTarget ? 'none' : kubeconfig}`,
        `--namespace=${world.options.namespace}`,
        ...(world.options.quickRecovery === false ? [] : quickRecovery),
        `--address=${host}`,
        `--port=${port}`,
      ],
      env: { ...nodeEnvironment(world), ...operatorEnvironment(world) },
    }),
    isReady: () => answersOk(`${address}/readyz`),
  };
}

type OperatorWorld = Pick<StackWorld, 'options' | 'layout' | 'ports'>;

/** A person sets the same to start one more worker by hand. */
export function operatorEnvironment(world: OperatorWorld): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: temporalAddressOf(world),
    MILLWRIGHT_VIRTUAL_CLOUD: `http://${host}:${world.ports.virtualCloud}`,
    MILLWRIGHT_VIRTUAL_CLOUD_AS_LOCAL: 'true',
    ...guestEnvironment(world),
  };
}

/**
 * A Temporal server that others use as well: workflow ids carry a name of this cluster, another one
 * after `--fresh`, when its certificate authority is another one.
 */
function guestEnvironment({ options, layout }: OperatorWorld): Record<string, string> {
  if (options.temporalAddress === undefined) return {};
  const authority = readFileSync(join(layout.pki, 'ca.crt'));
  const digest = createHash('sha256').update(authority).digest('hex');
  return { MILLWRIGHT_FLAGS: `--cluster-name=local-${digest.slice(0, 8)}` };
}

export function temporalAddressOf({
  options,
  ports,
}: Pick<StackWorld, 'options' | 'ports'>): string {
  return options.temporalAddress ?? `${host}:${ports.temporal}`;
}
