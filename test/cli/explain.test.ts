import { withEnvironment, withoutTemporal } from '../support/environment.ts';
import { explainMachine } from '../../cli/explain/machine.ts';
import { explain } from '../../cli/explain/explain.ts';
import { formatExplanation } from '../../cli/explain/explain.ts';
import { stopLines } from '../../cli/install/notes.ts';
import { linesOf } from '../../cli/explain/from-temporal.ts';
import { timeOf } from '../../cli/install/times.ts';
import type { MachineStatus } from '../../workflows/api/machine.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { aMachineSet } from '../support/builders.ts';
import type { Changes } from './diagnosis/objects.ts';
import {
  anInstall,
  aMachine,
  draining,
  metaOf,
  minutesAgo,
  refused,
  running,
} from './diagnosis/objects.ts';

withEnvironment({ ...withoutTemporal(), NO_COLOR: '1', HOME: '/nowhere' });

const aLease = (renewTime: string, annotations: object = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'shoot', name: 'millwright', annotations },
  spec: { holderIdentity: 'watcher-0', leaseDurationSeconds: 15, renewTime },
});

async function explained(...objects: object[]) {
  const kube = new InMemoryClient(aMachine('a', { status: running }), ...objects);
  const object = { kind: 'machine', name: 'a' } as const;
  return await explain({ kube, namespace: 'shoot' }, { object });
}

test('what stands still for all objects of the namespace is said of each', async () => {
  const stop = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'shoot', name: 'millwright-stop' },
    data: { reason: 'wrong disks' },
  };
  const now = new Date().toISOString();
  const { text } = await explained(aLease(now), stop);
  expect(text).toContain('stop-left-on: configmap/millwright-stop: everything is stopped: wrong');
  expect(text).toContain('millwright start -n shoot');
  const away = JSON.stringify([{ reason: 'temporal', from: now }]);
  const { data } = await explained(aLease(now, { 'millwright.dev/pauses': away }));
  expect(data).toMatchObject({ findings: [{ trouble: 'temporal-down' }] });
  expect((await explained(aLease(minutesAgo(5)))).text).toContain('no watcher leads');
  expect((await explained(aLease(now))).data).toMatchObject({ findings: [] });
});

test('the page of a workflow is told in lines, without its marks, its commands and the console', () => {
  const page = [
    '### Machine shoot/pool-1-a: Failed since 2026-01-01T00:20:00Z',
    '- **Waits:** failed: its owner replaces it',
    '- **Node:** `pool-1-a`',
    '- **Console of the instance**, its end at 2026-01-01T00:19:58Z:',
    '',
    '    kubelet: no such host',
    '',
    'What you can do:',
    '',
    '    kubectl -n shoot describe machine pool-1-a',
  ].join('\n');
  const lines = ['Waits: failed: its owner replaces it', 'Node: pool-1-a'];
  expect(linesOf(page)).toEqual(lines);
});

const going = (description: string): Changes => {
  const { metadata, ...changes } = draining(description);
  return { ...changes, metadata: { ...metadata, labels: { node: 'ip-10-0-0-1' } } };
};
const noNode = 'Machine a is being deleted: first its Node is drained, then its instance goes';

test.each<[what: string, until: string | undefined, changes: Changes]>([
  [
    'its pods, which have to leave its Node',
    minutesAgo(-90),
    going('Drain failed due to - 1 pod left. Will retry in next sync. Initiate node drain'),
  ],
  [
    'a worker that takes up its deletion',
    undefined,
    { metadata: { deletionTimestamp: minutesAgo(30), finalizers: ['x'] }, status: running },
  ],
  ['the cloud, which has to delete its instance', undefined, draining(noNode)],
  [
    'the cloud, which has to delete its instance',
    undefined,
    going('Force Drain successful. Delete Volume Attachments'),
  ],
  [
    'the cloud, which has to delete its instance',
    undefined,
    going(
      "Drain failed due to - 2 pods could not be deleted: x. However, since it's a force deletion shall continue deletion of VM. Delete Volume Attachments",
    ),
  ],
  [
    'its Node, which has to be deleted',
    undefined,
    going(
      'Deletion of Node Object "a" failed due to error: DELETE /api/v1/nodes/a: 403 Forbidden: you may not. Initiate node object deletion',
    ),
  ],
])('a machine that is to go waits for %s', (what, until, changes) => {
  const install = anInstall();
  const found = explainMachine(aMachine('a', changes), { install, node: undefined });
  const since = Date.parse(minutesAgo(30));
  expect(found).toMatchObject({ state: 'Terminating', since, awaits: { what, since } });
  expect(found.awaits?.until).toBe(timeOf(until));
});

