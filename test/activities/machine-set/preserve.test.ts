import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { markPreserved } from '../../../activities/machine-set/preserve.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aMachineSet, controlledBy, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { eventually } from '../../support/eventually.ts';
import { lifeOf } from '../../support/world.ts';

interface KubeEvent {
  reason: string;
  involvedObject: { name: string };
}

const set = lifeOf('pool');
const key = 'node.machine.sapcloud.io/preserve';
const pathOf = (name: string): string => customResource('machines', namespace, name);

function ours(name: string, phase: 'Failed' | 'Running', value?: string): Machine {
  const annotations = value === undefined ? {} : { [key]: value };
  const ownerReferences = controlledBy(aMachineSet());
  return aMachine({ phase, metadata: { name, annotations, ownerReferences } });
}

async function valueOf(control: InMemoryClient, name: string): Promise<string | undefined> {
  return (await control.read<Machine>(pathOf(name))).metadata.annotations?.[key];
}

test('a set annotates Failed machines, takes the annotation from the others, and records an Event for each', async () => {
  const control = new InMemoryClient(
    ours('a', 'Failed'),
    ours('b', 'Failed', 'nonsense'),
    ours('c', 'Failed', 'auto-preserved'),
  );
  await markPreserved(control, { set, preserve: ['a', 'b', 'gone'], unpreserve: ['c'] });
  expect(await valueOf(control, 'a')).toBe('auto-preserved');
  expect(await valueOf(control, 'b')).toBe('auto-preserved');
  expect(await valueOf(control, 'c')).toBeUndefined();
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([
    { reason: 'PreservingMachine', message: 'Preserving failed 2 Machines: a, b' },
    { reason: 'PreservedTooMany', message: expect.stringMatching(/ Machine: c$/) },
  ]);
});

test('a machine that is no longer Failed, or that a person annotated, is not preserved automatically', async () => {
  const control = new InMemoryClient(
    ours('a', 'Running'),
    ours('b', 'Failed', 'false'),
    ours('c', 'Failed', 'now'),
    aMachine({ phase: 'Failed', metadata: { name: 'd' } }),
  );
  await markPreserved(control, { set, preserve: ['a', 'b', 'd'], unpreserve: ['c'] });
  expect(control.writes()).toEqual([]);
});

test('a machine that changes during its preservation is left for the next read', async () => {
  const control = new InMemoryClient(ours('a', 'Failed'));
  control.fault = ({ method }) =>
    method === 'PATCH' ? { code: 409, reason: 'Conflict' } : undefined;
  await markPreserved(control, { set, preserve: ['a'], unpreserve: [] });
  expect(await valueOf(control, 'a')).toBeUndefined();
});

test.each([
  { code: 403, reason: 'Forbidden' },
  { code: 422, reason: 'Invalid' },
])(
  'a machine whose annotation is refused with $code is reported, and the others are annotated',
  async (verdict) => {
    const control = new InMemoryClient(
      ours('a', 'Failed'),
      ours('b', 'Failed'),
      ours('c', 'Failed', 'auto-preserved'),
      ours('d', 'Failed', 'auto-preserved'),
    );
    const refused = [pathOf('a'), pathOf('c')];
    control.fault = ({ method, path }) =>
      method === 'PATCH' && refused.includes(path) ? { ...verdict, message: 'kept' } : undefined;
    const outcome = await markPreserved(control, {
      set,
      preserve: ['a', 'b'],
      unpreserve: ['c', 'd'],
    });
    expect(outcome.refused).toMatchObject({ names: ['a', 'c'], reason: 'FailedUpdate' });
    expect(await valueOf(control, 'b')).toBe('auto-preserved');
    expect(await valueOf(control, 'd')).toBeUndefined();
    for (const name of ['a', 'c', 'pool']) {
      await eventually(`an Event on ${name}`, async () => {
        const { items } = await control.list<KubeEvent>(namespaced('events', namespace));
        return items.some(
          ({ reason, involvedObject }) => reason === 'FailedUpdate' && involvedObject.name === name,
        );
      });
    }
  },
);
