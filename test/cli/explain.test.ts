import { beforeEach, expect, test, vi } from 'vitest';
import { explainMachine } from '../../cli/explain/machine.ts';
import { explain } from '../../cli/explain/explain.ts';
import { linesOf } from '../../cli/explain/from-temporal.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import type { Changes } from './diagnosis/objects.ts';
import { aFleet, aMachine, draining, metaOf, minutesAgo, running } from './diagnosis/objects.ts';

beforeEach(() => {
  vi.stubEnv('NO_COLOR', '1');
  vi.stubEnv('HOME', '/nowhere');
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('TEMPORAL_')) vi.stubEnv(name, undefined);
  }
});

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

test.each<[awaits: object, changes: Changes]>([
  [
    { what: 'its pods, which have to leave its Node', until: Date.parse(minutesAgo(-90)) },
    going('Drain failed due to - 1 pod left. Will retry in next sync. Initiate node drain'),
  ],
  [
    { what: 'a worker that takes up its deletion' },
    { metadata: { deletionTimestamp: minutesAgo(30), finalizers: ['x'] }, status: running },
  ],
  [{ what: 'the cloud, which has to delete its instance' }, draining(noNode)],
  [
    { what: 'the cloud, which has to delete its instance' },
    going('Force Drain successful. Delete Volume Attachments'),
  ],
  [
    { what: 'the cloud, which has to delete its instance' },
    going(
      "Drain failed due to - 2 pods could not be deleted: x. However, since it's a force deletion shall continue deletion of VM. Delete Volume Attachments",
    ),
  ],
  [
    { what: 'its Node, which has to be deleted' },
    going(
      'Deletion of Node Object "a" failed due to error: DELETE /api/v1/nodes/a: 403 Forbidden: you may not. Initiate node object deletion',
    ),
  ],
])('a machine that is to go waits for %j', (awaits, changes) => {
  const fleet = aFleet();
  const found = explainMachine(aMachine('a', changes), { fleet, node: undefined });
  const since = Date.parse(minutesAgo(30));
  expect(found).toMatchObject({ state: 'Terminating', since, awaits: { ...awaits, since } });
  if (!('until' in awaits)) expect(found.awaits).not.toHaveProperty('until');
});

const unknown: Changes['status'] = {
  currentStatus: { phase: 'Unknown', lastUpdateTime: minutesAgo(2) },
  lastOperation: { description: 'unhealthy', state: 'Processing', type: 'HealthCheck' },
};
const failed: Changes['status'] = {
  currentStatus: { phase: 'Failed', lastUpdateTime: minutesAgo(2) },
  lastOperation: { description: 'health checks failing', state: 'Failed', type: 'HealthCheck' },
};
const ofSet = { ownerReferences: [{ apiVersion: 'v1', kind: 'MachineSet', name: 's', uid: 'u' }] };

test.each([
  ['a set', ofSet, {}, 'it is Failed, and replaced', 'machineset/s, which deletes it and makes'],
  ['no set', {}, {}, 'it is Failed, and nothing replaces it', 'a person who deletes it'],
  [
    'a frozen set',
    ofSet,
    { freeze: 'True' },
    'it is Failed, and not replaced while machineset/s is frozen',
    'the end of the freeze of machineset/s, which makes no machines meanwhile',
  ],
])('what becomes of a machine of %s that stays unhealthy', (_of, metadata, labels, then, what) => {
  const set = { apiVersion: 'v1', kind: 'MachineSet' as const, spec: {} };
  const fleet = aFleet({ sets: [{ ...set, metadata: metaOf('s', { labels }) }] });
  const explain = (status: Changes['status']) =>
    explainMachine(aMachine('a', { metadata, ...(status && { status }) }), {
      fleet,
      node: undefined,
    });
  const { awaits, findings } = explain(unknown);
  expect(awaits?.sequel).toBe(then);
  expect(findings).toMatchObject([{ trouble: 'unhealthy-node', sequel: then }]);
  expect(explain(failed).awaits?.what).toContain(what);
});
