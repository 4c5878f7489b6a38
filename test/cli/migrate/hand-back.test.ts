import proto from '@temporalio/proto';
import { holderAnnotation } from '../../../kube/leases/observed-lease.ts';
import type { PatchType } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/client/errors.ts';
import { lease } from '../../../kube/client/paths.ts';
import { neededFinalizer } from '../../../kube/leases/lease-lock.ts';
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import { mcmLeases } from '../../../kube/leases/lease-set.ts';
import { handBack } from '../../../cli/migrate/hand-back.ts';
import { scheduleIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { ReviewingClient } from '../../support/api-server/reviewing-client.ts';
import { startFakeTemporal } from '../../workers/temporal/fake-temporal.ts';

const { DescribeScheduleResponse, DescribeWorkflowExecutionResponse } =
  proto.temporal.api.workflowservice.v1;
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const aDeployment = (name: string, labels: Record<string, string> = {}) => ({
  metadata: { name, namespace: 'shoot', labels },
  spec: { template: { spec: { containers: [{ name, args: ['--namespace=shoot'] }] } } },
});

const mcm = 'machine-controller-manager';
const watcher = aDeployment('watcher', {
  'helm.sh/chart': 'millwright-1.0.0',
  'app.kubernetes.io/component': 'watcher',
});

class WithDeployments extends ReviewingClient {
  installed: readonly object[] = [watcher];
  mcm: object = aDeployment(mcm);

  constructor() {
    super({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } });
    this.fault = ({ path }) =>
      path.endsWith('policies') ? { code: 403, reason: 'Forbidden' } : undefined;
  }

  override async get<T>(path: string): Promise<T>;
  override async get(path: string): Promise<unknown> {
    if (path.endsWith('/deployments')) return { metadata: {}, items: this.installed };
    if (path.endsWith(`/deployments/${mcm}`)) return this.mcm;
    return await super.get(path);
  }
}

function handBackOf(kube: ReviewingClient, temporalAddress = '127.0.0.1:1', timeoutSeconds = 600) {
  return handBack({
    scope: { kube, namespace: 'shoot' },
    options: {
      from: 'mcm',
      machineController: { namespace: 'kube-system', name: 'machine-controller' },
      instancesTagged: false,
      mcmDeployments: [mcm],
      externalProviders: [],
      timeoutSeconds,
      temporalAddress,
    },
    report: () => undefined,
  });
}

test('where Temporal cannot be asked, nothing is scaled down', async () => {
  const kube = new WithDeployments();
  await expect(handBackOf(kube)).rejects.toThrow('Nothing was done: Temporal at 127.0.0.1:1');
  expect(kube.writes()).toEqual([]);
});

test('without a right that it needs at its end, nothing is scaled down', async () => {
  const kube = new WithDeployments();
  kube.refused.add('patch machinedeployments/status').add('list machines');
  await expect(handBackOf(kube)).rejects.toThrow(
    /^Nothing was done: you may not patch machinedeployments\.machine\.sapcloud\.io\/status in shoot$/,
  );
  expect(kube.writes()).toEqual([]);
});

test('where the id of the cluster cannot be read, nothing is scaled down', async () => {
  const kube = new WithDeployments();
  kube.fault = () => ({ code: 403, reason: 'Forbidden' });
  await expect(handBackOf(kube)).rejects.toThrow('Nothing was done: the namespace kube-system');
  expect(kube.writes()).toEqual([]);
});

test('an install that is elsewhere is asked for, as its watcher holds a Lease', async () => {
  const kube = new WithDeployments();
  kube.installed = [];
  kube.put({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: mcm, namespace: 'shoot', annotations: { [holderAnnotation]: 'w-1' } },
    spec: { holderIdentity: 'w-1', renewTime: new Date().toISOString() },
  });
  await expect(handBackOf(kube)).rejects.toThrow(
    /^Nothing was done: .* Lease machine-controller-manager is held by w-1: .*--release-namespace/,
  );
  expect(kube.writes()).toEqual([]);
});

test('an MCM whose command line turns its Leases off is refused, also in its command', async () => {
  const kube = new WithDeployments();
  const command = ['./machine-controller-manager', '--leader-elect=0'];
  kube.mcm = {
    ...kube.mcm,
    spec: { template: { spec: { containers: [{ name: mcm, command }] } } },
  };
  await expect(handBackOf(kube)).rejects.toThrow(
    'Nothing was done: Deployment machine-controller-manager has --leader-elect=false',
  );
  expect(kube.writes()).toEqual([]);
});

