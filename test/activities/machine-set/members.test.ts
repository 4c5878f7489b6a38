import { membersOf, releaseUnmatched } from '../../../activities/machine-set/members.ts';
import { RefusedWrites } from '../../../activities/machine-set/refused-writes.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { LabelSelector } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aMachineSet, controlledBy, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { placeOf } from '../../support/world.ts';

const labels = { pool: 'a' };
const ownerReferences = controlledBy(aMachineSet());
const pathOf = (name: string): string => customResource('machines', namespace, name);
const guest = { apiVersion: 'v1', kind: 'ConfigMap', name: 'notes', uid: 'uid-of-notes' };

const fine = (set = aMachineSet()) => ({
  set,
  isFaulty: false,
  refused: new RefusedWrites('FailedUpdate'),
  passOver: new Set<string>(),
});
const namesOf = (machines: Machine[]): string[] => machines.map(({ metadata }) => metadata.name);
const ownersOf = async (control: InMemoryClient, name: string) =>
  (await control.read<Machine>(pathOf(name))).metadata.ownerReferences;

async function rewrite(
  control: InMemoryClient,
  path: string,
  change: (machine: Machine) => void,
): Promise<void> {
  const machine = await control.read<Machine>(path);
  change(machine);
  control.put(machine);
}

/** Somebody else writes the machine once, just before our first write arrives. */
function interfere(control: InMemoryClient, change: (machine: Machine) => void): void {
  let isDone = false;
  control.fault = ({ method, path }) => {
    if (method !== 'PATCH' || isDone) return undefined;
    isDone = true;
    void rewrite(control, path, change);
    return { code: 409, reason: 'Conflict' };
  };
}

/** A webhook that protects one machine. */
const refuse =
  (name: string) =>
  ({ method, path }: { method: string; path: string }) =>
    method !== 'GET' && path === pathOf(name)
      ? { code: 403, reason: 'Forbidden', message: 'kept for forensics' }
      : undefined;

describe('adoption', () => {
  test('keeps other owners', async () => {
    const orphan = aMachine({ metadata: { labels, ownerReferences: [guest] } });
    const control = new InMemoryClient(aMachineSet(), orphan);
    expect(namesOf(await membersOf(placeOf(control), fine()))).toEqual(['pool-a']);
    expect(await ownersOf(control, 'pool-a')).toEqual([guest, ...ownerReferences]);
  });

  test('is tried again when the machine changed meanwhile: it must be counted', async () => {
    const control = new InMemoryClient(aMachineSet(), aMachine({ metadata: { labels } }));
    interfere(control, (machine) => (machine.spec.providerID = 'local:///1'));
    expect(namesOf(await membersOf(placeOf(control), fine()))).toEqual(['pool-a']);
  });

  test.each([
    {
      name: 'is being deleted by now, its machines let go',
      stored: [aMachineSet({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })],
    },
    { name: 'is gone by now', stored: [] },
    { name: 'has a successor by now', stored: [aMachineSet({ metadata: { uid: 'uid-2' } })] },
  ])('takes nothing back when the set $name', async ({ stored }) => {
    const control = new InMemoryClient(...stored, aMachine({ metadata: { labels } }));
    expect(await membersOf(placeOf(control), fine())).toEqual([]);
    expect(control.writes()).toEqual([]);
  });

  test('adoption that is refused for one machine is noted, and the others are adopted', async () => {
    const control = new InMemoryClient(
      aMachineSet(),
      ...['pool-a', 'pool-b', 'pool-c'].map((name) => aMachine({ metadata: { name, labels } })),
    );
    control.fault = refuse('pool-b');
    const request = fine();
    expect(namesOf(await membersOf(placeOf(control), request))).toEqual(['pool-a', 'pool-c']);
    expect(request.refused.outcome).toMatchObject({ names: ['pool-b'], reason: 'FailedUpdate' });
  });

  test('does not try a machine that is passed over', async () => {
    const control = new InMemoryClient(aMachineSet(), aMachine({ metadata: { labels } }));
    expect(await membersOf(placeOf(control), { ...fine(), passOver: new Set(['pool-a']) })).toEqual(
      [],
    );
    expect(control.writes()).toEqual([]);
  });

  test('is given up when another set was faster', async () => {
    const control = new InMemoryClient(aMachineSet(), aMachine({ metadata: { labels } }));
    const other = controlledBy(aMachineSet({ metadata: { name: 'other' } }));
    interfere(control, ({ metadata }) => (metadata.ownerReferences = other));
    expect(await membersOf(placeOf(control), fine())).toEqual([]);
    expect(await ownersOf(control, 'pool-a')).toEqual(other);
  });

  test.each<{ name: string; selector: LabelSelector; isFaulty: boolean }>([
    { name: 'with a wrong spec', selector: { matchLabels: labels }, isFaulty: true },
    { name: 'whose selector asks for nothing', selector: {}, isFaulty: false },
  ])('is not for a set $name, which keeps what it has', async ({ selector, isFaulty }) => {
    const set = aMachineSet({ spec: { selector } });
    const own = aMachine({ metadata: { name: 'own', labels, ownerReferences } });
    const control = new InMemoryClient(set, own, aMachine({ metadata: { labels } }));
    expect(namesOf(await membersOf(placeOf(control), { ...fine(set), isFaulty }))).toEqual(['own']);
    expect(control.writes()).toEqual([]);
  });
});

const stray = (changes: Partial<Machine['metadata']> = {}) =>
  aMachine({ metadata: { labels: { pool: 'b' }, ownerReferences, ...changes } });

describe('release', () => {
  test('takes our owner reference and nothing else', async () => {
    const machine = stray({ ownerReferences: [guest, ...ownerReferences] });
    const control = new InMemoryClient(machine);
    expect(await releaseUnmatched(control, fine(), ['pool-a', 'gone'])).toEqual(['pool-a']);
    expect(await ownersOf(control, 'pool-a')).toEqual([guest]);
    const { metadata } = await control.read<Machine>(pathOf('pool-a'));
    expect(metadata).toMatchObject({
      finalizers: machine.metadata.finalizers,
      uid: machine.metadata.uid,
    });
  });

  test.each([
    ['that fits again', stray({ labels }), fine()],
    ['of another set', stray({ ownerReferences: [guest] }), fine()],
    ['that is being deleted', stray({ deletionTimestamp: '2026-01-01T01:00:00Z' }), fine()],
    [
      'while the set is being deleted',
      stray(),
      fine(aMachineSet({ metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } })),
    ],
    ['while the spec is wrong', stray(), { ...fine(), isFaulty: true }],
  ])('does not touch a machine %s', async (_name, machine, request) => {
    const control = new InMemoryClient(machine);
    expect(await releaseUnmatched(control, request, ['pool-a'])).toEqual([]);
    expect(control.writes()).toEqual([]);
  });

  test('is given up when the labels were repaired meanwhile', async () => {
    const control = new InMemoryClient(stray());
    interfere(control, ({ metadata }) => (metadata.labels = labels));
    expect(await releaseUnmatched(control, fine(), ['pool-a'])).toEqual([]);
    expect(await ownersOf(control, 'pool-a')).toEqual(ownerReferences);
  });
});
