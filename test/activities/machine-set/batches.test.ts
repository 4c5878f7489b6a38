import { createMachines } from '../../../activities/machine-set/batches.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import {
  aMachine,
  aMachineSet,
  aTemplate,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { lifeOf, placeOf } from '../../support/world.ts';

const set = lifeOf('pool');
const pathOf = (name: string): string => customResource('machines', namespace, name);
const basis = { generation: 1, replicas: 3 };
const fresh = {
  done: [],
  report: () => undefined,
  made: () => undefined,
  isSuperseded: () => false,
};

test('machines are made whole: labels, finalizer, priority, owner', async () => {
  const control = new InMemoryClient(aMachineSet());
  const outcome = await createMachines(
    placeOf(control),
    { set, names: ['pool-a', 'pool-b'], basis },
    fresh,
  );
  expect(outcome).toEqual({ created: ['pool-a', 'pool-b'], taken: [] });
  expect(await control.read<Machine>(pathOf('pool-a'))).toMatchObject({
    metadata: {
      labels: { pool: 'a' },
      annotations: { 'machinepriority.machine.sapcloud.io': '3' },
      finalizers: ['machine.sapcloud.io/machine-controller-manager'],
      ownerReferences: controlledBy(aMachineSet()),
    },
    spec: { class: { name: 'small' } },
  });
});

test('a template that names an instance gives it to no machine', async () => {
  const template = aTemplate();
  const spec = { ...template.spec, providerID: 'local:///z/i' };
  const control = new InMemoryClient(aMachineSet({ spec: { template: { ...template, spec } } }));
  await createMachines(placeOf(control), { set, names: ['pool-a'], basis }, fresh);
  const machine = await control.read<Machine>(pathOf('pool-a'));
  expect(machine.spec).not.toHaveProperty('providerID');
});

test('a batch is one Event', async () => {
  const control = new InMemoryClient(aMachineSet());
  await createMachines(placeOf(control), { set, names: ['pool-a', 'pool-b'], basis }, fresh);
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([
    { reason: 'SuccessfulCreate', message: 'Created 2 Machines: pool-a, pool-b' },
  ]);
});

test('a machine that exists already is not counted as made: the plan may know it', async () => {
  const ours = aMachine({ metadata: { ownerReferences: controlledBy(aMachineSet()) } });
  const foreign = aMachine({ metadata: { name: 'pool-b' } });
  const control = new InMemoryClient(aMachineSet(), ours, foreign);
  const outcome = await createMachines(
    placeOf(control),
    { set, names: ['pool-a', 'pool-b'], basis },
    fresh,
  );
  expect(outcome).toEqual({ created: [], taken: ['pool-b'], present: ['pool-a'] });
});

test('a machine that an earlier attempt made is not made again, even if it is gone by now', async () => {
  const control = new InMemoryClient(aMachineSet());
  const reports: (readonly string[])[] = [];
  const progress = {
    ...fresh,
    done: ['pool-a'],
    report: (names: readonly string[]) => reports.push([...names]),
  };
  const outcome = await createMachines(
    placeOf(control),
    { set, names: ['pool-a', 'pool-b'], basis },
    progress,
  );
  expect(outcome.created).toEqual(['pool-a', 'pool-b']);
  expect(control.has(pathOf('pool-a'))).toBe(false);
  expect(reports).toEqual([['pool-a', 'pool-b']]);
});

test.each([
  { code: 403, reason: 'Forbidden', message: 'exceeded quota' },
  { code: 429, reason: 'TooManyRequests', message: 'too many requests' },
  { code: 500, reason: 'InternalError', message: 'failed calling webhook' },
])('a refusal with $code stops the batch and is said', async (verdict) => {
  const names = Array.from({ length: 40 }, (_, index) => `pool-${index}`);
  const control = new InMemoryClient(aMachineSet({ spec: { replicas: 40 } }));
  control.fault = ({ method, path }) =>
    method === 'POST' && path.endsWith('/machines') ? verdict : undefined;
  const outcome = await createMachines(placeOf(control), { set, names, basis }, fresh);
  expect(outcome).toMatchObject({ created: [], error: expect.stringContaining(verdict.message) });
  const tries = control.writes().filter((call) => call.endsWith('/machines'));
  expect(tries.length).toBeLessThanOrEqual(16);
});