test("where our watcher has the name of MCM's Deployment, its value has to be set back", async () => {
  const kube = new WithDeployments();
  kube.installed = [aDeployment(mcm, watcher.metadata.labels)];
  kube.mcm = aDeployment(mcm, watcher.metadata.labels);
  await expect(handBackOf(kube)).rejects.toThrow(
    /^Nothing was done: Deployment machine-controller-manager is Millwright's own: .*watcher.deploymentName/,
  );
  expect(kube.writes()).toEqual([]);
});

const aPayload = (value: string) => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(value)),
});

const nothing = { code: 5, message: 'not found' };
const notFound = new Map([
  ['DescribeSchedule', nothing],
  ['DescribeWorkflowExecution', nothing],
]);

test('without the keys of payloads that are encrypted, nothing is scaled down', async () => {
  const payload = { metadata: { encoding: Buffer.from('binary/encrypted') } };
  const startWorkflow = {
    workflowId: 'w',
    workflowType: { name: 'w' },
    taskQueue: { name: 'q' },
    input: { payloads: [payload] },
  };
  const schedule = { spec: {}, action: { startWorkflow } };
  const described = DescribeScheduleResponse.encode({ schedule }).finish();
  const temporal = await startFakeTemporal(({ method }) =>
    method === 'DescribeSchedule' ? described : notFound.get(method),
  );
  stops.push(() => temporal.close());
  const kube = new WithDeployments();
  await expect(handBackOf(kube, temporal.address)).rejects.toThrow(
    /^Nothing was done: .*Unknown encoding: binary\/encrypted.*--payload-keys$/,
  );
  expect(kube.writes()).toEqual([]);
});

interface Stored {
  metadata: { name: string; resourceVersion: string; annotations?: object };
  spec: { replicas: number };
}

/** Its Deployments can be scaled, and an MCM that is up takes its Leases. */
class Cluster extends WithDeployments {
  hasWatcher = true;
  readonly #stored = new Map<string, Stored>();
  /** What another client does right before a Deployment is written for the first time. */
  meanwhile: (name: string) => void = () => {};
  readonly #written = new Set<string>();

  constructor() {
    super();
    for (const [one, replicas] of [
      [watcher, 1],
      [aDeployment(mcm), 0],
    ] as const) {
      const metadata = { ...one.metadata, resourceVersion: '1' };
      this.#stored.set(metadata.name, { metadata, spec: { ...one.spec, replicas } });
    }
  }

  override async get<T>(path: string): Promise<T>;
  override async get(path: string): Promise<unknown> {
    if (path.endsWith('/deployments')) {
      return { metadata: {}, items: this.hasWatcher ? [this.#of('watcher')] : [] };
    }
    if (path.includes('/deployments/')) return this.#of(path.endsWith(mcm) ? mcm : 'watcher');
    return await super.get(path);
  }

  override async patch<T>(path: string, type: PatchType, body: Stored): Promise<T>;
  override async patch(path: string, type: PatchType, body: Stored): Promise<unknown> {
    if (!path.includes('/deployments/')) return await super.patch(path, type, body);
    const name = path.endsWith(mcm) ? mcm : 'watcher';
    if (!this.#written.has(name)) this.meanwhile(name);
    this.#written.add(name);
    const found = this.#of(name);
    const { resourceVersion, annotations } = body.metadata;
    if (resourceVersion !== found.metadata.resourceVersion) {
      throw new KubeError({ code: 409, reason: 'Conflict', message: '', method: 'PATCH', path });
    }
    this.touch(name, { spec: { ...found.spec, ...body.spec }, annotations });
    if (path.endsWith(mcm)) for (const held of mcmLeases) this.put(aLease(held, 'mcm-1'));
    return {};
  }

  touch(name: string, changes: { spec?: Stored['spec']; annotations?: object | undefined }): void {
    const { metadata, spec } = this.#of(name);
    const resourceVersion = `${Number(metadata.resourceVersion) + 1}`;
    const { annotations = metadata.annotations } = changes;
    const next = { ...metadata, resourceVersion, ...(annotations && { annotations }) };
    this.#stored.set(name, { metadata: next, spec: changes.spec ?? spec });
  }

  replicasOf(name: string): number {
    return this.#of(name).spec.replicas;
  }

  #of(name: string): Stored {
    const found = this.#stored.get(name);
    if (!found) throw new Error(`no Deployment ${name}`);
    return found;
  }
}

const aLease = (name: string, holder: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'shoot' },
  spec: { holderIdentity: holder, renewTime: new Date().toISOString() },
});

