/**
 * The real MCM v0.62.1 and our own processes as Deployments of a cluster: their pods are real
 * objects on a Node without machine, and this stands in for its kubelet. While a pod is there its
 * processes run; once they have ended a pod that is being deleted goes.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '../../../kube/client/client.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { namespaced, node as nodePath } from '../../../kube/client/paths.ts';
import { containersOf, deployments, type Deployment } from '../../../cli/install/deployments.ts';
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import { fakeKubelet } from '../../../deploy/local/virtual-cloud/node-object.ts';
import { endMcm, isRunning, spawnMcm } from '../../support/mcm-processes.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scenario } from './scenario.ts';
import { logFolderOf, testStack } from './test-stack.ts';

export type Role = 'mcm' | 'watcher' | 'worker';

export interface MigrationOptions {
  /** In the place of the real MCM, which is built: nothing but its Leases is held. */
  isStandIn?: boolean;
  /** Of both processes of MCM. */
  mcmFlags?: readonly string[];
  /** Of its machine controller alone. */
  machineControllerFlags?: readonly string[];
  managerFlags?: readonly string[];
  /** Of ours at the start; default 1. */
  replicas?: number;
}

/** Quicker than by default: 15, 10 and 2 s. */
const election = [
  '--leader-elect-lease-duration=6s',
  '--leader-elect-renew-deadline=4s',
  '--leader-elect-retry-period=1s',
];
const lookEveryMs = 100;
const startsMax = 5;
const mcmLeases = ['machine-controller-manager', 'machine-controller'] as const;
export const standIn = 'stand-in-of-mcm';

interface Pod extends KubeObject {
  spec?: { nodeName?: string };
}

export class Installs {
  readonly #scenario: Scenario;
  readonly #options: MigrationOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #mcm: ChildProcess[] = [];
  #isOperatorRunning = false;
  #starts = 0;

  constructor(scenario: Scenario, options: MigrationOptions = {}) {
    this.#scenario = scenario;
    this.#options = options;
  }

  /** MCM with one replica, ours beside it. */
  async start(): Promise<void> {
    const { kube } = this.#scenario.cluster;
    await kube.create(nodePath(), {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: this.#host, annotations: fakeKubelet },
      // No pod of a test is scheduled there, and these come by name.
      spec: { unschedulable: true },
    });
    for (const one of this.#manifests()) await this.apply(one);
    this.#running = this.#serve();
  }

  async apply(manifest: object): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    await cluster.kube.create(deployments(namespace), manifest);
  }

  /** Waits until nothing of it runs. */
  async stop(): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    this.#stopping.abort();
    await this.#running;
    await this.#endMcm();
    for (const { metadata } of await cluster.list<Deployment>(deployments(namespace))) {
      await cluster.delete(deployments(namespace, metadata.name));
    }
    for (const { metadata } of await cluster.list<Pod>(namespaced('pods', namespace))) {
      await this.#forget(metadata.name);
    }
    await ignoreNotFound(cluster.kube.delete(nodePath(this.#host)));
  }

  async untilMcmLeads(): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    await eventually('MCM holds its Leases', async () => {
      this.#refuseRestarts();
      for (const name of mcmLeases) {
        const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
        const { spec } = await cluster.kube.get<Lease>(path);
        if (!spec?.holderIdentity) throw new Error(`nobody holds ${name}`);
      }
    });
  }

  /** A wrong flag ends it at once, again and again. */
  #refuseRestarts(): void {
    if (this.#starts < startsMax) return;
    const logs = logFolderOf(testStack(), this.#scenario.namespace);
    throw new Error(`MCM was started ${this.#starts} times; its logs are in ${logs}`);
  }

  /** All pods of all Deployments are ready. */
  async untilReady(): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    await eventually('all Deployments are ready', async () => {
      for (const { metadata, spec, status } of await cluster.list<Deployment>(
        deployments(namespace),
      )) {
        const { availableReplicas = 0 } = status ?? {};
        if (availableReplicas !== spec?.replicas) throw new Error(`${metadata.name} is not ready`);
      }
    });
  }

  get #isStandIn(): boolean {
    return this.#options.isStandIn ?? false;
  }

