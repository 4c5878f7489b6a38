import type { NamespaceSelection } from '../../../workers/config/config.ts';
import type { Namespaces } from '../../../workers/fleet/fleet.ts';
import { watchNamespaces } from '../../../workers/fleet/fleet.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { eventually } from '../../support/eventually.ts';

let watched: Namespaces | undefined;
afterEach(() => watched?.close());

function watch(selection: NamespaceSelection, client = new InMemoryClient()) {
  const seen: string[] = [];
  watched = watchNamespaces({
    selection,
    client,
    onPresent: (name) => void seen.push(`+${name}`),
    onGone: (name) => void seen.push(`-${name}`),
    onError: () => undefined,
  });
  return { seen, client, synced: watched.synced, isDeleting: watched.isDeleting };
}

const named = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

test.each([
  { selection: { kind: 'one', name: 'a' } as const, seen: ['+a'] },
  { selection: { kind: 'list', names: ['a', 'b'] } as const, seen: ['+a', '+b'] },
])('names are served without reading any Namespace: $seen', async ({ selection, seen }) => {
  const found = watch(selection);
  await found.synced;
  expect(found.seen).toEqual(seen);
  expect(found.client.calls).toEqual([]);
});

test('all others come and go as they do in the cluster', async () => {
  const client = new InMemoryClient(named('a'));
  const { seen, synced } = watch({ kind: 'selected', labels: '' }, client);
  await synced;
  expect(seen).toEqual(['+a']);
  client.put(named('b'));
  await eventually('b is there', async () => seen.includes('+b'));
  await client.delete('/api/v1/namespaces/a');
  await eventually('a is gone', async () => seen.includes('-a'));
});

test('one that is being deleted is known as such, and is present until it is gone', async () => {
  const a = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', uid: 'uid-of-a' } };
  const client = new InMemoryClient(a);
  const { seen, synced, isDeleting } = watch({ kind: 'selected', labels: '' }, client);
  await synced;
  expect(isDeleting('a')).toBe(false);
  // What keeps a Namespace stands in its spec.
  const going = { deletionTimestamp: '2026-11-27T16:00:00Z', finalizers: ['example.com/spec'] };
  client.put({ ...a, metadata: { ...a.metadata, ...going } });
  await eventually('it is heard', async () => isDeleting('a'));
  expect(seen).not.toContain('-a');
});

test('of one that is named it is not known that it is being deleted', async () => {
  const found = watch({ kind: 'list', names: ['a'] });
  expect(found.isDeleting('a')).toBe(false);
});