async function anEmptyTemporal() {
  const temporal = await startFakeTemporal(({ method }) => notFound.get(method));
  stops.push(() => temporal.close());
  return temporal;
}

test('Deployments whose status changes meanwhile do not stop it in the middle', async () => {
  const temporal = await anEmptyTemporal();
  const kube = new Cluster();
  kube.meanwhile = (name) => kube.touch(name, {});
  const own = aLease('millwright', '');
  kube.put({ ...own, metadata: { ...own.metadata, finalizers: [neededFinalizer] } });
  const { text } = await handBackOf(kube, temporal.address);
  expect(text).toBe('MCM manages the machines of shoot again.');
  expect([kube.replicasOf('watcher'), kube.replicasOf(mcm)]).toEqual([0, 1]);
  const left = await kube.get<Lease>(lease('shoot', 'millwright'));
  expect(left.metadata.finalizers ?? []).toEqual([]);
});

test('what another client scales meanwhile is not undone', async () => {
  const temporal = await anEmptyTemporal();
  const kube = new Cluster();
  kube.meanwhile = (name) => kube.touch(name, { spec: { replicas: 3 } });
  await expect(handBackOf(kube, temporal.address)).rejects.toThrow(
    'another client scaled or replaced Deployment watcher',
  );
  expect(kube.replicasOf('watcher')).toBe(3);
});

test('a Temporal that takes calls and answers none ends it in time, and nothing was done', async () => {
  const temporal = await startFakeTemporal(({ method }) =>
    method === 'DescribeSchedule' ? 'silence' : notFound.get(method),
  );
  stops.push(() => temporal.close());
  const kube = new Cluster();
  await expect(handBackOf(kube, temporal.address, 1)).rejects.toThrow(
    /^Nothing was done: the schedules in Temporal at .* cannot be read: /,
  );
  expect(kube.replicasOf('watcher')).toBe(1);
});

test('one that falls silent in the middle ends it with an error', async () => {
  const temporal = await startFakeTemporal(({ method }) => {
    if (method === 'ListWorkflowExecutions') return 'silence';
    return notFound.get(method);
  });
  stops.push(() => temporal.close());
  await expect(handBackOf(new Cluster(), temporal.address, 1)).rejects.toThrow(/deadline|failed/i);
});

test('of a fleet that the namespace was taken out of, its Schedules and runs are ended', async () => {
  const memo = { fields: { holder: aPayload('east/fleet') } };
  const workflowExecutionInfo = {
    execution: { workflowId: 'c' },
    type: {},
    startTime: {},
    executionTime: {},
    status: 1,
    memo,
  };
  const claim = DescribeWorkflowExecutionResponse.encode({
    workflowExecutionInfo,
    executionConfig: {},
  }).finish();
  const temporal = await startFakeTemporal(({ method }) =>
    method === 'DescribeWorkflowExecution' ? claim : notFound.get(method),
  );
  stops.push(() => temporal.close());
  const kube = new Cluster();
  kube.hasWatcher = false;
  await handBackOf(kube, temporal.address);
  const asked = (method: string) =>
    temporal.calls.filter((call) => call.method === method).map(({ text }) => text);
  const id = scheduleIdOf('overshoot', {
    name: 'fleet',
    clusterName: 'east',
    fleetNamespace: 'shoot',
  });
  expect(asked('DescribeSchedule').filter((text) => text.includes(id))).not.toEqual([]);
  expect(asked('ListWorkflowExecutions').join()).toMatch(/TaskQueue="[^"]*fleet[^"]*"/);
});

test('another Temporal than that of the install, without its claim, is refused', async () => {
  const temporal = await anEmptyTemporal();
  const kube = new WithDeployments();
  const args = ['--namespace=shoot', '--temporal-address=temporal:7233'];
  const template = { spec: { containers: [{ name: 'watcher', args }] } };
  kube.installed = [{ ...watcher, spec: { template } }];
  await expect(handBackOf(kube, temporal.address)).rejects.toThrow(
    /^Nothing was done: .* has no claim of this install, whose watcher has temporal:7233/,
  );
  expect(kube.writes()).toEqual([]);
});
