/**
 * From Kubermatic's machine-controller to the front, and back: a stand-in holds its Lease while its
 * Deployment has replicas, and its VMs were made without Millwright.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createVirtualCloudClient } from '../../../activities/drivers/virtual/client.ts';
import { deployments, type Deployment } from '../../../cli/install/deployments.ts';
import { fakeKubelet } from '../../../deploy/local/virtual-cloud/node-object.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import { lease as leasePath, node as nodePath } from '../../../kube/client/paths.ts';
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import type { KubermaticMachine } from '../../../workflows/api/kubermatic.ts';
import {
  front,
  kubermaticAnnotations,
  kubermaticApiVersion,
  kubermaticFinalizers,
  kubermaticLabels,
} from '../../../workflows/api/kubermatic-names.ts';
import { answerTo } from '../../support/command-line.ts';
import { eventually } from '../../support/eventually.ts';
import { plainInstance } from '../../support/virtual-instance.ts';
import { millwright } from '../support/command.ts';
import { createTheirPool, theirMachinesOf, theirPath, useFrontScenario } from '../support/front.ts';
import { testStack } from '../support/test-stack.ts';

const controller = 'machine-controller';
const leaseFlag = (): string => `--machine-controller-lease=${namespace}/${controller}`;
const scenario = useFrontScenario('ftake', {
  isDoubled: false,
  // In the served namespace, as with Kubermatic: a Lease of MCM has the same name.
  serves: () => [`--namespace=${namespace}`, leaseFlag()],
});
const { cluster, cloud, namespace, operator } = scenario;
const { kube } = cluster;
const host = `kubelet-of-${namespace}`;
const stopping = new AbortController();
let standIn: Promise<void> | undefined;

/** Its pod runs on a Node that the virtual cloud plays the kubelet of. */
async function deploy({
  name,
  args,
  labels = {},
}: {
  name: string;
  args: string[];
  labels?: object;
}): Promise<void> {
  const matchLabels = { pod: name };
  const containers = [{ name, image: `example/${name}`, args }];
  const spec = { nodeName: host, terminationGracePeriodSeconds: 0, containers };
  await kube.create(deployments(namespace), {
    metadata: { name, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels },
      template: { metadata: { labels: matchLabels }, spec },
    },
  });
}

const leaseNow = async () => await kube.get<Lease>(leasePath(namespace, controller));

/** As client-go does it: one that another holds is taken when it is free, and never before. */
async function holdLease(): Promise<void> {
  while (!stopping.signal.aborted) {
    const { spec } = await kube.get<Deployment>(deployments(namespace, controller));
    const lease = await leaseNow();
    const { holderIdentity } = lease.spec ?? {};
    const isOn = (spec?.replicas ?? 1) > 0;
    if (isOn ? !holderIdentity || holderIdentity === 'stand-in' : holderIdentity === 'stand-in') {
      const renewTime = new Date().toISOString().replace('Z', '000Z');
      const next = { holderIdentity: isOn ? 'stand-in' : '', renewTime, leaseDurationSeconds: 6 };
      await kube.update(leasePath(namespace, controller), { ...lease, spec: next });
    }
    await delay(500);
  }
}

beforeAll(async () => {
  await kube.create(nodePath(), {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: host, annotations: fakeKubelet },
    spec: { unschedulable: true },
  });
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const verbs = ['get', 'update'];
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs }];
  await kube.create(`${rbac}/roles`, { metadata: { name: 'front' }, rules });
  const apiGroup = 'rbac.authorization.k8s.io';
  await kube.create(`${rbac}/rolebindings`, {
    metadata: { name: 'front' },
    roleRef: { apiGroup, kind: 'Role', name: 'front' },
    subjects: [{ apiGroup, kind: 'User', name: 'millwright-front' }],
  });
  await kube.create(leasePath(namespace), { metadata: { name: controller }, spec: {} });
  await deploy({ name: controller, args: [`-leader-election-namespace=${namespace}`] });
  for (const component of ['worker', 'front']) {
    const own = component === 'front' ? ['--user-data-config=cluster'] : ['--with-watcher'];
    await deploy({
      name: `millwright-${component}`,
      args: [`--namespace=${namespace}`, leaseFlag(), ...own],
      labels: {
        'app.kubernetes.io/name': 'millwright',
        'app.kubernetes.io/component': component,
      },
    });
  }
  standIn = holdLease();
  await eventually('it leads, as does the front, and all pods are ready', async () => {
    expect((await leaseNow()).spec?.holderIdentity).toBe('stand-in');
    const ofFront = await kube.get<Lease>(leasePath(namespace, front.lease));
    expect(ofFront.spec?.holderIdentity).toBeTruthy();
    const { items } = await kube.list<Deployment>(deployments(namespace));
    expect(items.map(({ status }) => status?.availableReplicas)).toEqual([1, 1, 1]);
  });
});