test('a machine whose deletion a hook holds waits for its owner, since the hold began', () => {
  const message = 'The drain waits for traffic (mesh)';
  const lastTransitionTime = minutesAgo(7);
  const { status, ...changes } = going(message);
  const condition = { type: 'DrainSuspended', status: 'True' as const, message };
  const conditions = [{ ...condition, lastTransitionTime }];
  const machine = aMachine('a', { ...changes, status: { ...status, conditions } });
  const found = explainMachine(machine, { install: anInstall(), node: undefined });
  const since = Date.parse(lastTransitionTime);
  expect(found.awaits).toEqual({ what: `hooks: ${message}`, since });
});

test('a drain that hooks held has its time from their end on', () => {
  const words = 'Drain failed due to - 1 pod left. Will retry in next sync. Initiate node drain';
  const { status, ...changes } = going(words);
  const condition = { type: 'DrainSuspended', status: 'False' as const };
  const conditions = [{ ...condition, lastTransitionTime: minutesAgo(10) }];
  const machine = aMachine('a', { ...changes, status: { ...status, conditions } });
  const found = explainMachine(machine, { install: anInstall(), node: undefined });
  expect(found.awaits?.until).toBe(timeOf(minutesAgo(-110)));
});

const unknown: MachineStatus = {
  currentStatus: { phase: 'Unknown', lastUpdateTime: minutesAgo(2) },
  lastOperation: { description: 'unhealthy', state: 'Processing', type: 'HealthCheck' },
};
const failed: MachineStatus = {
  currentStatus: { phase: 'Failed', lastUpdateTime: minutesAgo(2) },
  lastOperation: { description: 'health checks failing', state: 'Failed', type: 'HealthCheck' },
};
const ofSet = { ownerReferences: [{ apiVersion: 'v1', kind: 'MachineSet', name: 's', uid: 'u' }] };

interface Fate {
  metadata?: object;
  labels?: Record<string, string>;
  sequel: string;
  what: string;
}

test.each<[string, Fate]>([
  [
    'a set',
    {
      metadata: ofSet,
      sequel: 'it is Failed, and replaced',
      what: 'machineset/s, which deletes it and makes another one',
    },
  ],
  [
    'no set',
    {
      sequel: 'it is Failed, and nothing replaces it',
      what: 'a person who deletes it: no MachineSet owns it, so nothing replaces it',
    },
  ],
  [
    'a frozen set',
    {
      metadata: ofSet,
      labels: { freeze: 'True' },
      sequel: 'it is Failed, and not replaced while machineset/s is frozen',
      what: 'the end of the freeze of machineset/s, which makes no machines meanwhile',
    },
  ],
])('what becomes of a machine of %s that stays unhealthy', (_of, fate) => {
  const { metadata = {}, labels = {}, sequel, what } = fate;
  const set = { apiVersion: 'v1', kind: 'MachineSet' as const, spec: {} };
  const install = anInstall({ sets: [{ ...set, metadata: metaOf('s', { labels }) }] });
  const view = { install, node: undefined };
  const { awaits, findings } = explainMachine(aMachine('a', { metadata, status: unknown }), view);
  expect(awaits?.sequel).toBe(sequel);
  expect(findings).toMatchObject([{ trouble: 'unhealthy-node', sequel }]);
  const later = explainMachine(aMachine('a', { metadata, status: failed }), view);
  expect(later.awaits?.what).toBe(what);
});

