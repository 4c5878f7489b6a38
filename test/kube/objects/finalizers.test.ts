import {
  ensureFinalizer,
  hasFinalizer,
  isOrphaning,
  release,
} from '../../../kube/objects/finalizers.ts';
import { isConflict } from '../../../kube/client/errors.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { lifeOf } from '../../support/world.ts';
import { failureOf } from '../failure-of.ts';

const path = customResource('machines', namespace, 'pool-a');
const other = 'example.com/other';
const ours = finalizers.machine;
const deletionTimestamp = '2026-01-01T01:00:00Z';

const withFinalizers = (...names: string[]) => aMachine({ metadata: { finalizers: names } });
const going = (...names: string[]) =>
  aMachine({ metadata: { finalizers: names, deletionTimestamp } });

async function ensured(machine: Machine): Promise<{ client: InMemoryClient; machine: Machine }> {
  const client = new InMemoryClient(machine);
  const read = await client.read<Machine>(path);
  return { client, machine: await ensureFinalizer(client, 'machines', read) };
}

describe('ensureFinalizer', () => {
  test('adds ours to those of others, and answers what the write returned', async () => {
    const { client, machine } = await ensured(withFinalizers(other));
    expect(machine.metadata.finalizers).toEqual([other, ours]);
    expect(machine).toEqual(await client.read<Machine>(path));
  });

  test('writes nothing when it stands there', async () => {
    const { client, machine } = await ensured(withFinalizers(ours, other));
    expect(machine.metadata.finalizers).toEqual([ours, other]);
    expect(client.writes()).toEqual([]);
  });

  test('adds none to an object that is going', async () => {
    const { client, machine } = await ensured(going(other));
    expect(hasFinalizer(machine)).toBe(false);
    expect(client.writes()).toEqual([]);
  });

  test.each([
    { name: 'version', changes: { resourceVersion: '1' } },
    { name: 'life', changes: { uid: 'uid-2' } },
  ])('holds only for the $name that was read', async ({ changes }) => {
    const client = new InMemoryClient(withFinalizers(other));
    const stored = await client.read<Machine>(path);
    const read = { ...stored, metadata: { ...stored.metadata, ...changes } };
    const error = await failureOf(ensureFinalizer(client, 'machines', read));
    expect(isConflict(error)).toBe(true);
    expect((await client.read<Machine>(path)).metadata.finalizers).toEqual([other]);
  });
});

describe('release', () => {
  test('takes ours off and leaves those of others', async () => {
    const client = new InMemoryClient(going(other, ours));
    expect(await release(client, 'machines', lifeOf('pool-a'))).toBe(true);
    expect((await client.read<Machine>(path)).metadata.finalizers).toEqual([other]);
  });

  test('lets an object go that is being deleted, and can be run twice', async () => {
    const client = new InMemoryClient(aMachine({ metadata: { deletionTimestamp } }));
    await release(client, 'machines', lifeOf('pool-a'));
    expect(client.has(path)).toBe(false);
    expect(await release(client, 'machines', lifeOf('pool-a'))).toBe(true);
  });

  test.each([
    { name: 'another life of the name', machine: aMachine({ metadata: { uid: 'uid-2' } }) },
    { name: 'an object that lost ours already', machine: going(other) },
    { name: 'one whose deletion was undone', machine: withFinalizers(ours), isReleased: false },
    { name: 'one with others, too', machine: withFinalizers(other, ours), isReleased: false },
  ])('does not change $name', async ({ machine, isReleased = true }) => {
    const client = new InMemoryClient(machine);
    const before = await client.read<Machine>(path);
    expect(await release(client, 'machines', lifeOf('pool-a'))).toBe(isReleased);
    expect(await client.read<Machine>(path)).toEqual(before);
  });

  test('an object that goes meanwhile is released', async () => {
    const client = new InMemoryClient(aMachine());
    client.fault = ({ method }) =>
      method === 'PATCH' ? { code: 404, reason: 'NotFound' } : undefined;
    expect(await release(client, 'machines', lifeOf('pool-a'))).toBe(true);
  });

  test('one that changes meanwhile is tried again by whoever asked', async () => {
    const client = new InMemoryClient(aMachine());
    client.fault = ({ method }) =>
      method === 'PATCH' ? { code: 409, reason: 'Conflict' } : undefined;
    await expect(release(client, 'machines', lifeOf('pool-a'))).rejects.toThrow('Conflict');
  });
});

test('--cascade=orphan shows in the finalizers', () => {
  expect(isOrphaning(withFinalizers(ours, 'orphan'))).toBe(true);
  expect(isOrphaning(withFinalizers(ours))).toBe(false);
});
