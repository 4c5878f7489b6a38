/** Pools of the cluster autoscaler, and pods that need Nodes of them. */
import { namespaced } from '../../../kube/client/paths.ts';
import type { MachineDeploymentSpec } from '../../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { eventually } from '../../support/eventually.ts';
import { machinesOf } from './machines.ts';
import { classManifest, deploymentManifest } from './manifests.ts';
import type { Scenario } from './scenario.ts';
import type { RunningPod } from './workloads.ts';

const sizes = {
  small: { cpu: '2', memory: '4Gi' },
  medium: { cpu: '4', memory: '16Gi' },
} as const;

export interface PoolOptions {
  /** Of its Nodes. Default `small`: room for one pod of a workload. */
  size?: keyof typeof sizes;
  /** Default 0. */
  min?: number;
  /** Default 5. */
  max?: number;
  replicas?: number;
  /** Pods with this label in their selector have Nodes here. Default the name of the pool. */
  serves?: string;
  annotations?: Record<string, string>;
  spec?: Partial<MachineDeploymentSpec>;
}

const label = 'example.com/serves';
const taint = 'example.com/pools';
const prefix = 'machine.sapcloud.io/cluster-api-autoscaler-node-group-';

/**
 * Also from nothing: by the nodeTemplate of its class. Its taint keeps the pods of other scenarios
 * away. Returns its name.
 */
export async function createPool(
  scenario: Scenario,
  short: string,
  { size = 'small', min = 0, max = 5, replicas = 0, spec, ...options }: PoolOptions = {},
): Promise<string> {
  const { cluster } = scenario;
  const named = scenario.named(short);
  const serves = options.serves ?? named.name;
  await createPoolClass(scenario, named.name, size);
  const manifest = deploymentManifest(named);
  await cluster.create('machinedeployments', {
    ...manifest,
    metadata: {
      ...named,
      annotations: {
        [`${prefix}min-size`]: String(min),
        [`${prefix}max-size`]: String(max),
        'millwright.dev/scale-from-zero': 'true',
        ...options.annotations,
      },
    },
    spec: {
      replicas,
      selector: { matchLabels: { name: named.name } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: templateOf(named.name, named.name, serves),
      ...spec,
    },
  });
  return named.name;
}

export async function createPoolClass(
  { cluster, namespace }: Scenario,
  name: string,
  size: keyof typeof sizes = 'small',
): Promise<void> {
  const manifest = classManifest({ namespace, name }, { providerSpec: { size } });
  const nodeTemplate = {
    capacity: { ...sizes[size], gpu: '0', 'ephemeral-storage': '20Gi' },
    instanceType: size,
    region: 'local',
    zone: 'a',
  };
  await cluster.create('machineclasses', { ...manifest, nodeTemplate });
}

function templateOf(pool: string, className: string, serves: string) {
  const { labels, taints } = nodesFor(serves);
  return {
    metadata: { labels: { name: pool } },
    spec: {
      class: { kind: 'MachineClass', name: className },
      nodeTemplate: { metadata: { labels }, spec: { taints } },
    },
  };
}

/** Labels and taints of Nodes for the workloads that ask for these. */
export function nodesFor(serves: string) {
  return {
    labels: { [label]: serves },
    taints: [{ key: taint, value: 'yes', effect: 'NoSchedule' }],
  };
}

export interface Work {
  app: string;
  /** What its Nodes serve: the name of a pool, unless that says otherwise. */
  on: string;
  pods: number;
  /** Of each pod. Default `1500m`: a Node of size `small` has room for one. */
  cpu?: string;
  annotations?: Record<string, string>;
}

/** Pods that wait for Nodes. */
export async function startWork({ cluster, namespace }: Scenario, work: Work): Promise<void> {
  const { app, on, pods, cpu = '1500m', annotations } = work;
  await cluster.kube.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app },
    spec: {
      replicas: pods,
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app }, annotations },
        spec: {
          nodeSelector: { [label]: on },
          tolerations: [{ key: taint, operator: 'Exists' }],
          containers: [{ name: 'app', image: 'nothing', resources: { requests: { cpu } } }],
        },
      },
    },
  });
}

export async function scaleWork(scenario: Scenario, app: string, pods: number): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${scenario.namespace}/deployments/${app}`;
  await scenario.cluster.kube.patch(path, 'merge', { spec: { replicas: pods } });
}

/** Waits until so many pods run, and no others are there. Returns the names of their Nodes. */
export async function untilAtWork(
  { cluster, namespace }: Scenario,
  app: string,
  count: number,
): Promise<string[]> {
  return await eventually(`${count} pods of ${app} run`, async () => {
    const query = { labelSelector: `app=${app}` };
    const pods = await cluster.list<RunningPod>(namespaced('pods', namespace), query);
    expect(pods.map(({ status }) => status?.phase)).toEqual(
      Array.from({ length: count }, () => 'Running'),
    );
    return pods.map(({ spec }) => spec?.nodeName ?? '').toSorted();
  });
}

/** Waits until a pool has so many machines, all Running, and wants no others. Returns them. */
export async function untilPoolHas(
  scenario: Scenario,
  pool: string,
  count: number,
): Promise<Machine[]> {
  return await eventually(`${pool} has ${count} machines`, async () => {
    const { spec } = await scenario.cluster.deployment(pool);
    expect(spec.replicas).toBe(count);
    const machines = await machinesOf(scenario, pool);
    expect(machines.map(({ status }) => status?.currentStatus?.phase)).toEqual(
      Array.from({ length: count }, () => 'Running'),
    );
    return machines;
  });
}
