/** The front for cluster.k8s.io in the chart: nothing of it where it is off, and what it may do. */
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { chart, renderChart } from '../../../deploy/helm/render.ts';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { readCommandLine } from '../../../workers/config/config.ts';

interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

interface Rendered {
  kind: string;
  metadata: { name: string; namespace?: string };
  rules?: Rule[];
  subjects?: { name: string }[];
  spec?: {
    template?: { spec: { containers: [{ args: string[]; env?: object[]; envFrom?: object[] }] } };
    matchConditions?: { expression: string }[];
    validations?: { expression: string }[];
  };
}

let helm: string;
beforeAll(async () => void (helm = await preparedBinary('helm')));

const on = 'front.enabled=true';

async function textOf(set: readonly string[], ...args: string[]): Promise<string> {
  const values = set.map((value) => `--set=${value}`);
  return await renderChart({ helm, namespace: 'machines', args: [...values, ...args] });
}

async function render(set: readonly string[], ...args: string[]): Promise<Rendered[]> {
  const text = await textOf(set, ...args);
  return parseAllDocuments(text).map((document): Rendered => document.toJS());
}

const keyOf = ({ kind, metadata: { name, namespace } }: Rendered) =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/** Of the roles of the front: `NAMESPACE: VERB RESOURCE.GROUP`, sorted. */
function rightsIn(objects: readonly Rendered[]): string[] {
  const roles = objects.filter(
    ({ kind, metadata }) => kind.endsWith('Role') && metadata.name.endsWith('-front'),
  );
  const rights = roles.flatMap(({ metadata, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.map((resource) => {
          const names = resourceNames ? ` ${resourceNames.join()}` : '';
          const kind = group === '' ? resource : `${resource}.${group}`;
          return `${metadata.namespace ?? '*'}: ${verbs.join()} ${kind}${names}`;
        }),
      ),
    ),
  );
  return rights.toSorted();
}

async function frontContainer(...set: string[]) {
  const objects = await render([on, ...set]);
  const deployment = objects.find(
    (object) => keyOf(object).endsWith('machines/millwright-front') && object.kind === 'Deployment',
  );
  return deployment?.spec?.template?.spec.containers[0];
}

const examples = ['fleet', 'gardener-seed', 'gardener-shoot', 'split-workers'];

test.each([undefined, ...examples])('is nowhere where it is off: %s', async (example) => {
  const args = example === undefined ? [] : [`--values=${join(chart, `examples/${example}.yaml`)}`];
  expect(await textOf([], ...args)).not.toMatch(
    /cluster\.k8s\.io|front\.millwright|-front\b|front\.js/,
  );
});

test('comes beside what is there, which stays but for the FlowSchemas and a flag', async () => {
  const [off, all] = await Promise.all([render([]), render([on])]);
  const before = new Map(off.map((object) => [keyOf(object), object]));
  const isNew = (object: Rendered) => !before.has(keyOf(object));
  const flag = '"--machine-controller-lease=kube-system/machine-controller"';
  for (const object of all.filter((one) => !isNew(one) && one.kind !== 'FlowSchema')) {
    const text = JSON.stringify(object);
    const isWatcher = keyOf(object) === 'Deployment machines/millwright-worker';
    expect(text.includes(flag)).toBe(isWatcher);
    expect(JSON.parse(text.replace(`,${flag}`, ''))).toEqual(before.get(keyOf(object)));
  }
  const made = all.filter(isNew).map(keyOf);
  const roles = ['Role', 'RoleBinding'].flatMap((kind) => [
    `${kind} machines/millwright-front`,
    `${kind} kube-system/machines.millwright-lease-front`,
    `Cluster${kind} machines.millwright-target-front`,
    `Cluster${kind} machines.millwright-identity-front`,
  ]);
  const policies = ['secrets', 'machines', 'deployments'].flatMap((name) => [
    `ValidatingAdmissionPolicy machines.millwright-front-${name}`,
    `ValidatingAdmissionPolicyBinding machines.millwright-front-${name}`,
  ]);
  const pods = ['Deployment', 'PodDisruptionBudget', 'ServiceAccount'];
  expect(made.toSorted()).toEqual(
    [...roles, ...policies, ...pods.map((kind) => `${kind} machines/millwright-front`)].toSorted(),
  );
});

