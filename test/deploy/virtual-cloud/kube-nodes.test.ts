/** What is sent to the API server, and what its answers lead to. */
import { newInstance, parseInstanceRequest } from '../../../deploy/local/virtual-cloud/instance.ts';
import type { Fate, Instance } from '../../../deploy/local/virtual-cloud/instance.ts';
import { createKubeNodes } from '../../../deploy/local/virtual-cloud/kube-nodes.ts';
import { defaultSettings } from '../../../deploy/local/virtual-cloud/settings.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { eventually } from '../../support/eventually.ts';

const path = '/api/v1/nodes/web-0';

function anInstance(fields: object = {}, fate: Fate = {}): Instance {
  const request = parseInstanceRequest({ name: 'web-0', token: 't', ...fields });
  return newInstance(request, { settings: defaultSettings, fate, ordinal: 0, now: 0 });
}

const nodeOf = ({ name, providerID }: Instance, uid = 'u1'): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid },
  spec: { providerID },
});

/** Answers so to the first calls. */
function failing(client: InMemoryClient, ...codes: number[]): void {
  client.fault = () => {
    const code = codes.shift();
    return code === undefined ? undefined : { code, reason: 'NoAnswer' };
  };
}

function watch(): {
  signal: AbortSignal;
  onRefused: (message: string) => void;
  refusals: string[];
} {
  const refusals: string[] = [];
  return {
    signal: new AbortController().signal,
    onRefused: (message) => refusals.push(message),
    refusals,
  };
}

test('a Node has the labels, taints and size that were asked for, and a fake kubelet', async () => {
  const client = new InMemoryClient();
  const instance = anInstance({
    size: 'medium',
    zone: 'b',
    labels: { pool: 'x' },
    annotations: { note: 'y' },
    taints: [{ key: 'k', effect: 'NoExecute' }],
  });
  const uid = await createKubeNodes(client).register(instance, watch());
  expect(client.calls).toEqual(['POST /api/v1/nodes']);
  expect(await client.read(path)).toMatchObject({
    metadata: {
      name: 'web-0',
      uid,
      labels: { pool: 'x', 'topology.kubernetes.io/zone': 'b' },
      annotations: { note: 'y', 'virtual-cloud.millwright.dev/fake-kubelet': 'true' },
    },
    spec: { providerID: instance.providerID, taints: [{ key: 'k', effect: 'NoExecute' }] },
    status: { capacity: { cpu: '4', memory: '16Gi' }, allocatable: { cpu: '4' } },
  });
});

test('a machine that joins unready has a kubelet that reports not ready', async () => {
  const client = new InMemoryClient();
  await createKubeNodes(client).register(anInstance({}, { joinsNotReady: true }), watch());
  expect(await client.read(path)).toMatchObject({
    metadata: { annotations: { 'virtual-cloud.millwright.dev/not-ready': 'true' } },
  });
});

test('registering goes on while the API server is away', async () => {
  const client = new InMemoryClient();
  failing(client, 0, 503, 429);
  const uid = await createKubeNodes(client).register(anInstance(), watch());
  expect(client.calls).toHaveLength(4);
  expect((await client.read<Node>(path)).metadata.uid).toBe(uid);
});

test('a Node that was registered before its answer was lost is recognised', async () => {
  const instance = anInstance();
  const client = new InMemoryClient(nodeOf(instance, 'u7'));
  failing(client, 0);
  expect(await createKubeNodes(client).register(instance, watch())).toBe('u7');
});

test("a name that is another machine's is waited for, and the reason is logged once", async () => {
  const client = new InMemoryClient(nodeOf(anInstance()));
  const watching = watch();
  const registered = createKubeNodes(client).register(anInstance(), watching);
  await eventually('it has asked twice', async () => client.calls.length >= 4);
  await client.delete(path);
  const uid = await registered;
  expect((await client.read<Node>(path)).metadata.uid).toBe(uid);
  expect(watching.refusals).toEqual([
    'POST /api/v1/nodes: 409 AlreadyExists: nodes "web-0" already exists',
  ]);
});

test('a machine that goes away stops trying', async () => {
  const client = new InMemoryClient();
  client.fault = () => ({ code: 0, reason: 'Unreachable' });
  const gone = new AbortController();
  const registered = createKubeNodes(client).register(anInstance(), {
    ...watch(),
    signal: gone.signal,
  });
  gone.abort();
  await expect(registered).rejects.toThrow('aborted');
});

test('stopping is one status patch, for this Node only', async () => {
  const client = new InMemoryClient(nodeOf(anInstance()));
  await createKubeNodes(client).stop({ ...anInstance(), nodeUid: 'u1' }, watch().signal);
  expect(client.calls).toEqual([`PATCH ${path}/status`]);
  expect(await client.read(path)).toMatchObject({
    metadata: { annotations: { 'virtual-cloud.millwright.dev/stopped': 'true' } },
    status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] },
  });
});

test('the Node of a machine that was deleted while it booted is stopped as well', async () => {
  const instance = anInstance();
  const client = new InMemoryClient(nodeOf(instance, 'u7'));
  await createKubeNodes(client).stop(instance, watch().signal);
  expect(client.calls).toEqual([`GET ${path}`, `PATCH ${path}/status`]);
  expect(client.bodies).toMatchObject([{ metadata: { uid: 'u7' } }]);
});

test.each([
  ['the Node is gone', []],
  ['another machine has the name', [nodeOf(anInstance(), 'u2')]],
])('where %s, nothing is stopped', async (_, nodes) => {
  const client = new InMemoryClient(...nodes);
  await createKubeNodes(client).stop({ ...anInstance(), nodeUid: 'u1' }, watch().signal);
  expect(client.calls).toHaveLength(1);
  const statuses = client.has(path) ? [await client.read<Node>(path)] : [];
  expect(statuses.filter(({ status }) => status?.conditions)).toEqual([]);
});

test('a machine that never joined has nothing to stop', async () => {
  const client = new InMemoryClient();
  await createKubeNodes(client).stop(anInstance(), watch().signal);
  expect(client.calls).toEqual([`GET ${path}`]);
});

test('sickness is a condition; a Ready that is not True is also said to the kubelet', async () => {
  const condition = { status: 'False', reason: 'R', message: 'm' };
  const client = new InMemoryClient(nodeOf(anInstance()));
  const nodes = createKubeNodes(client);
  const instance = { ...anInstance(), nodeUid: 'u1' };
  await nodes.sicken(instance, { ...condition, type: 'DiskPressure' }, watch().signal);
  await nodes.sicken(instance, { ...condition, type: 'Ready' }, watch().signal);
  expect(client.bodies).toMatchObject([
    {
      metadata: { annotations: {} },
      status: { conditions: [{ type: 'DiskPressure', status: 'False' }] },
    },
    { metadata: { annotations: { 'virtual-cloud.millwright.dev/not-ready': 'true' } } },
  ]);
});