test('a Node that cannot be read is not one that is not there', async () => {
  const { kube, object } = {
    kube: new InMemoryClient(),
    object: { kind: 'node', name: 'n' } as const,
  };
  const place = { kube, namespace: 'shoot' };
  const { data: none } = await explain(place, { object });
  expect(none).toMatchObject({ state: 'not there' });
  kube.fault = ({ path }) =>
    path === '/api/v1/nodes/n' ? { code: 403, reason: 'Forbidden' } : undefined;
  const { data, text } = await explain(place, { object });
  expect(data).toMatchObject({ state: 'unknown' });
  expect(text).toContain('node/n is unknown');
  expect(text).toContain('Nothing is known of Node n: it may not be read');
});

test('words of others move no cursor and paint nothing', async () => {
  const escape = '\u001B[2J\u001B[1;31m';
  const { text } = await explained({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'shoot', name: 'a.1' },
    involvedObject: { kind: 'Machine', name: 'a' },
    reason: 'FailedCreate',
    message: `${escape}the cloud says hello`,
  });
  expect(text).toContain('the cloud says hello');
  expect(text).not.toContain('\u001B');
  const stop = { namespace: 'shoot', uid: '1', reason: `${escape}disks`, since: 0 };
  expect(stopLines(anInstall({ stops: [stop] })).join()).not.toContain('\u001B');
  const formatted = formatExplanation(
    {
      ...explainMachine(aMachine('a', { spec: { providerID: `x${escape}` } }), {
        install: anInstall(),
        node: undefined,
      }),
      notes: [`Temporal does not answer: ${escape}`],
    },
    0,
  );
  expect(formatted).not.toContain('\u001B');
});

test('machines with the same trouble hide no other one of their pool', async () => {
  const owner = {
    ownerReferences: [{ apiVersion: 'v1', kind: 'MachineSet', name: 's', uid: 's' }],
  };
  const set = aMachineSet({ metadata: { name: 's', uid: 's' } });
  const status = refused('ResourceExhausted', 'the quota is used up');
  const without = ['b', 'c', 'd', 'e', 'f', 'g'].map((name) =>
    aMachine(name, { metadata: owner, status }),
  );
  const words = 'Drain failed due to - 1 pod left: web/a: PodDisruptionBudget web/shop: no';
  const { metadata, ...blocked } = going(`${words}. Will retry in next sync`);
  const drained = aMachine('z', { ...blocked, metadata: { ...metadata, ...owner } });
  const kube = new InMemoryClient(set, ...without, drained);
  const object = { kind: 'machineset', name: 's' } as const;
  const { text } = await explain({ kube, namespace: 'shoot' }, { object });
  expect(text).toContain("quota: machine/b and 5 more: the account's quota is used up");
  expect(text).toContain('drain-budget: machine/z: its drain is blocked');
  expect(text.match(/millwright retry machine/g)).toHaveLength(2);
});

test('a machine without a cluster for its Node has none to be read', async () => {
  const status = { currentStatus: { phase: 'Available' as const } };
  const machine = aMachine('b', { spec: { providerID: 'virtual:///a/i-2' }, status });
  const kube = new InMemoryClient(machine, aLease(new Date().toISOString()));
  const object = { kind: 'machine', name: 'b' } as const;
  const { text } = await explain({ kube, namespace: 'shoot' }, { object });
  expect(text).toMatch(/^Node: +none$/m);
  expect(text).not.toContain('--target-kubeconfig');
  expect(kube.calls.filter((call) => call.includes('/nodes/'))).toEqual([]);
});

test('a machine without an instance has no Node yet, and a class that is missing is not to be edited', () => {
  const said = 'code = [InvalidArgument] message = [MachineClass "small" does not exist]';
  const machine = aMachine('a', { status: refused('InvalidArgument', said) });
  const { facts, findings } = explainMachine(machine, { install: anInstall(), node: undefined });
  expect(facts).toContainEqual({ name: 'Node', value: 'none yet' });
  expect(findings[0]?.commands).toEqual([
    expect.any(String),
    'kubectl -n shoot apply -f CLASS.yaml',
  ]);
});