// Before the scenario ends, which wants nothing left.
afterEach(async () => {
  stopping.abort();
  await standIn;
  for (const name of ['worker', 'front'].map((one) => `millwright-${one}`)) {
    await cluster.delete(deployments(namespace, name));
  }
  await cluster.delete(deployments(namespace, controller));
  await cluster.delete(nodePath(host));
});

/** What machine-controller leaves: two sets, and a VM with its Node for each Machine. */
async function made(): Promise<{ pool: string; names: string[] }> {
  const pool = await createTheirPool(scenario, 'pool', { replicas: 2 });
  const path = theirPath(scenario, 'machinedeployments', pool);
  const deployment = await kube.get<KubeObject & { spec: { template: { spec: object } } }>(path);
  await kube.patch(path, 'merge', {
    metadata: { annotations: { [kubermaticAnnotations.revision]: '2' } },
  });
  const { spec } = deployment.spec.template;
  await makeSet(pool, deployment, {
    hash: '1',
    replicas: 0,
    spec: { ...spec, metadata: { labels: { of: 'before' } } },
  });
  const set = await makeSet(pool, deployment, { hash: '2', replicas: 2, spec });
  const url = new URL(testStack().virtualCloud);
  const client = createVirtualCloudClient({ url, callTimeoutSeconds: 10 });
  const names = ['a', 'b'].map((letter) => `${set.metadata.name}-${letter}`);
  for (const name of names) await makeMachine(set, name, { pool, spec, client });
  return { pool, names };
}

const owned = (kind: string, { metadata: { name, uid } }: KubeObject) => [
  { apiVersion: kubermaticApiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true },
];

