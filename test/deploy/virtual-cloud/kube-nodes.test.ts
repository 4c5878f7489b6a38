/** What is sent to the API server, and what its answers lead to. */
import { newInstance, parseInstanceRequest } from '../../../deploy/local/virtual-cloud/instance.ts';
import type { Fate, Instance } from '../../../deploy/local/virtual-cloud/instance.ts';
import type {
  KubeAnswer,
  KubeApi,
  KubeCall,
} from '../../../deploy/local/virtual-cloud/kube-api.ts';
import { createKubeNodes } from '../../../deploy/local/virtual-cloud/kube-nodes.ts';
import { defaultSettings } from '../../../deploy/local/virtual-cloud/settings.ts';

function anInstance(fields: object = {}, fate: Fate = {}): Instance {
  const request = parseInstanceRequest({ name: 'web-0', token: 't', ...fields });
  return newInstance(request, { settings: defaultSettings, fate, ordinal: 0, now: 0 });
}

type Step = KubeAnswer | 'no answer';

async function* nothing(): AsyncIterable<string> {}

/** Answers one after the other; the last one for ever. */
function scriptedApi(...steps: Step[]): KubeApi & { calls: KubeCall[] } {
  const calls: KubeCall[] = [];
  return {
    calls,
    async call(request) {
      calls.push(request);
      const step = steps.length > 1 ? steps.shift() : steps[0];
      if (step === undefined || step === 'no answer') throw new Error('connect ECONNREFUSED');
      return step;
    },
    lines: nothing,
    close: async () => {},
  };
}

const created: KubeAnswer = { status: 201, body: { metadata: { uid: 'u1' } } };
const exists: KubeAnswer = { status: 409, body: { message: 'nodes "web-0" already exists' } };
const ok: KubeAnswer = { status: 200, body: {} };

function nodeOf(instance: Instance, uid = 'u1'): KubeAnswer {
  return { status: 200, body: { metadata: { uid }, spec: { providerID: instance.providerID } } };
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
  const api = scriptedApi(created);
  const instance = anInstance({
    size: 'medium',
    zone: 'b',
    labels: { pool: 'x' },
    annotations: { note: 'y' },
    taints: [{ key: 'k', effect: 'NoExecute' }],
  });
  expect(await createKubeNodes(api).register(instance, watch())).toBe('u1');
  expect(api.calls).toHaveLength(1);
  expect(api.calls[0]).toMatchObject({ method: 'POST', path: '/api/v1/nodes' });
  expect(api.calls[0]?.body).toMatchObject({
    metadata: {
      name: 'web-0',
      labels: { pool: 'x', 'topology.kubernetes.io/zone': 'b' },
      annotations: { note: 'y', 'virtual-cloud.millwright.dev/fake-kubelet': 'true' },
    },
    spec: { providerID: instance.providerID, taints: [{ key: 'k', effect: 'NoExecute' }] },
    status: { capacity: { cpu: '4', memory: '16Gi' }, allocatable: { cpu: '4' } },
  });
});

test('a machine that joins unready has a kubelet that reports not ready', async () => {
  const api = scriptedApi(created);
  await createKubeNodes(api).register(anInstance({}, { joinsNotReady: true }), watch());
  expect(api.calls[0]?.body).toMatchObject({
    metadata: { annotations: { 'virtual-cloud.millwright.dev/not-ready': 'true' } },
  });
});

test('registering goes on while the API server is away', async () => {
  const api = scriptedApi(
    'no answer',
    { status: 503, body: {} },
    { status: 429, body: {} },
    created,
  );
  expect(await createKubeNodes(api).register(anInstance(), watch())).toBe('u1');
  expect(api.calls).toHaveLength(4);
});

test('a Node that was registered before its answer was lost is recognised', async () => {
  const instance = anInstance();
  const api = scriptedApi('no answer', exists, nodeOf(instance, 'u7'));
  expect(await createKubeNodes(api).register(instance, watch())).toBe('u7');
});

test("a name that is another machine's is waited for, and the reason is logged once", async () => {
  const other = nodeOf(anInstance());
  const api = scriptedApi(exists, other, exists, other, created);
  const watching = watch();
  expect(await createKubeNodes(api).register(anInstance(), watching)).toBe('u1');
  expect(watching.refusals).toEqual(['409 nodes "web-0" already exists']);
});

test('a machine that goes away stops trying', async () => {
  const api = scriptedApi('no answer');
  const gone = new AbortController();
  const registered = createKubeNodes(api).register(anInstance(), {
    ...watch(),
    signal: gone.signal,
  });
  gone.abort();
  await expect(registered).rejects.toThrow('aborted');
});

test('stopping is one status patch, for this Node only', async () => {
  const api = scriptedApi(ok);
  await createKubeNodes(api).stop({ ...anInstance(), nodeUid: 'u1' }, watch().signal);
  expect(api.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'PATCH /api/v1/nodes/web-0/status',
  ]);
  expect(api.calls[0]?.body).toMatchObject({
    metadata: { uid: 'u1', annotations: { 'virtual-cloud.millwright.dev/stopped': 'true' } },
    status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] },
  });
});

test('the Node of a machine that was deleted while it booted is stopped as well', async () => {
  const instance = anInstance();
  const api = scriptedApi(nodeOf(instance, 'u7'), ok);
  await createKubeNodes(api).stop(instance, watch().signal);
  expect(api.calls.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
  expect(api.calls[1]?.body).toMatchObject({ metadata: { uid: 'u7' } });
});

test('where the Node is gone or another machine has the name, nothing is stopped', async () => {
  for (const status of [404, 409]) {
    const api = scriptedApi({ status, body: { message: 'the UID in the precondition differs' } });
    await createKubeNodes(api).stop({ ...anInstance(), nodeUid: 'u1' }, watch().signal);
    expect(api.calls).toHaveLength(1);
  }
});

test('a machine that never joined has nothing to stop', async () => {
  const api = scriptedApi({ status: 404, body: {} });
  await createKubeNodes(api).stop(anInstance(), watch().signal);
  expect(api.calls.map(({ method }) => method)).toEqual(['GET']);
});

test('sickness is a condition; a Ready that is not True is also said to the kubelet', async () => {
  const condition = { status: 'False', reason: 'R', message: 'm' };
  const api = scriptedApi(ok);
  const nodes = createKubeNodes(api);
  await nodes.sicken(anInstance(), { ...condition, type: 'DiskPressure' }, watch().signal);
  await nodes.sicken(anInstance(), { ...condition, type: 'Ready' }, watch().signal);
  expect(api.calls[0]?.body).toMatchObject({
    metadata: { annotations: {} },
    status: { conditions: [{ type: 'DiskPressure', status: 'False' }] },
  });
  expect(api.calls[1]?.body).toMatchObject({
    metadata: { annotations: { 'virtual-cloud.millwright.dev/not-ready': 'true' } },
  });
});
