import { afterEach, expect, test } from 'vitest';
import type { NamespaceSelection } from '../../../workers/config/config.ts';
import type { Namespaces } from '../../../workers/fleet/namespaces.ts';
import { watchNamespaces } from '../../../workers/fleet/namespaces.ts';
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
  return { seen, client, synced: watched.synced };
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
