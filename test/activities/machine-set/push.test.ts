import { pushTemplate } from '../../../activities/machine-set/push.ts';
import { observeMachineSet } from '../../../activities/machine-set/observe.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import type { Machine, MachineSpec } from '../../../workflows/api/machine.ts';
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
const ownerReferences = controlledBy(aMachineSet());
const pathOf = (name: string): string => customResource('machines', namespace, name);
const small: MachineSpec = { class: { kind: 'MachineClass', name: 'small' } };

const theSet = (spec: MachineSpec) =>
  aMachineSet({ spec: { template: aTemplate({ spec: { ...small, ...spec } }) } });
const ours = (name: string, spec: MachineSpec = {}) =>
  aMachine({
    metadata: { name, labels: { pool: 'a' }, ownerReferences },
    spec: { ...small, ...spec },
  });

async function toPush(control: InMemoryClient): Promise<string[]> {
  const outcome = await observeMachineSet(placeOf(control), { set, now: Date.now() });
  return (outcome.found && outcome.observation.toPush) || [];
}

test('machines become what the template says, and are not looked at again', async () => {
  const control = new InMemoryClient(
    theSet({ drainTimeout: '1h', nodeTemplate: { metadata: { labels: { a: '1' } } } }),
    ours('pool-a', { healthTimeout: '1m' }),
    ours('pool-b'),
  );
  const names = await toPush(control);
  expect(names).toEqual(['pool-a', 'pool-b']);
  expect(await pushTemplate(control, { set, names })).toEqual({ generation: 1, names: [] });
  const { spec } = await control.read<Machine>(pathOf('pool-a'));
  expect(spec).toEqual({
    ...small,
    drainTimeout: '1h',
    nodeTemplate: { metadata: { labels: { a: '1' } } },
  });
  expect(await toPush(control)).toEqual([]);
});

test('machines that are gone, of others, or equal by now are passed over', async () => {
  const other = controlledBy(aMachineSet({ metadata: { name: 'other' } }));
  const foreign = aMachine({ metadata: { name: 'foreign', ownerReferences: other } });
  const control = new InMemoryClient(theSet({ drainTimeout: '1h' }), foreign, ours('pool-a'));
  await pushTemplate(control, { set, names: ['gone', 'foreign', 'pool-a'] });
  await pushTemplate(control, { set, names: ['pool-a'] });
  expect(control.writes()).toEqual([`PATCH ${pathOf('pool-a')}`]);
});

test('a machine that changes in between is left for the next look', async () => {
  const control = new InMemoryClient(theSet({ drainTimeout: '1h' }), ours('pool-a'));
  control.fault = ({ method }) =>
    method === 'PATCH' ? { code: 409, reason: 'Conflict' } : undefined;
  expect(await pushTemplate(control, { set, names: ['pool-a'] })).toMatchObject({ names: [] });
});

test.each([
  { code: 403, reason: 'Forbidden' },
  { code: 422, reason: 'Invalid' },
])(
  'a template that is refused with $code is reported on its Machine, and pushed to the others',
  async (verdict) => {
    const control = new InMemoryClient(
      theSet({ drainTimeout: '1h' }),
      ours('pool-a'),
      ours('pool-b'),
    );
    control.fault = ({ path, method }) =>
      method === 'PATCH' && path === pathOf('pool-a')
        ? { ...verdict, message: 'no such field' }
        : undefined;
    const unpushable = await pushTemplate(control, { set, names: ['pool-a', 'pool-b'] });
    expect(unpushable).toMatchObject({
      names: ['pool-a'],
      error: expect.stringContaining('no such field'),
    });
    expect(unpushable).not.toHaveProperty('mayPass');
    const { spec } = await control.read<Machine>(pathOf('pool-b'));
    expect(spec.drainTimeout).toBe('1h');
    const { items } = await control.list<object>(namespaced('events', namespace));
    expect(items).toMatchObject([
      {
        type: 'Warning',
        reason: 'FailedUpdate',
        involvedObject: { kind: 'Machine', name: 'pool-a' },
        message: expect.stringContaining('no such field'),
      },
    ]);
  },
);

test('a fault of the server is one that may pass', async () => {
  const control = new InMemoryClient(theSet({ drainTimeout: '1h' }), ours('pool-a'));
  control.fault = ({ method }) =>
    method === 'PATCH'
      ? { code: 500, reason: 'InternalError', message: 'failed calling webhook' }
      : undefined;
  expect(await pushTemplate(control, { set, names: ['pool-a'] })).toMatchObject({
    names: ['pool-a'],
    mayPass: true,
  });
});

test('a machine that does not take the template is named, and not asked again before the set changes', async () => {
  const control = new InMemoryClient(theSet({ drainTimeout: '1h' }), ours('pool-a'));
  control.fault = ({ path, method }) =>
    method === 'PATCH' && path === pathOf('pool-a')
      ? { code: 422, reason: 'Invalid', message: 'no such field' }
      : undefined;
  const unpushable = await pushTemplate(control, { set, names: ['pool-a'] });
  expect(unpushable).toMatchObject({
    generation: 1,
    names: ['pool-a'],
    error: expect.stringContaining('no such field'),
  });
  const look = { set, now: Date.now(), unpushable };
  expect(await observeMachineSet(placeOf(control), look)).not.toHaveProperty('observation.toPush');
  const later = { ...look, unpushable: { ...unpushable, generation: 0 } };
  expect(await observeMachineSet(placeOf(control), later)).toHaveProperty('observation.toPush', [
    'pool-a',
  ]);
});

test.each([
  { name: 'gone', sets: [] },
  { name: 'another life', sets: [aMachineSet({ metadata: { uid: 'uid-2' } })] },
])('a set that is $name pushes nothing', async ({ sets }) => {
  const control = new InMemoryClient(...sets, ours('pool-a', { drainTimeout: '1m' }));
  await pushTemplate(control, { set, names: ['pool-a'] });
  expect(control.writes()).toEqual([]);
});
