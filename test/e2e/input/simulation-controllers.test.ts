/**
 * The controllers of the simulator do what the real ones do: the same scenarios as in
 * `test/simulation/controllers/scenarios`, on the controllers of the stack.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/client/errors.ts';
import { namespaced, node as nodePath } from '../../../kube/client/paths.ts';
import { fakeKubelet, stopped } from '../../../deploy/local/virtual-cloud/node-object.ts';
import type { Body } from '../../support/api-server/creation.ts';
import type { DeleteOptions } from '../../support/api-server/deletion.ts';
import { scenarios } from '../../simulation/controllers/scenarios/scenarios.ts';
import { Stage } from '../../simulation/controllers/scenarios/stage.ts';
import type { Answer, Ref, WorkloadWanted } from '../../simulation/controllers/scenarios/stage.ts';
import { isReady } from '../support/cluster.ts';
import type { NodeObject } from '../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { setReady } from '../support/node-health.ts';
import { useScenario } from '../support/scenario.ts';
import type { Scenario } from '../support/scenario.ts';

const stageLabel = 'example.com/stage';

class RealStage extends Stage {
  readonly namespace: string;
  protected readonly prefix: string;
  readonly #scenario: Scenario;

  /** `name`: of the namespace, and how the names of its Nodes begin. */
  constructor(scenario: Scenario, name: string) {
    super();
    this.#scenario = scenario;
    this.namespace = name;
    this.prefix = `${name}-`;
  }

  get #kube() {
    return this.#scenario.cluster.kube;
  }

  async start(): Promise<void> {
    await this.#kube.create('/api/v1/namespaces', { metadata: { name: this.namespace } });
    // Without one no pod is made in it.
    await eventually('the service account of the namespace', () =>
      this.#kube.get(namespaced('serviceaccounts', this.namespace, 'default')),
    );
  }

  async end(): Promise<void> {
    const { cluster } = this.#scenario;
    await cluster.delete(`/api/v1/namespaces/${this.namespace}`);
    for (const { metadata } of await cluster.nodes()) {
      if (metadata.name.startsWith(this.prefix)) await cluster.delete(nodePath(metadata.name));
    }
  }

  protected async createAt(path: string, body: Body): Promise<void> {
    await this.#kube.create(path, body);
  }

  protected async patchAt(path: string, body: object): Promise<void> {
    await this.#kube.patch(path, 'merge', body);
  }

  protected async deleteAt(path: string, options: DeleteOptions): Promise<void> {
    await this.#kube.delete(path, options);
  }

  protected async evictAt(path: string, name: string): Promise<Answer> {
    try {
      const metadata = { name, namespace: this.namespace };
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata };
      await this.#kube.create(`${path}/eviction`, body);
      return { code: 201, message: '', causes: [] };
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      const { code, message, details } = error;
      return { code, message, causes: details.causes ?? [] };
    }
  }

  protected async readAt(path: string): Promise<KubeObject | undefined> {
    return await this.#scenario.cluster.find<KubeObject>(path);
  }

  protected async listAt(path: string): Promise<KubeObject[]> {
    return await this.#scenario.cluster.list<KubeObject>(path);
  }

  protected async until(what: string, check: () => Promise<void>): Promise<void> {
    // A Node has to be silent for three minutes.
    await eventually(what, check);
  }

  async startNode(name: string): Promise<void> {
    const nodeName = this.nodeName(name);
    const size = { cpu: '8', memory: '32Gi', pods: '110' };
    await this.#kube.create(nodePath(), {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: nodeName,
        labels: { 'kubernetes.io/hostname': nodeName, [stageLabel]: this.namespace },
        annotations: fakeKubelet,
      },
      status: { capacity: size, allocatable: size },
    });
    await eventually(`${nodeName} is ready`, async () => {
      const node = await this.#kube.get<NodeObject>(nodePath(nodeName));
      if (!isReady(node)) throw new Error('it is not');
    });
  }

  async setReady(name: string, isNodeReady: boolean): Promise<void> {
    await setReady(this.#scenario, this.nodeName(name), isNodeReady);
  }

  async silence(name: string): Promise<void> {
    const path = nodePath(this.nodeName(name));
    await this.#kube.patch(path, 'merge', { metadata: { annotations: stopped } });
  }

  async startWorkload({ name: app, kind, replicas }: WorkloadWanted): Promise<void> {
    const isOnEachNode = kind === 'DaemonSet';
    const nodeSelector = { [stageLabel]: this.namespace };
    const spec = { containers: [{ name: 'app', image: 'nothing' }], nodeSelector };
    const collection = isOnEachNode ? 'daemonsets' : 'replicasets';
    await this.#kube.create(`/apis/apps/v1/namespaces/${this.namespace}/${collection}`, {
      apiVersion: 'apps/v1',
      kind: kind ?? 'ReplicaSet',
      metadata: { name: app },
      spec: {
        ...(!isOnEachNode && { replicas }),
        selector: { matchLabels: { app } },
        template: { metadata: { labels: { app } }, spec },
      },
    });
  }

  /** Its kubelet writes the status of a pod that runs no more. */
  async spoil(pod: Ref): Promise<void> {
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    await this.#kube.patch(`${this.pathOf(pod)}/status`, 'strategic', { status });
  }
}

describe('the real controllers', () => {
  const scenario = useScenario('controllers');

  test.each(scenarios.map((one, index) => ({ ...one, index })))(
    '$name',
    async ({ play, index }) => {
      const stage = new RealStage(scenario, `${scenario.namespace}-${index}`);
      await stage.start();
      try {
        await expect(play(stage)).resolves.toBeUndefined();
      } finally {
        await stage.end();
      }
    },
  );
});
