/** The chart on a real API server: what it renders is taken, and its accounts can do their work. */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { chart, renderChart } from '../../../deploy/helm/render.ts';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { refusalsOf } from '../support/audit.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { machineManifest, secretName } from '../support/manifests.ts';
import { useScenario, type Scenario } from '../support/scenario.ts';
import {
  kubeconfigFileOf,
  userNameOf,
  writeAccountKubeconfig,
  type Account,
} from '../support/service-accounts.ts';
import { testStack } from '../support/test-stack.ts';
import { nameCurrent } from '../support/versions.ts';
import { Workloads } from '../support/workloads.ts';
import { ownBuildId } from '../../../workers/temporal/worker-version.ts';

const helm = await preparedBinary('helm');
const kubectl = await preparedBinary('kubectl');
const { layout, virtualCloud } = testStack();

interface Program {
  /** The part of the name of a worker that stands for the process. The core has the watcher. */
  part: 'core' | 'drain' | 'cloud';
  values: object;
}

/** No kubelet runs a pod here: the test starts the processes itself, as their pods would be. */
const programs: readonly Program[] = [
  { part: 'core', values: { replicas: 0, serve: ['core'], providers: ['virtual'] } },
  { part: 'drain', values: { replicas: 0, serve: ['drain'], providers: ['virtual'] } },
  { part: 'cloud', values: { replicas: 0, serve: ['driver:virtual'], providers: ['virtual'] } },
];

function withHelm(...args: string[]): Promise<string> {
  return runProgram(helm, args, { env: { KUBECONFIG: layout.kubeconfig } });
}

function withKubectl(args: readonly string[], input = '', kubeconfig = layout.kubeconfig) {
  return runProgram(kubectl, [`--kubeconfig=${kubeconfig}`, ...args], { input });
}

interface Deployment {
  kind: string;
  spec: {
    template: { spec: { serviceAccountName: string; containers: [{ args: string[] }] } };
  };
}

/** Flags that say where the pod is, and are otherwise here. */
const ofPod =
  /^--(control-kubeconfig|target-kubeconfig|namespace|temporal-address|log-format|port)=/;

const settings = programs.map(
  ({ part, values }) => `--set-json=workers.${part}=${JSON.stringify(values)}`,
);
// Its pods run nowhere: what becomes of them is for the test to say, and for no Node of others.
const release = [
  ...settings,
  '--set=workers.worker=null',
  '--set=nodeSelector.run=nowhere',
  '--set=front.enabled=true,front.replicas=0',
];

/** Of the account of a part, as its Deployment has them. */
async function flagsByAccount(): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = await renderChart({ helm, namespace: 'any', args: release });
  const objects = parseAllDocuments(text).map((document): Deployment => document.toJS());
  return new Map(
    objects
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec: { template } }) => {
        const [, ...flags] = template.spec.containers[0].args;
        return [template.spec.serviceAccountName, flags.filter((flag) => !ofPod.test(flag))];
      }),
  );
}

const flags = await flagsByAccount();
const [, deploymentName = ''] =
  /--worker-deployment=(\S+)/.exec([...flags.values()].flat().join(' ')) ?? [];

/** The release is in a namespace of its own, beside that of its Machines. */
const accountOf = ({ namespace }: { namespace: string }, part: string): Account => ({
  namespace: `${namespace}-system`,
  name: `millwright-${part}`,
});

function secretOf(name: string, type: string): string {
  const metadata = { name, namespace: 'kube-system' };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, type });
}

async function install(scenario: Scenario): Promise<void> {
  const { namespace, cluster } = scenario;
  await cluster.kube.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const own = ['--namespace', `${namespace}-system`, '--create-namespace'];
  const machines = `--set=machines.namespace=${namespace}`;
  await withHelm('install', 'millwright', chart, ...own, machines, ...release);
  for (const part of [...programs.map((program) => program.part), 'front'])
    await writeAccountKubeconfig(cluster.kube, accountOf(scenario, part));
}

/** No controller and no kubelet run it here: a Job ends as if its pod had done its work. */
async function endJob(namespace: string, job: string): Promise<void> {
  const named = ['job', job, '-n', namespace];
  await eventually(`there is the Job ${job}`, () => withKubectl(['get', ...named]));
  const now = new Date().toISOString();
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' }));
  const status = { startTime: now, completionTime: now, succeeded: 1, conditions };
  const patch = ['patch', ...named, '--subresource=status', '--type=merge'];
  await withKubectl([...patch, '-p', JSON.stringify({ status })]);
}

/** The Job of the version that is no hook. */
const ofRelease = /^job\.batch\/millwright-version-[0-9a-f]{8}$/;

