import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { deleteMachines } from '../../../activities/machine-set/deletions.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import { aMachine, aMachineSet, controlledBy, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { lifeOf, placeOf } from '../../support/world.ts';

const set = lifeOf('pool');
const pathOf = (name: string): string => customResource('machines', namespace, name);
const names = ['a', 'b', 'c'];
const now = Date.parse('2026-01-01T01:00:00Z');
const plan = { set, names, generation: 1, now };
const deletionTimestamp = '2026-01-01T01:00:00Z';

const ours = (name: string, changes: Parameters<typeof aMachine>[0] = {}) =>
  aMachine({
    phase: 'Running',
    ...changes,
    metadata: {
      name,
      labels: { pool: 'a' },
      ownerReferences: controlledBy(aMachineSet()),
      ...changes.metadata,
    },
  });

function poolOf(replicas: number, machines = names.map((name) => ours(name))): InMemoryClient {
  return new InMemoryClient(aMachineSet({ spec: { replicas } }), ...machines);
}

const ofGeneration = (generation: number, of: MachineSet): MachineSet => ({
  ...of,
  metadata: { ...of.metadata, generation },
});

const deletedIn = (control: InMemoryClient): string[] =>
  control.calls
    .filter((call) => call.startsWith('DELETE '))
    .map((call) => call.slice(call.lastIndexOf('/') + 1))
    .toSorted();

describe('a batch of deletions', () => {
  test('deletes what is too many, with the UID of each machine, and says so in one Event', async () => {
    const control = poolOf(1);
    expect(await deleteMachines(placeOf(control), { ...plan, names: ['a', 'b'] })).toEqual({
      deleted: 2,
    });
    expect(deletedIn(control)).toEqual(['a', 'b']);
    expect(control.bodies).toContainEqual({ preconditions: { uid: 'uid-of-a' } });
    const { items } = await control.list<object>(namespaced('events', namespace));
    expect(items).toMatchObject([
      { reason: 'SuccessfulDelete', message: 'Deleted 2 Machines: a, b' },
    ]);
  });

  test('of a set that is scaled to nothing is one list, and no read of single machines', async () => {
    const control = poolOf(0);
    expect(await deleteMachines(placeOf(control), plan)).toEqual({ deleted: 3 });
    const list = `GET ${customResource('machines', namespace)}`;
    expect(control.calls.filter((call) => call === list)).toHaveLength(1);
    expect(control.calls.filter((call) => call.startsWith(`${list}/`))).toEqual([]);
  });

  test('of a set that is being deleted takes its machines', async () => {
    const going = aMachineSet({ metadata: { deletionTimestamp, finalizers: ['x'] } });
    const control = new InMemoryClient(going, ...names.map((name) => ours(name)));
    expect(await deleteMachines(placeOf(control), plan)).toEqual({ deleted: 3 });
  });

  test.each([
    ['Oldest', ['a']],
    ['Newest', ['c']],
    // It was planned for another policy, or is for none.
    ['newest', []],
  ])('by the policy %s, as it is now, deletes %j', async (policy, expected) => {
    const machines = names.map((name, day) =>
      ours(name, { metadata: { creationTimestamp: `2026-01-0${day + 1}T00:00:00Z` } }),
    );
    const annotations = { 'millwright.dev/delete-policy': policy };
    const control = new InMemoryClient(
      aMachineSet({ metadata: { annotations }, spec: { replicas: 2 } }),
      ...machines,
    );
    await deleteMachines(placeOf(control), plan);
    expect(deletedIn(control)).toEqual(expected);
  });

  test('a batch of deletions that was interrupted deletes the rest', async () => {
    const going = ours('a', { metadata: { deletionTimestamp, finalizers: ['x'] } });
    const control = poolOf(1, [going, ours('b'), ours('c')]);
    expect(await deleteMachines(placeOf(control), { ...plan, names: ['a', 'b'] })).toEqual({
      deleted: 1,
    });
    expect(deletedIn(control)).toEqual(['b']);
  });
});