  get #host(): string {
    return `kubelet-of-${this.#scenario.namespace}`;
  }

  #manifests(): object[] {
    const { namespace } = this.#scenario;
    const { replicas = 1 } = this.#options;
    const ours = (['watcher', 'worker'] as const).map((component) =>
      deploymentOf({
        name: `millwright-${component}`,
        replicas,
        host: this.#host,
        role: component,
        labels: {
          'helm.sh/chart': 'millwright-0.1.0',
          'app.kubernetes.io/component': component,
        },
        containers: [
          {
            name: component,
            image: 'millwright:0.1.0',
            args: [`${component}.js`, `--namespace=${namespace}`],
          },
        ],
      }),
    );
    return [this.mcmManifest(), ...ours];
  }

  /** As Gardener has it: two containers, whose flags the kubelet hands on. */
  mcmManifest(flags: readonly string[] = []): object {
    const { namespace } = this.#scenario;
    const { mcmFlags = [], machineControllerFlags = [], managerFlags = [] } = this.#options;
    const common = [`--namespace=${namespace}`, ...election, ...mcmFlags, ...flags];
    return deploymentOf({
      name: 'machine-controller-manager',
      replicas: 1,
      host: this.#host,
      role: 'mcm',
      labels: { app: 'mcm' },
      containers: [
        {
          name: 'machine-controller-manager',
          image: 'mcm.example/gardener/machine-controller-manager:v0.62.1',
          command: ['./machine-controller-manager'],
          args: ['--control-kubeconfig=inClusterConfig', ...common, ...managerFlags],
        },
        {
          name: 'machine-controller-manager-provider-virtual',
          image: 'mcm.example/gardener/machine-controller-manager-provider-virtual:v0.1.0',
          args: ['--control-kubeconfig=inClusterConfig', ...common, ...machineControllerFlags],
        },
      ],
    });
  }

  async #serve(): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    while (!this.#stopping.signal.aborted) {
      const pods = await cluster.list<Pod>(namespaced('pods', namespace));
      const ours = pods.filter(({ spec }) => spec?.nodeName === this.#host);
      await this.#serveMcm(ours.filter(hasRole('mcm')));
      await this.#serveOperator(ours.filter((pod) => !hasRole('mcm')(pod)));
      await delay(lookEveryMs);
    }
  }

  async #serveMcm(pods: Pod[]): Promise<void> {
    if (pods.some(isWanted)) {
      if (this.#isStandIn) return await this.#renewLeases();
      const isWhole = this.#mcm.length > 0 && this.#mcm.every(isRunning);
      if (isWhole) return;
      await this.#endMcm();
      this.#mcm = await this.#spawnMcm();
      this.#starts += 1;
      return;
    }
    await this.#endMcm();
    for (const { metadata } of pods) await this.#forget(metadata.name);
  }

  /** As client-go does it: one that somebody else holds is left alone while it is renewed. */
  async #renewLeases(): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: standIn, renewTime, leaseDurationSeconds: 6 };
    for (const name of mcmLeases) {
      const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
      const held = await cluster.find<Lease>(`${path}/${name}`);
      const holder = held?.spec?.holderIdentity;
      if (held === undefined) await cluster.kube.create(path, { metadata: { name }, spec });
      else if (!holder || holder === standIn) {
        await cluster.kube.patch(`${path}/${name}`, 'merge', { spec });
      }
    }
  }

  /** Watcher and worker come and go together: each has its pod. */
  async #serveOperator(pods: Pod[]): Promise<void> {
    const { operator } = this.#scenario;
    const isFull = (['watcher', 'worker'] as const).every((role) =>
      pods.some((pod) => isWanted(pod) && hasRole(role)(pod)),
    );
    if (isFull && !this.#isOperatorRunning) {
      operator.start();
      this.#isOperatorRunning = true;
    }
    const going = pods.filter((pod) => !isWanted(pod));
    if (going.length === 0) return;
    if (this.#isOperatorRunning) {
      await Promise.all([operator.retire('watcher'), operator.retire('worker')]);
      this.#isOperatorRunning = false;
    }
    for (const { metadata } of going) await this.#forget(metadata.name);
  }

  async #spawnMcm(): Promise<ChildProcess[]> {
    const { cluster, namespace } = this.#scenario;
    const path = deployments(namespace, 'machine-controller-manager');
    const containers = containersOf(await cluster.kube.get<Deployment>(path));
    const flagsOf = (index: number): string[] =>
      (containers[index]?.args ?? []).filter((arg) => !arg.startsWith('--control-kubeconfig'));
    const { layout, virtualCloud } = testStack();
    return await spawnMcm({
      kubeconfig: layout.kubeconfig,
      virtualCloud,
      logFolder: logFolderOf(testStack(), namespace),
      flags: [flagsOf(0), flagsOf(1)],
    });
  }

  async #endMcm(): Promise<void> {
    await endMcm(this.#mcm);
    this.#mcm = [];
  }

  async #forget(pod: string): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    const path = namespaced('pods', namespace, pod);
    await ignoreNotFound(cluster.kube.delete(path, { gracePeriodSeconds: 0 }));
  }
}

interface Wanted {
  name: string;
  replicas: number;
  host: string;
  role: Role;
  labels: Record<string, string>;
  containers: object[];
}

function deploymentOf({ name, replicas, host, role, labels, containers }: Wanted): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: { role } },
      template: {
        metadata: {
          labels: { role },
          // Its process decides.
          annotations: { 'local.millwright.dev/never-terminates': 'true' },
        },
        spec: { nodeName: host, containers, terminationGracePeriodSeconds: 30 },
      },
    },
  };
}

const hasRole =
  (role: Role) =>
  ({ metadata }: Pod): boolean =>
    metadata.labels?.['role'] === role;

const isWanted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;