/** Marks the pod Ready, as a kubelet does once its readiness probe passes. */
async function makeReady(namespace: string, component: string): Promise<void> {
  const of = ['pods', '-n', namespace, '-l', `app.kubernetes.io/component=${component}`];
  const pod = await eventually(`there is a pod of ${component}`, async () => {
    const [name = ''] = (await withKubectl(['get', ...of, '-o', 'name'])).split('\n');
    return name !== '' && name;
  });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const patch = ['patch', pod, '-n', namespace, '--subresource=status', '--type=merge'];
  await withKubectl([...patch, '-p', JSON.stringify({ status })]);
}

describe('an install by the chart', () => {
  const scenario: Scenario = useScenario('chart', {
    isDoubled: false,
    grant: install,
    accessOf: (program) => ({
      kubeconfig: kubeconfigFileOf(accountOf(scenario, program.replace('worker-', ''))),
      virtualCloud,
    }),
    isInOne: true,
    workers: programs.map(({ part }) => ({
      name: `worker-${part}` as const,
      // As the operator has it for all workers, unless they say otherwise.
      flags: [
        ...(part === 'core' ? [] : ['--with-watcher=false']),
        ...(flags.get(`millwright-${part}`) ?? []),
      ],
    })),
  });
  // The release goes after the objects and their processes.
  afterAll(async () => {
    const { namespace } = accountOf(scenario, 'any');
    await withHelm('uninstall', 'millwright', '--namespace', namespace);
    const kinds = 'clusterroles,clusterrolebindings,validatingadmissionpolicies,flowschemas';
    const left = await withKubectl(['get', kinds, '-o', 'name']);
    expect(left.split('\n').filter((name) => name.includes(namespace))).toEqual([]);
    await withKubectl(['delete', 'namespace', namespace]);
  });
  const { cluster } = scenario;
  const workloads = new Workloads(scenario);

  test('has the rights to make, roll, drain and delete machines, and needs no others', async () => {
    // What the Job of the release does, whose pod no kubelet runs here.
    const buildId = await ownBuildId(layout.workflowBundle);
    await nameCurrent({ deploymentName, buildId });
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    const name = await createMachine(scenario, 'busy');
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'web', nodeName: name, replicas: 2 });
    await cluster.delete(cluster.pathOf('machines', name));
    await untilGone(scenario, cluster.pathOf('machines', name));
    expect(await workloads.podsOn(name)).toEqual([]);
    await workloads.end('web');
    await deleteDeployment(scenario, pool);
    const users = programs.map(({ part }) => userNameOf(accountOf(scenario, part)));
    expect(await refusalsOf(users)).toEqual([]);
  });

  test('is upgraded by Helm though no worker is ready, then with a hook, and rolled back', async () => {
    const { namespace } = scenario;
    const system = `${namespace}-system`;
    const own = ['--namespace', system];
    const values = [`--set=machines.namespace=${namespace}`, ...release];
    const upgrade = (...args: string[]) =>
      withHelm('upgrade', 'millwright', chart, ...own, ...values, ...args);
    const jobs = async () => {
      const names = await withKubectl(['get', 'jobs', '-n', system, '-o', 'name']);
      return names.split('\n').filter((name) => name !== '');
    };
    const [first = '', ...others] = await jobs();
    expect({ first, others }).toEqual({ first: expect.stringMatching(ofRelease), others: [] });

    // Workers that are not ready become so by the Job, so Helm must not wait for them before it.
    const repair = upgrade('--set=workers.core.replicas=1', '--wait', '--timeout=10m');
    const repaired = async (): Promise<string> => {
      const second = await eventually('a Job of the second revision', async () => {
        const found = await jobs();
        return found.find((name) => name !== first && ofRelease.test(name)) ?? false;
      });
      await endJob(system, second.replace('job.batch/', ''));
      await makeReady(system, 'core');
      return second;
    };
    const [second] = await Promise.all([repaired(), repair]);
    expect(await jobs()).toEqual([second]);

    await Promise.all([upgrade(), endJob(system, 'millwright-version')]);
    // The Job of the revision before is gone with it, and a hook that did its work as well.
    expect(await jobs()).toEqual([]);
    await withHelm('rollback', 'millwright', '1', ...own);
    expect(await jobs()).toEqual([first]);
  });

  test('lets nothing but the worker change the instance of a Machine', async () => {
    const name = await createMachine(scenario, 'owned');
    await untilPhase(scenario, name, 'Running');
    const patch = ['patch', 'machine', name, '-n', scenario.namespace, '--type=merge'];
    const change = [...patch, '-p', '{"spec":{"providerID":"virtual://other"}}'];
    await expect(withKubectl(change)).rejects.toThrow(
      'spec.providerID is written by Millwright alone once a Machine exists',
    );
    await withKubectl([...patch, '-p', '{"metadata":{"annotations":{"example.com/a":"b"}}}']);
    const asWorker = kubeconfigFileOf(accountOf(scenario, 'core'));
    await withKubectl([...change, '--dry-run=server'], undefined, asWorker);
    const restored = machineManifest(scenario.named('restored'), { providerID: 'virtual://x' });
    await withKubectl(['create', '--dry-run=server', '-f', '-'], JSON.stringify(restored));
  });

  test('lets the front write its own Secrets, and no others', async () => {
    const asFront = kubeconfigFileOf(accountOf(scenario, 'front'));
    const { namespace } = scenario;
    const fault = 'may write only Secrets with the label front.millwright.dev/pool';
    const write = async (...args: string[]) =>
      await withKubectl([...args, '-n', namespace, '--dry-run=server'], undefined, asFront);
    const change = ['--type=merge', '-p', '{"metadata":{"finalizers":["example.com/other"]}}'];
    await expect(write('patch', 'secret', secretName, ...change)).rejects.toThrow(fault);
    await expect(write('delete', 'secret', secretName)).rejects.toThrow(fault);

    const create = (name: string, metadata: object) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace, ...metadata },
        data: { 'front-template': 'e30=' },
      });
    const labels = { 'front.millwright.dev/pool': 'a' };
    await withKubectl(['create', '-f', '-'], create('of-front', { labels }), asFront);
    // A person takes the label off, and it is given back.
    const relabel = (value: string | null) => [
      'patch',
      'secret',
      'of-front',
      `--namespace=${namespace}`,
      '--type=merge',
      '-p',
      JSON.stringify({ metadata: { labels: { 'front.millwright.dev/pool': value } } }),
    ];
    await withKubectl(relabel(null));
    await withKubectl(relabel('a'), undefined, asFront);
    await withKubectl(['delete', 'secret', 'of-front', '-n', namespace], undefined, asFront);
  });

  test('writes of Secrets their finalizers, and in kube-system bootstrap tokens, alone', async () => {
    const asWorker = kubeconfigFileOf(accountOf(scenario, 'core'));
    const { namespace } = scenario;
    const patch = ['patch', 'secret', secretName, '-n', namespace, '--dry-run=server'];
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' };
    for (const change of [
      { data: { userData: 'eA==' } },
      { immutable: true },
      // The garbage collector deletes what such an owner has.
      { metadata: { ownerReferences: [owner] } },
    ]) {
      const changed = [...patch, '--type=merge', '-p', JSON.stringify(change)];
      await expect(withKubectl(changed, undefined, asWorker)).rejects.toThrow(
        'Millwright may change nothing of a Secret but its finalizers',
      );
    }
    const finalizer = '{"metadata":{"finalizers":["machine.sapcloud.io/other"]}}';
    await withKubectl([...patch, '--type=merge', '-p', finalizer], undefined, asWorker);

    const create = ['create', '--dry-run=server', '-f', '-'];
    for (const other of [
      secretOf('bootstrap-token-abcdef', 'Opaque'),
      secretOf('admin', 'bootstrap.kubernetes.io/token'),
    ])
      await expect(withKubectl(create, other, asWorker)).rejects.toThrow(
        'only when they are bootstrap tokens',
      );
    const token = secretOf('bootstrap-token-abcdef', 'bootstrap.kubernetes.io/token');
    await withKubectl(create, token, asWorker);
  });
});

describe('what the chart renders', () => {
  const namespace = `dry-run-${randomBytes(2).toString('hex')}`;
  beforeAll(() => withKubectl(['create', 'namespace', namespace]));
  afterAll(() => withKubectl(['delete', 'namespace', namespace]));

  const examples = readdirSync(join(chart, 'examples'));
  // The server knows no ServiceMonitor: the Prometheus operator brings it.
  const here = [
    '--set=metrics.serviceMonitor.enabled=false',
    '--set=metrics.prometheusRule.enabled=false',
    `--set=networkPolicy.temporal.namespace=${namespace}`,
  ];
  test.each([
    { values: 'none', args: [] },
    ...examples.map((file) => ({
      values: file,
      args: [`--values=${join(chart, 'examples', file)}`, ...here],
    })),
  ])('is taken by the API server: $values', async ({ args }) => {
    const text = await renderChart({ helm, namespace, args });
    const applied = ['apply', '--server-side', '--dry-run=server', '-f', '-'];
    expect(await withKubectl(applied, text)).toContain('serverside-applied (server dry run)');
  });
});