describe('a batch that waited through a stop deletes nothing', () => {
  test.each([
    ['when the set is gone', []],
    ['when another set has its name', [aMachineSet({ metadata: { uid: 'other' } })]],
    ['when the set was scaled up again', [ofGeneration(2, aMachineSet({ spec: { replicas: 3 } }))]],
    [
      'when its spec changed in any way: the workflow looks anew',
      [ofGeneration(2, aMachineSet({ spec: { replicas: 0 } }))],
    ],
    [
      'when the set lets its machines go',
      [aMachineSet({ metadata: { deletionTimestamp, finalizers: ['orphan'] } })],
    ],
  ])('%s', async (_name, stored) => {
    const control = new InMemoryClient(...stored, ...names.map((name) => ours(name)));
    expect(await deleteMachines(placeOf(control), plan)).toEqual({ deleted: 0 });
    expect(deletedIn(control)).toEqual([]);
  });

  test('when a person deleted others meanwhile', async () => {
    const gone = ours('c', { metadata: { deletionTimestamp, finalizers: ['x'] } });
    const control = poolOf(2, [ours('a'), ours('b'), gone]);
    expect(await deleteMachines(placeOf(control), { ...plan, names: ['a'] })).toEqual({
      deleted: 0,
    });
  });

  test.each<{ name: string; machine: ReturnType<typeof aMachine> }>([
    {
      name: 'that was preserved meanwhile',
      machine: ours('a', {
        phase: 'Failed',
        metadata: { annotations: { 'node.machine.sapcloud.io/preserve': 'now' } },
      }),
    },
    { name: 'that recovered', machine: ours('a', { phase: 'Running' }) },
    {
      name: 'that belongs to nobody by now',
      machine: ours('a', { metadata: { ownerReferences: [] } }),
    },
  ])('to a Failed machine $name', async ({ machine }) => {
    const control = poolOf(3, [machine, ours('b'), ours('c')]);
    expect(await deleteMachines(placeOf(control), { ...plan, names: ['a'] })).toEqual({
      deleted: 0,
    });
    expect(deletedIn(control)).toEqual([]);
  });

  test('to a machine that took the name between the look and the call', async () => {
    const control = poolOf(0, [ours('a')]);
    control.fault = ({ method }) => {
      if (method === 'DELETE') control.put(ours('a', { metadata: { uid: 'uid-2' } }));
      return undefined;
    };
    expect(await deleteMachines(placeOf(control), { ...plan, names: ['a'] })).toEqual({
      deleted: 0,
    });
    expect(control.has(pathOf('a'))).toBe(true);
  });
});

describe('a machine whose deletion is refused', () => {
  const verdicts = [
    { code: 403, reason: 'Forbidden', message: 'kept for forensics' },
    { code: 422, reason: 'Invalid', message: 'kept for forensics' },
    { code: 500, reason: 'InternalError', message: 'failed calling webhook' },
  ];

  test.each(verdicts)('with $code keeps no other', async (verdict) => {
    const control = poolOf(0);
    control.fault = ({ method, path }) =>
      method === 'DELETE' && path === pathOf('b') ? verdict : undefined;
    expect(await deleteMachines(placeOf(control), plan)).toEqual({
      deleted: 2,
      refused: {
        names: ['b'],
        reason: 'FailedDelete',
        message: expect.stringContaining(verdict.message),
      },
    });
    const { items } = await control.list<{ involvedObject: { kind: string; name: string } }>(
      namespaced('events', namespace),
    );
    const failures = items.filter((event) => JSON.stringify(event).includes('FailedDelete'));
    expect(failures.map(({ involvedObject: { kind, name } }) => `${kind} ${name}`)).toEqual([
      'Machine b',
      'MachineSet pool',
    ]);
  });

  test.each([
    { code: 0, reason: 'Unreachable' },
    { code: 503, reason: 'ServiceUnavailable' },
  ])('with $code is for Temporal to retry', async (verdict) => {
    const control = poolOf(0);
    control.fault = ({ method }) => (method === 'DELETE' ? verdict : undefined);
    await expect(deleteMachines(placeOf(control), plan)).rejects.toThrow(verdict.reason);
  });

  test('by a server that has too much to do puts off all that are left, with an Event on the set alone', async () => {
    const control = poolOf(0);
    const overload = { code: 429, reason: 'TooManyRequests', message: 'too many requests' };
    control.fault = ({ method }) => (method === 'DELETE' ? overload : undefined);
    const { deleted, refused } = await deleteMachines(placeOf(control), plan);
    expect({ deleted, names: refused?.names }).toEqual({ deleted: 0, names: [...names] });
    const { items } = await control.list<{ involvedObject: { kind: string } }>(
      namespaced('events', namespace),
    );
    expect(items.map(({ involvedObject: { kind } }) => kind)).toEqual(['MachineSet']);
  });
});

test.each<{ phase: MachinePhase; replicas: number }>([
  { phase: 'Running', replicas: 1 },
  { phase: 'Failed', replicas: 3 },
])('what a $phase machine was planned for is decided again by what is there', async (given) => {
  const control = poolOf(
    given.replicas,
    names.map((name) => ours(name, { phase: given.phase })),
  );
  const { deleted } = await deleteMachines(placeOf(control), { ...plan, names: ['a'] });
  expect(deleted).toBe(1);
});