test.each([
  ['scaled down', { generation: 2, replicas: 2 }, ['pool-a', 'pool-b']],
  ['scaled to nothing', { generation: 2, replicas: 0 }, []],
  ['scaled up', { generation: 2, replicas: 9 }, ['pool-a', 'pool-b', 'pool-c']],
  ['frozen', { generation: 1, replicas: 3, isFrozen: true }, []],
])('a set that was %s since the plan gets nothing in excess', async (_name, changes, made) => {
  const { generation, replicas, isFrozen } = { isFrozen: false, ...changes };
  const changed = aMachineSet({ spec: { replicas } });
  Object.assign(changed.metadata, { generation }, isFrozen && { labels: { freeze: 'True' } });
  const control = new InMemoryClient(changed);
  const names = ['pool-a', 'pool-b', 'pool-c'];
  const outcome = await createMachines(placeOf(control), { set, names, basis }, fresh);
  expect(outcome).toEqual({
    created: made,
    taken: [],
    ...(made.length < 3 && { withheld: 3 - made.length }),
  });
});

test('a batch of a run that knows less than the set has makes nothing in excess', async () => {
  const ours = { labels: { pool: 'a' }, ownerReferences: controlledBy(aMachineSet()) };
  const going = { deletionTimestamp: '2026-01-01T01:00:00Z', finalizers: ['a/b'] };
  const control = new InMemoryClient(
    aMachineSet(),
    aMachine({ metadata: { name: 'pool-x', ...ours } }),
    aMachine({ metadata: { name: 'pool-y', ...ours, ...going } }),
    aMachine({ metadata: { name: 'pool-b', ...ours } }),
  );
  const names = ['pool-a', 'pool-b', 'pool-c'];
  const outcome = await createMachines(placeOf(control), { set, names, basis }, fresh);
  expect(outcome).toEqual({ created: ['pool-a'], taken: [], present: ['pool-b'], withheld: 1 });
});

test('machines that an earlier attempt made count against what is wanted now', async () => {
  const changed = aMachineSet({ spec: { replicas: 1 } });
  changed.metadata.generation = 2;
  const control = new InMemoryClient(changed);
  const progress = { ...fresh, done: ['pool-b'] };
  const names = ['pool-a', 'pool-b', 'pool-c'];
  const outcome = await createMachines(placeOf(control), { set, names, basis }, progress);
  expect(outcome).toEqual({ created: ['pool-b'], taken: [], withheld: 2 });
  expect(control.writes().filter((call) => call.endsWith('/machines'))).toEqual([]);
});

test('an attempt that has a successor makes nothing more', async () => {
  const control = new InMemoryClient(aMachineSet());
  const progress = { ...fresh, isSuperseded: () => true };
  await createMachines(placeOf(control), { set, names: ['pool-a'], basis }, progress);
  expect(control.writes()).toEqual([]);
});

test('a template without labels is refused, and said', async () => {
  const template = aTemplate({ metadata: {} });
  const control = new InMemoryClient(aMachineSet({ spec: { selector: {}, template } }));
  const outcome = await createMachines(placeOf(control), { set, names: ['pool-a'], basis }, fresh);
  expect(outcome).toMatchObject({
    created: [],
    error: expect.stringContaining('spec.template.metadata.labels'),
  });
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([{ reason: 'FailedCreate', type: 'Warning' }]);
});

test.each([
  { name: 'is taken over', text: '5m', spec: '5m' },
  { name: 'that is none is passed on without effect', text: 'soon', spec: '20m' },
])('an effective creation timeout of the set $name', async ({ text, spec }) => {
  const key = 'node.machine.sapcloud.io/effective-creation-timeout';
  const template = aTemplate({
    spec: { class: { kind: 'MachineClass', name: 'small' }, creationTimeout: '20m' },
  });
  const control = new InMemoryClient(
    aMachineSet({ metadata: { annotations: { [key]: text } }, spec: { template } }),
  );
  await createMachines(placeOf(control), { set, names: ['pool-a'], basis }, fresh);
  expect(await control.read<Machine>(pathOf('pool-a'))).toMatchObject({
    metadata: { annotations: { [key]: text } },
    spec: { creationTimeout: spec },
  });
});

test('a batch of creates leaves an outage for Temporal to retry', async () => {
  const control = new InMemoryClient(aMachineSet());
  control.fault = ({ method }) =>
    method === 'POST' ? { code: 0, reason: 'Unreachable' } : undefined;
  await expect(
    createMachines(placeOf(control), { set, names: ['pool-a'], basis }, fresh),
  ).rejects.toThrow('Unreachable');
});

test.each([
  { name: 'gone', sets: [] },
  { name: 'another life', sets: [aMachineSet({ metadata: { uid: 'uid-2' } })] },
  {
    name: 'being deleted',
    sets: [aMachineSet({ metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } })],
  },
])('a set that is $name makes no machine', async ({ sets }) => {
  const control = new InMemoryClient(...sets);
  await createMachines(placeOf(control), { set, names: ['pool-a'], basis }, fresh);
  expect(control.writes()).toEqual([]);
});
