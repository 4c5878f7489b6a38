/** The real cluster autoscaler of the Kubernetes project, for the pools of one scenario. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { isAlreadyExists } from '../../../kube/client/errors.ts';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { rightsOfAutoscaler } from '../../../deploy/local/cluster/apply.ts';
import type { Manifest } from '../../../deploy/local/cluster/rights.ts';
import { autoscalerCommand } from '../../../deploy/local/components/cluster-autoscaler.ts';
import { localPorts } from '../../../deploy/local/supervision/ports.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import { group as ourGroup } from '../../../workflows/api/constants.ts';
import { LiveList } from './live-list.ts';
import type { Scenario } from './scenario.ts';
import { logFolderOf, testStack } from './test-stack.ts';

/** What takes it minutes in production is over in seconds. */
const hurried = [
  '--scan-interval=1s',
  '--scale-down-unneeded-time=4s',
  '--scale-down-delay-after-add=3s',
  '--scale-down-delay-after-delete=0s',
  '--scale-down-delay-after-failure=3s',
  '--unremovable-node-recheck-timeout=2s',
  '--node-delete-delay-after-taint=1s',
  '--max-graceful-termination-sec=5',
  '--max-pod-eviction-time=10s',
  // Of two pools that would do, the one whose Node is filled best.
  '--expander=least-waste',
  // Nodes of other scenarios are none of its business, nor is its report theirs.
  '--max-total-unready-percentage=100',
  '--ok-total-unready-count=1000',
  '--write-status-configmap=false',
];

export class ClusterAutoscaler {
  readonly #scenario: Scenario;
  readonly #file: string;
  readonly #group: string;
  readonly #stop: () => Promise<void>;
  #process: ChildProcess | undefined;
  #isEnding = false;
  #starts = 0;
  readonly #deleted: Map<string, boolean>;

  private constructor(
    scenario: Scenario,
    { file, group }: { file: string; group: string },
    { deleted, stop }: { deleted: Map<string, boolean>; stop: () => Promise<void> },
  ) {
    this.#scenario = scenario;
    this.#file = file;
    this.#group = group;
    this.#deleted = deleted;
    this.#stop = stop;
  }

  /** `group`: of its pools. */
  static async start(scenario: Scenario, group = ourGroup): Promise<ClusterAutoscaler> {
    const file = await preparedBinary('cluster-autoscaler');
    await grant(scenario, group);
    const autoscaler = new ClusterAutoscaler(
      scenario,
      { file, group },
      deletionsOf(scenario, group),
    );
    await autoscaler.startAgain();
    return autoscaler;
  }

  async startAgain(): Promise<void> {
    const { namespace } = this.#scenario;
    const stack = testStack();
    const { args, env } = autoscalerCommand({
      file: this.#file,
      kubeconfig: stack.layout.kubeconfigOf('cluster-autoscaler'),
      namespace,
      port: await localPorts.anyFree(),
      group: this.#group,
      flags: hurried,
    });
    this.#starts += 1;
    const name = `cluster-autoscaler-${this.#starts}.log`;
    const log = openSync(join(logFolderOf(stack, namespace), name), 'a');
    const stdio = ['ignore', log, log] as const;
    this.#process = spawn(this.#file, args, { stdio: [...stdio], env: { ...process.env, ...env } });
    closeSync(log);
    this.#isEnding = false;
    this.#process.once('exit', (code, signal) => {
      if (!this.#isEnding) throw new Error(`the autoscaler ended with ${signal ?? code}: ${name}`);
    });
  }

  async kill9(): Promise<void> {
    if (this.#process === undefined) return;
    this.#isEnding = true;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
    this.#process = undefined;
  }

  async end(): Promise<void> {
    await this.kill9();
    await this.#stop();
    await revoke(this.#scenario);
  }

  /** No machine went that the autoscaler had not chosen, but for those that a test names. */
  expectOnlyChosenDeleted(others: readonly string[] = []): void {
    const unchosen = [...this.#deleted].filter(([, isChosen]) => !isChosen).map(([name]) => name);
    expect(unchosen.filter((name) => !others.includes(name))).toEqual([]);
  }

  /** Forgets what went so far. */
  beginAnew(): void {
    this.#deleted.clear();
  }
}

/** By name of each machine that was deleted: whether it had the autoscaler's mark by then. */
function deletionsOf({ cluster, namespace }: Scenario, group: string) {
  const deleted = new Map<string, boolean>();
  const list = new LiveList<KubeObject, KubeObject>({
    kube: cluster.kube,
    path: `/apis/${group}/v1alpha1/namespaces/${namespace}/machines`,
    project: (machine) => machine,
    onChange: (_type, machine) => {
      if (machine?.metadata.deletionTimestamp === undefined) return;
      const { name, annotations: notes = {} } = machine.metadata;
      if (!deleted.has(name)) deleted.set(name, `${group}/delete-machine` in notes);
    },
  });
  return { deleted, stop: () => list.stop() };
}

const plurals: Record<string, string> = {
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
};

function pathOf({ kind, metadata }: Manifest): string {
  const place = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `/apis/rbac.authorization.k8s.io/v1${place}/${plurals[kind]}`;
}

/** What docs/autoscaler.md tells users to give it, and no more. */
async function grant({ cluster, namespace }: Scenario, group: string): Promise<void> {
  const texts = JSON.stringify(rightsOfAutoscaler(namespace)).replaceAll(ourGroup, group);
  const manifests: readonly Manifest[] = JSON.parse(texts);
  for (const manifest of manifests) {
    try {
      await cluster.kube.create(pathOf(manifest), manifest);
    } catch (error) {
      // That of the cluster is left of another scenario.
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

async function revoke({ cluster, namespace }: Scenario): Promise<void> {
  for (const manifest of rightsOfAutoscaler(namespace)) {
    if (manifest.metadata.namespace === undefined) continue;
    await ignoreNotFound(cluster.kube.delete(`${pathOf(manifest)}/${manifest.metadata.name}`));
  }
}
