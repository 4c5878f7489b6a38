/** The life of a pool on a cloud that is not the virtual one, on the whole stack. */
import type { Machine } from '../../../../workflows/api/machine.ts';
import { eventually } from '../../../support/eventually.ts';
import { playKubelets, type CloudKubelets, type CloudNode } from '../cloud-kubelets.ts';
import { isReady, type NodeObject } from '../cluster.ts';
import { createDeployment, deleteDeployment, machinesOf } from '../machines.ts';
import { classManifest, secretName } from '../manifests.ts';
import { changeClass } from '../rollouts.ts';
import { useScenario, type Scenario } from '../scenario.ts';
import { Workloads } from '../workloads.ts';
import type { RunningCloud } from './cloud-case.ts';

export interface PoolCloud extends Pick<
  RunningCloud,
  'providerSpec' | 'secret' | 'living' | 'stop'
> {
  /** Variables for the worker. */
  env: Record<string, string>;
  /** Another spec, to roll to. */
  otherSpec: object;
  /** Instances that run. */
  nodes(): Promise<CloudNode[]>;
  /** What else holds while all machines of a class run. */
  expectRunning?(scenario: Scenario, ofClass: string): Promise<void>;
  /** What else holds at the end, after six machines. */
  expectGone?(): Promise<void>;
}

export interface PoolCloudCase {
  /** As in the `provider` of a MachineClass. */
  provider: string;
  start(): Promise<PoolCloud>;
}

export function describePool({ provider, start }: PoolCloudCase): void {
  describe(`a MachineDeployment on ${provider}`, () => {
    let cloud: PoolCloud;
    // Before the scenario's worker starts, which finds the cloud by its environment.
    beforeAll(async () => {
      cloud = await start();
    });

    const scenario = useScenario(`pool-${provider.toLowerCase()}`, {
      isDoubled: false,
      workerEnv: () => cloud.env,
    });
    const { cluster, namespace } = scenario;
    const workloads = new Workloads(scenario);
    let kubelets: CloudKubelets;

    beforeAll(async () => {
      const secret = `/api/v1/namespaces/${namespace}/secrets/${secretName}`;
      await cluster.kube.patch(secret, 'merge', { stringData: cloud.secret });
      const { providerSpec, otherSpec } = cloud;
      for (const [name, spec] of Object.entries({ old: providerSpec, new: otherSpec })) {
        const manifest = classManifest({ namespace, name }, { provider, providerSpec: spec });
        await cluster.create('machineclasses', manifest);
      }
      kubelets = playKubelets(() => cloud.nodes(), cluster);
    });
    afterAll(async () => {
      await kubelets.stop();
      await cloud.stop();
    });

    /** So many machines, all Running, each with its instance and its Ready Node, and no more. */
    async function untilOneEach(pool: string, count: number, ofClass: string): Promise<Machine[]> {
      const what = `${count} machines of class ${ofClass}, each with one instance and one Node`;
      return await eventually(what, async () => {
        const machines = await machinesOf(scenario, pool);
        expect(
          machines.map(({ status, spec }) => [status?.currentStatus?.phase, spec.class?.name]),
        ).toEqual(Array.from({ length: count }, () => ['Running', ofClass]));
        const wanted = machines.map(({ spec: { providerID = '' } }) => providerID).toSorted();
        const instances = await cloud.nodes();
        expect(instances.map(({ providerID }) => providerID).toSorted()).toEqual(wanted);
        const nodes = await cluster.list<NodeObject>('/api/v1/nodes');
        const ready = nodes.filter(isReady).map(({ spec }) => spec?.providerID);
        expect(ready).toEqual(expect.arrayContaining(wanted));
        return machines;
      });
    }

    // One test: the invariants after each test ask the virtual cloud, which knows nothing of these
    // machines.
    test('is scaled, rolled, drained and deleted, with one instance for each machine, though its worker is killed', async () => {
      const pool = await createDeployment(scenario, 'pool', {
        replicas: 1,
        minReadySeconds: 0,
        template: {
          metadata: { labels: { name: `${namespace}-pool` } },
          spec: { class: { kind: 'MachineClass', name: 'old' } },
        },
      });
      const [first] = await untilOneEach(pool, 1, 'old');
      await cluster.scale(pool, 3);
      // Wherever it is: what it has begun is found again.
      await scenario.operator.kill9('worker');
      await untilOneEach(pool, 3, 'old');
      await cloud.expectRunning?.(scenario, 'old');

      const nodeName = first?.metadata.labels?.['node'] ?? '';
      await workloads.start({ app: 'web', nodeName });
      const [pod] = await workloads.podsOn(nodeName, 'web');
      await changeClass(scenario, pool, 'new');
      await untilOneEach(pool, 3, 'new');
      await cloud.expectRunning?.(scenario, 'new');
      const pods = await workloads.podsOn(nodeName, 'web');
      expect(pods.map(({ metadata }) => metadata.uid)).not.toContain(pod?.metadata.uid);
      await workloads.end('web');

      const deletion = deleteDeployment(scenario, pool);
      await scenario.operator.kill9('worker');
      await deletion;
      await eventually('nothing is left in the cloud', async () =>
        expect(await cloud.living()).toEqual([]),
      );
      await cloud.expectGone?.();
    });
  });
}
