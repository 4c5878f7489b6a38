/**
 * A MachineDeployment on AWS: the real stack and the real driver with its SDK, and moto for EC2.
 */
import { customResource } from '../../../kube/client/paths.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { startMoto, type Moto } from '../../support/moto.ts';
import { aMotoAccount, motoSecret, type MotoAccount } from '../../support/moto-account.ts';
import { playKubelets, type CloudKubelets } from '../support/cloud-kubelets.ts';
import { isReady, type NodeObject } from '../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, deleteDeployment, machinesOf } from '../support/machines.ts';
import { classManifest, secretName } from '../support/manifests.ts';
import { changeClass } from '../support/rollouts.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

describe('a MachineDeployment on AWS', () => {
  let moto: Moto;
  let account: MotoAccount;
  // Before the scenario's worker starts, which finds EC2 by its environment.
  beforeAll(async () => {
    moto = await startMoto();
    account = await aMotoAccount(moto.url);
  });

  const scenario = useScenario('aws', {
    isDoubled: false,
    workerEnv: () => ({ AWS_ENDPOINT_URL_EC2: moto.url }),
  });
  const { cluster, namespace } = scenario;
  const workloads = new Workloads(scenario);
  let kubelets: CloudKubelets;

  beforeAll(async () => {
    await cluster.kube.patch(`/api/v1/namespaces/${namespace}/secrets/${secretName}`, 'merge', {
      stringData: motoSecret,
    });
    await createAwsClass('aws-old', 'm5.large');
    await createAwsClass('aws-new', 'c5.large', { keyNam: 'ops' });
    kubelets = playKubelets(() => account.nodes(), cluster);
  });
  afterAll(async () => {
    await kubelets.stop();
    account.close();
    await moto.stop();
  });

  async function createAwsClass(
    name: string,
    machineType: string,
    more: object = {},
  ): Promise<void> {
    const networkInterfaces = [
      { subnetID: account.subnetId, securityGroupIDs: [account.securityGroupId] },
    ];
    const providerSpec = {
      ami: account.ami,
      region: 'eu-west-1',
      machineType,
      iam: { name: 'nodes' },
      networkInterfaces,
      blockDevices: [{ ebs: { volumeType: 'gp3', volumeSize: 20 } }],
      tags: { [`kubernetes.io/cluster/${namespace}`]: '1', 'kubernetes.io/role/node': '1' },
      srcAndDstChecksEnabled: false,
      ...more,
    };
    const manifest = classManifest({ namespace, name }, { provider: 'AWS', providerSpec });
    await cluster.create('machineclasses', manifest);
  }

  /**
   * So many machines, all Running with this instance type, each with its instance and its Ready
   * Node and no instance beside them.
   */
  async function untilOneEach(pool: string, count: number, type: string): Promise<Machine[]> {
    const what = `${count} machines of type ${type}, each with one instance and one Node`;
    return await eventually(what, async () => {
      const machines = await machinesOf(scenario, pool);
      expect(machines.map(({ status }) => status?.currentStatus?.phase)).toEqual(
        Array.from({ length: count }, () => 'Running'),
      );
      const running = (await account.instances()).filter(({ State }) => State?.Name === 'running');
      const found = running.map(({ InstanceId, InstanceType, Tags = [] }) => {
        const name = Tags.find(({ Key }) => Key === 'Name')?.Value;
        return `${name} aws:///eu-west-1/${InstanceId} ${InstanceType}`;
      });
      const wanted = machines.map(
        ({ metadata, spec }) => `${metadata.name} ${spec.providerID} ${type}`,
      );
      expect(found.toSorted()).toEqual(wanted.toSorted());
      const nodes = await cluster.list<NodeObject>('/api/v1/nodes');
      const ready = nodes.filter(isReady).map(({ spec }) => spec?.providerID);
      expect(ready).toEqual(expect.arrayContaining(machines.map(({ spec }) => spec.providerID)));
      return machines;
    });
  }

  // One test: the invariants after each test ask the virtual cloud, which knows nothing of these
  // machines.
  test('is scaled, rolled, drained and deleted, with one instance for each machine at all times', async () => {
    const pool = await createDeployment(scenario, 'pool', {
      replicas: 2,
      minReadySeconds: 0,
      template: {
        metadata: { labels: { name: `${namespace}-pool` } },
        spec: { class: { kind: 'MachineClass', name: 'aws-old' } },
      },
    });
    const [first] = await untilOneEach(pool, 2, 'm5.large');
    await cluster.scale(pool, 5);
    // Wherever it is: what it has begun is found by its tags.
    await scenario.operator.kill9('worker');
    await untilOneEach(pool, 5, 'm5.large');
    for (const { NetworkInterfaces = [] } of await account.instances()) {
      expect(NetworkInterfaces.map(({ SourceDestCheck }) => SourceDestCheck)).toEqual([false]);
    }

    const path = customResource('machineclasses', namespace, 'aws-new');
    const misspelled = await cluster.kube.get<MachineClass>(path);
    expect(misspelled.metadata.annotations?.[annotations.ignoredKeys]).toBe(
      'providerSpec.keyNam is not a field and is ignored; did you mean keyName?',
    );

    const nodeName = first?.metadata.labels?.['node'] ?? '';
    await workloads.start({ app: 'web', nodeName });
    const [pod] = await workloads.podsOn(nodeName, 'web');
    await changeClass(scenario, pool, 'aws-new');
    await untilOneEach(pool, 5, 'c5.large');
    // By now the name may be a new Node's, with a new pod.
    const pods = await workloads.podsOn(nodeName, 'web');
    expect(pods.map(({ metadata }) => metadata.uid)).not.toContain(pod?.metadata.uid);
    await workloads.end('web');

    const deletion = deleteDeployment(scenario, pool);
    await scenario.operator.kill9('worker');
    await deletion;
    await eventually('no instance runs', async () => {
      const states = (await account.instances()).map(({ State }) => State?.Name);
      expect(states).toEqual(Array.from({ length: 10 }, () => 'terminated'));
    });
    const tokens = (await account.instances()).map(({ ClientToken }) => ClientToken);
    expect(new Set(tokens).size).toBe(10);
  });
});
