import { expect, test } from '@jest/globals';
import { createMachines, deleteMachines } from '../../../activities/machine-set/batches.ts';
import { customResource, namespaced } from '../../../activities/kube/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aMachineSet, controlledBy, namespace } from '../../support/builders.ts';
import { MemoryKube } from '../../support/memory-kube.ts';
import { lifeOf } from '../../support/world.ts';

const set = lifeOf('pool');
const pathOf = (name: string): string => customResource('machines', namespace, name);
const fresh = { done: [], report: () => undefined };

test('machines are made whole: labels, finalizer, priority, owner', async () => {
  const control = new MemoryKube(aMachineSet());
  const outcome = await createMachines(control, { set, names: ['pool-a', 'pool-b'] }, fresh);
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

test('a batch is one Event', async () => {
  const control = new MemoryKube(aMachineSet());
  await createMachines(control, { set, names: ['pool-a', 'pool-b'] }, fresh);
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([
    { reason: 'SuccessfulCreate', message: 'Created 2 Machines: pool-a, pool-b' },
  ]);
});

test('one that exists counts when it is ours, and only then', async () => {
  const ours = aMachine({ metadata: { ownerReferences: controlledBy(aMachineSet()) } });
  const foreign = aMachine({ metadata: { name: 'pool-b' } });
  const control = new MemoryKube(aMachineSet(), ours, foreign);
  const outcome = await createMachines(control, { set, names: ['pool-a', 'pool-b'] }, fresh);
  expect(outcome).toEqual({ created: ['pool-a'], taken: ['pool-b'] });
});

test('what an earlier attempt made is not made again, even if it is gone by now', async () => {
  const control = new MemoryKube(aMachineSet());
  const reports: (readonly string[])[] = [];
  const progress = {
    done: ['pool-a'],
    report: (names: readonly string[]) => reports.push([...names]),
  };
  const outcome = await createMachines(control, { set, names: ['pool-a', 'pool-b'] }, progress);
  expect(outcome.created).toEqual(['pool-a', 'pool-b']);
  expect(control.has(pathOf('pool-a'))).toBe(false);
  expect(reports).toEqual([['pool-a', 'pool-b']]);
});

test('a refusal stops the batch and is said', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `pool-${index}`);
  const control = new MemoryKube(aMachineSet());
  control.fault = ({ method, path }) =>
    method === 'POST' && path.endsWith('/machines')
      ? { code: 403, reason: 'Forbidden', message: 'exceeded quota' }
      : undefined;
  const outcome = await createMachines(control, { set, names }, fresh);
  expect(outcome).toMatchObject({ created: [], error: expect.stringContaining('exceeded quota') });
  const tries = control.calls.filter((call) => call.endsWith('/machines'));
  expect(tries.length).toBeLessThanOrEqual(16);
});

test('an outage is for Temporal to retry', async () => {
  const control = new MemoryKube(aMachineSet());
  control.fault = ({ method }) =>
    method === 'POST' ? { code: 0, reason: 'Unreachable' } : undefined;
  await expect(createMachines(control, { set, names: ['pool-a'] }, fresh)).rejects.toThrow(
    'Unreachable',
  );
});

test.each([
  { name: 'gone', sets: [] },
  { name: 'another life', sets: [aMachineSet({ metadata: { uid: 'uid-2' } })] },
  {
    name: 'being deleted',
    sets: [aMachineSet({ metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } })],
  },
])('a set that is $name makes no machine', async ({ sets }) => {
  const control = new MemoryKube(...sets);
  await createMachines(control, { set, names: ['pool-a'] }, fresh);
  expect(control.writes()).toEqual([]);
});

test('machines are deleted, those that are gone are passed over', async () => {
  const control = new MemoryKube(aMachine({ metadata: { finalizers: [] } }));
  await deleteMachines(control, { set, names: ['pool-a', 'pool-b'] });
  expect(control.has(pathOf('pool-a'))).toBe(false);
});