const control = (namespace: string) => [
  `${namespace}: create leases.coordination.k8s.io`,
  `${namespace}: get,create,patch events`,
  `${namespace}: get,list,create,patch,delete configmaps`,
  `${namespace}: get,list,create,patch,delete machineclasses.machine.sapcloud.io`,
  `${namespace}: get,list,create,patch,delete secrets`,
  ...['machines', 'machinesets'].map(
    (plural) => `${namespace}: get,list,watch,create,patch,delete ${plural}.cluster.k8s.io`,
  ),
  ...['machinedeployments', 'machines', 'machinesets'].map(
    (plural) => `${namespace}: get,list,watch,create,patch,delete ${plural}.machine.sapcloud.io`,
  ),
  `${namespace}: get,list,watch,patch machinedeployments.cluster.k8s.io`,
  `${namespace}: get,update leases.coordination.k8s.io millwright-front`,
  ...['machinedeployments', 'machinesets'].flatMap((plural) => [
    `${namespace}: patch ${plural}/status.cluster.k8s.io`,
    `${namespace}: update ${plural}/finalizers.cluster.k8s.io`,
    `${namespace}: update ${plural}/finalizers.machine.sapcloud.io`,
  ]),
];
const target = '*: get,list,watch,patch nodes';
const identity = '*: get namespaces kube-system';
const leaseOf = (namespace: string, name: string): string[] => [
  `${namespace}: create leases.coordination.k8s.io`,
  `${namespace}: get,update leases.coordination.k8s.io ${name}`,
];
const lease = leaseOf('kube-system', 'machine-controller');
const reads = (namespace: string) => [`${namespace}: get configmaps`, `${namespace}: get secrets`];

test.each([
  { set: [], rights: [...control('machines'), target, identity, ...lease] },
  {
    set: ['front.readsSecretsIn={a,b}', 'userData.operatingSystemManager=true', 'clusterId=x'],
    rights: [
      ...control('machines'),
      target,
      ...lease,
      'cloud-init-settings: get secrets',
      ...reads('a'),
      ...reads('b'),
    ],
  },
  {
    set: ['install=a', 'fleet.namespaces=a', 'fleet.targetSecret=t'],
    rights: [...control('a'), 'a: list,watch secrets t', identity, ...lease],
  },
  {
    set: ['front.machineControllerLease=kubermatic/mc', 'rbac.clusterWide=true'],
    rights: [...control('*'), target, identity, ...leaseOf('kubermatic', 'mc')],
  },
  {
    set: ['render=targetRights', 'rbac.subjects[0].kind=User,rbac.subjects[0].name=a'],
    rights: [target, identity],
  },
  { set: ['rbac.create=false'], rights: [] },
])('may do what its requests need, and nothing else: $set', async ({ set, rights }) => {
  expect(rightsIn(await render([on, ...set]))).toEqual(rights.toSorted());
});

test('is told what its values say, in flags that it knows', async () => {
  const container = await frontContainer(
    'front.instanceCluster=one',
    'front.userDataConfig=user-data',
    'front.replaceUnhealthy=true',
    'front.joinClusterTimeout=25m',
    'front.skipEvictionAfter=1h',
    'front.flags.v=4',
    'front.machineControllerLease=kubermatic/mc',
    'front.env[0].name=HCLOUD_TOKEN,front.env[0].value=x',
    'front.envFrom[0].secretRef.name=clouds',
  );
  const [entrance, ...argv] = container?.args ?? [];
  expect(entrance).toBe('front.js');
  expect(container).toMatchObject({
    env: [{ name: 'HCLOUD_TOKEN', value: 'x' }],
    envFrom: [{ secretRef: { name: 'clouds' } }],
  });
  // No pod: a process without a kubeconfig would say so.
  const files = argv.filter((arg) => !arg.includes('kubeconfig'));
  expect(readCommandLine({ component: 'front', argv: files, env: {} })).toMatchObject({
    kind: 'run',
    config: {
      front: {
        instanceCluster: 'one',
        userDataConfig: 'user-data',
        joinClusterTimeoutSeconds: 1500,
        skipEvictionAfterSeconds: 3600,
        replacesUnhealthy: true,
        machineControllerLease: { namespace: 'kubermatic', name: 'mc' },
      },
    },
  });
});

test.each([
  ['front.serviceAccount.name=millwright-worker', /"millwright-worker" is that of another process/],
  ['workers.front.serve={core}', /workers.front: is not allowed with front.enabled/],
  ['front.flags.join-cluster-timeout=5m', /use front.joinClusterTimeout/],
  ['front.joinClusterTimeout=soon', /joinClusterTimeout/],
  ['front.machineControllerLease=machine-controller', /machineControllerLease/],
  ['front.flags.shutdown-grace-period=40s', /which is 40s in front/],
  ['front.replica=1', /replica/],
])('refuses %s', async (value, fault) => {
  await expect(render([on, value])).rejects.toThrow(fault);
});

test('with one identity for all processes keeps the Secrets of people as without the front', async () => {
  const subject = 'rbac.subjects[0].kind=User,rbac.subjects[0].name=a';
  const objects = await render([on, 'render=controlRights', subject]);
  const policies = objects.filter(
    ({ kind, metadata }) =>
      kind === 'ValidatingAdmissionPolicy' && metadata.name.endsWith('-secrets'),
  );
  expect(policies.map(({ metadata }) => metadata.name)).toEqual([
    'machines.millwright-front-secrets',
  ]);
  const [expression = ''] = policies.flatMap(
    ({ spec }) => spec?.validations?.map((one) => one.expression) ?? [],
  );
  expect(expression).toContain('bootstrap.kubernetes.io/token');
  expect(expression).toContain("request.operation == 'UPDATE' && object.type == oldObject.type");
});
