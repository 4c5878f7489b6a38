import type { KubeClient } from '../../../kube/client/client.ts';
import type { GlobalStop, Stop } from '../../../kube/objects/global-stop.ts';
import { watchGlobalStop } from '../../../kube/objects/global-stop.ts';
import { createLeaseClient } from '../../../kube/leases/election.ts';
import { watchActiveWatcher } from '../../../kube/leases/active-watcher.ts';
import type { NotedPause } from '../../../kube/objects/pauses.ts';
import { pausesAnnotation, writePauses } from '../../../kube/objects/pauses.ts';
import { HttpApiServer } from '../../support/api-server/http-api-server.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { aLease, aThing, thing } from '../things.ts';
import { eventually } from '../../support/eventually.ts';

let server: HttpApiServer;
let client: KubeClient;
let stop: GlobalStop;
let seen: (Stop | undefined)[];

beforeEach(async () => {
  server = await HttpApiServer.start();
  const { kubeConfig } = server;
  client = createLeaseClient({ kubeConfig, userAgent: 'test', callTimeoutMs: 200 });
  seen = [];
  const onChange = (present: Stop | undefined): void => void seen.push(present);
  stop = watchGlobalStop({ client, namespace: 'default', onChange, onError: () => undefined });
});

afterEach(async () => {
  await stop.close();
  await client.close();
  await server.stop();
});

test('a stop is seen when it begins, changes and ends', async () => {
  await stop.synced;
  expect(stop.current()).toBeUndefined();
  expect(stop.pauses()).toEqual([]);
  server.put(aThing('millwright-stop', { data: { reason: 'wrong disks', by: 'alice' } }));
  await eventually('stopped', () => stop.current() !== undefined);
  expect(stop.current()).toMatchObject({ reason: 'wrong disks', by: 'alice' });
  server.put(aThing('millwright-stop', { data: { reason: 'still looking' } }));
  await eventually('changed', () => stop.current()?.reason === 'still looking');
  server.remove(thing('millwright-stop'));
  await eventually('over', () => stop.current() === undefined);
  expect(seen.map((present) => present?.by)).toEqual(['alice', undefined, undefined]);
  const { since } = seen[0] ?? {};
  expect(stop.pauses()).toEqual([{ reason: 'stop', from: since, until: expect.any(Number) }]);
});

test('a stop is not known before the first answer', async () => {
  server.put(aThing('millwright-stop', { data: { reason: 'wrong disks' } }));
  await stop.synced;
  expect(stop.current()?.reason).toBe('wrong disks');
});

test('a worker that starts later reads on the Lease when nothing could be done', async () => {
  const known: NotedPause[] = [
    { reason: 'stop', from: 1_000, until: 61_000 },
    { reason: 'worker', from: 90_000 },
  ];
  const metadata = { annotations: { [pausesAnnotation]: writePauses(known) } };
  server.put(aLease('millwright', { holderIdentity: 'watcher' }, metadata));
  const activeWatcher = watchActiveWatcher({
    client,
    namespace: 'default',
    onError: () => undefined,
  });
  await activeWatcher.synced;
  await activeWatcher.close();
  expect(activeWatcher.pauses()).toEqual(known);
});

interface Forbidden {
  system: HandSystem;
  client: InMemoryClient;
  stop: GlobalStop;
  isSynced(): boolean;
  said: string[];
}

async function forbidden(isOptional: boolean): Promise<Forbidden> {
  const system = new HandSystem();
  const inMemory = new InMemoryClient();
  inMemory.fault = () => ({ code: 403, reason: 'Forbidden' });
  const said: string[] = [];
  const watched = system.run(() =>
    watchGlobalStop({
      client: inMemory,
      namespace: 'default',
      onError: () => said.push('error'),
      ...(isOptional && { onForbidden: () => said.push('forbidden') }),
    }),
  );
  let isSynced = false;
  void watched.synced.then(() => (isSynced = true));
  await system.to(1_000);
  return { system, client: inMemory, stop: watched, isSynced: () => isSynced, said };
}

describe('a stop that may not be read', () => {
  test('is waited for, and each failure is said', async () => {
    const { system, stop: waited, isSynced, said } = await forbidden(false);
    await system.to(60_000);
    expect(isSynced()).toBe(false);
    expect(new Set(said)).toEqual(new Set(['error']));
    await system.run(() => waited.close());
  });

  test('is no stop after some seconds where that is allowed, which is said once', async () => {
    const { system, client: inMemory, stop: optional, isSynced, said } = await forbidden(true);
    expect([isSynced(), said]).toEqual([false, []]);
    await system.to(120_000);
    expect([isSynced(), said, optional.current()]).toEqual([true, ['forbidden'], undefined]);
    // Somebody grants it.
    inMemory.fault = () => undefined;
    inMemory.put({ ...aThing('millwright-stop', { data: { reason: 'x' } }) });
    await system.to(180_000);
    expect(optional.current()?.reason).toBe('x');
    await system.run(() => optional.close());
  });
});