async function makeSet(
  pool: string,
  deployment: KubeObject,
  { hash, replicas, spec }: { hash: string; replicas: number; spec: object },
): Promise<KubeObject> {
  const labels = { name: pool, [kubermaticLabels.templateHash]: hash };
  return await kube.create<KubeObject>(theirPath(scenario, 'machinesets'), {
    apiVersion: kubermaticApiVersion,
    kind: 'MachineSet',
    metadata: {
      name: `${pool}-${hash}`,
      namespace,
      labels,
      annotations: { [kubermaticAnnotations.revision]: hash },
      finalizers: ['foregroundDeletion'],
      ownerReferences: owned('MachineDeployment', deployment),
    },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}

async function makeMachine(
  set: KubeObject,
  name: string,
  {
    pool,
    spec,
    client,
  }: { pool: string; spec: object; client: ReturnType<typeof createVirtualCloudClient> },
): Promise<void> {
  const body = {
    apiVersion: kubermaticApiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace,
      labels: { name: pool, [kubermaticLabels.templateHash]: '2' },
      finalizers: Object.values(kubermaticFinalizers),
      ownerReferences: owned('MachineSet', set),
    },
    spec: { ...spec, metadata: { name } },
  };
  const { metadata } = await kube.create<KubeObject>(theirPath(scenario, 'machines'), body);
  const request = plainInstance({ name, token: `made-by-machine-controller-${name}` });
  await client.create(request, new AbortController().signal);
  const node = await eventually(`${name} has joined`, () => kube.get<KubeObject>(nodePath(name)));
  await kube.patch(nodePath(name), 'merge', {
    metadata: { labels: { [kubermaticLabels.ownedBy]: metadata.uid } },
  });
  const nodeRef = { apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid };
  await kube.patch(theirPath(scenario, 'machines', name), 'merge', { status: { nodeRef } });
}

/** Nobody answers it: what it is asked about is refused. */
async function addWebhook(): Promise<string> {
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  await kube.create(path, {
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'machinedeployments.machine-controller.kubermatic.io',
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        rules: [
          {
            apiGroups: ['cluster.k8s.io'],
            apiVersions: ['v1alpha1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['machinedeployments', 'machines'],
          },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        clientConfig: { service: { namespace, name: 'nobody', path: '/x' } },
      },
    ],
  });
  return `${path}/${namespace}`;
}

const wordsOf = (command: string) => [
  'migrate',
  command,
  '--from=kubermatic',
  `--machine-controller=${namespace}/${controller}`,
];

const run = async (command: string) =>
  await answerTo([
    ...wordsOf(command),
    `--namespace=${namespace}`,
    `--kubeconfig=${testStack().layout.kubeconfig}`,
  ]);

/** Then it is killed. */
async function runUntil(command: string, isBegun: () => Promise<void>): Promise<void> {
  const killing = new AbortController();
  const running = millwright(scenario, wordsOf(command), { signal: killing.signal });
  await Promise.all([
    expect(running).rejects.toThrow('aborted'),
    eventually('the front has begun', isBegun).then(() => killing.abort()),
  ]);
}

const expectHolder = async (expected: string) =>
  await eventually(`${expected} holds the Lease of machine-controller`, async () => {
    expect((await leaseNow()).spec?.holderIdentity).toBe(expected);
  });

const instances = async () =>
  Object.fromEntries((await cloud.instances()).map(({ name, providerID }) => [name, providerID]));

async function expectUntouched(before: Record<string, string>): Promise<void> {
  expect(await instances()).toEqual(before);
  const names = Object.keys(before);
  expect(await cloud.count('create', 'created')).toBe(names.length);
  expect(await cloud.deletions()).toEqual([]);
  const nodes = await cluster.nodes();
  expect(nodes.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(names));
  expect(nodes.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
}

const idsOf = (machines: readonly KubermaticMachine[]) =>
  Object.fromEntries(machines.map(({ metadata, spec }) => [metadata.name, spec.providerID]));

test('every instance is kept there and back, with command and front killed in the middle', async () => {
  const { pool, names } = await made();
  const webhook = await addWebhook();
  const before = await instances();
  expect(Object.keys(before).toSorted()).toEqual(names);
  const { text, exitCode } = await run('check');
  expect([exitCode, text]).toEqual([0, expect.stringMatching(/Nothing hinders a take-over/)]);

  await runUntil('take-over', async () => {
    const machines = await theirMachinesOf(scenario, pool);
    const begun = machines.filter(({ metadata }) => metadata.finalizers?.includes(front.finalizer));
    expect(begun).not.toEqual([]);
  });
  await operator.kill9('front');
  await run('take-over');
  expect(idsOf(await theirMachinesOf(scenario, pool))).toEqual(before);
  await eventually('our Machines run', async () => {
    expect(await cluster.phases()).toEqual(
      Object.fromEntries(names.map((name) => [name, 'Running'])),
    );
  });
  await expectUntouched(before);
  const sets = await cluster.list<KubeObject>(theirPath(scenario, 'machinesets'));
  expect(sets.map(({ metadata }) => metadata.name).toSorted()).toEqual([`${pool}-1`, `${pool}-2`]);

  await expectHolder(`${front.lease}/${namespace}`);
  expect(await run('check')).toMatchObject({ exitCode: 0 });
  await runUntil('hand-back', async () => {
    expect(await cluster.deployments()).toEqual([]);
  });
  await operator.kill9('front');
  await run('hand-back');
  // Pools of tests beside this one keep it at 0, as it acts in all namespaces.
  await kube.patch(deployments(namespace, controller), 'merge', { spec: { replicas: 1 } });
  await expectHolder('stand-in');
  const machines = await theirMachinesOf(scenario, pool);
  expect(machines.map(({ metadata }) => metadata.finalizers?.toSorted())).toEqual(
    names.map(() => Object.values(kubermaticFinalizers).toSorted()),
  );
  expect(await cluster.machines()).toEqual([]);
  expect(await cluster.deployments()).toEqual([]);
  await expectUntouched(before);

  await run('take-over');
  await expectUntouched(before);
  const [given = '', kept = ''] = names;
  const note = { [kubermaticAnnotations.deleteMachine]: new Date().toISOString() };
  const marked = { metadata: { annotations: note } };
  await kube.patch(theirPath(scenario, 'machines', given), 'merge', marked);
  await kube.patch(theirPath(scenario, 'machinedeployments', pool), 'merge', {
    spec: { replicas: 1 },
  });
  await eventually('the VM of the marked Machine is gone', async () => {
    expect(Object.keys(await instances())).toEqual([kept]);
    expect(Object.keys(idsOf(await theirMachinesOf(scenario, pool)))).toEqual([kept]);
  });
  expect((await cloud.deletions()).map(({ name }) => name)).toEqual([given]);
  await cluster.delete(webhook);
});
