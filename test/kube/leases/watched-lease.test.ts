import type { KubeClient } from '../../../kube/client/client.ts';
import { lease } from '../../../kube/client/paths.ts';
import { createLeaseClient } from '../../../kube/leases/election.ts';
import { WatchedLease } from '../../../kube/leases/watched-lease.ts';
import { HttpApiServer, status } from '../../support/api-server/http-api-server.ts';
import { aLease } from '../things.ts';
import { eventually } from '../../support/eventually.ts';

let server: HttpApiServer;
let client: KubeClient;
let watched: WatchedLease | undefined;
/** Holders. */
const seen: unknown[] = [];
const errors: unknown[] = [];

beforeEach(async () => {
  server = await HttpApiServer.start();
  client = createLeaseClient({ kubeConfig: server.kubeConfig, userAgent: 'test' });
});

afterEach(async () => {
  await watched?.stop();
  await client.close();
  await server.stop();
  for (const list of [seen, errors]) list.length = 0;
});

function watch(): WatchedLease {
  watched = new WatchedLease({
    client,
    lease: { namespace: 'default', name: 'one' },
    onSeen: (now) => seen.push(now?.spec?.holderIdentity),
    onError: (error) => errors.push(error),
  });
  return watched;
}

test('each version of a Lease is reported once, and that it is gone', async () => {
  server.put(aLease('one', { holderIdentity: 'a' }));
  server.put(aLease('another', { holderIdentity: 'x' }));
  await watch().synced;
  await eventually('it is watched', () => server.watchCount > 0);
  // The watch begins with what was read.
  server.put(aLease('one', { holderIdentity: 'b' }));
  await eventually('b is seen', () => seen.includes('b'));
  server.remove(lease('default', 'one'));
  await eventually('it is gone', () => seen.at(-1) === undefined);
  expect(seen).toEqual(['a', 'b', undefined]);
  expect(errors).toEqual([]);
});

test('one that is not there is waited for, and failures are reported and survived', async () => {
  server.respond = () => status(403, 'Forbidden', {});
  const { synced } = watch();
  await eventually('a failure', () => errors.length > 1);
  expect(seen).toEqual([]);
  server.respond = () => undefined;
  await synced;
  expect(seen).toEqual([undefined]);
  server.put(aLease('one', { holderIdentity: 'a' }));
  await eventually('a is seen', () => seen.includes('a'));
});
