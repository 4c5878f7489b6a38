/** What a command says of a Temporal that answers it with a refusal, or not at all. */
import { withEnvironment, withoutTemporal } from '../../support/environment.ts';
import { readAll } from '../../../cli/install/read.ts';
import { knownOf } from '../../../cli/install/temporal-facts.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import type { FakeTemporal } from '../../workers/temporal/fake-temporal.ts';
import { anInstall } from '../diagnosis/objects.ts';
import { startFakeTemporal } from '../../workers/temporal/fake-temporal.ts';

const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } };
const place = { kube: new InMemoryClient(system), namespace: 'shoot' };
const servers: FakeTemporal[] = [];

withEnvironment(withoutTemporal());

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => await server.close()));
});

test('a queue that was guessed is not unserved where the watcher sees a worker', () => {
  const served = { pollers: { 'millwright/uid/shoot': 0 } };
  const lease = { namespace: 'shoot', name: 'millwright', holder: 'w', renewedAt: 1, pauses: [] };
  const away = { ...lease, pauses: [{ reason: 'worker' as const, from: 1 }] };
  const worker = { namespace: 'r', name: 'w', component: 'worker', wanted: 1, available: 1 };
  const watcher = { ...worker, isWatcher: true };
  expect(knownOf(served, anInstall({ leases: [lease] }))).toEqual({});
  expect(knownOf(served, anInstall({ leases: [away] }))).toEqual(served);
  expect(knownOf(served, anInstall({ leases: [lease], processes: [watcher] }))).toEqual(served);
  const polled = { pollers: { 'millwright/uid/shoot': 1 } };
  expect(knownOf(polled, anInstall({ leases: [lease] }))).toEqual(polled);
});

async function temporalThat(refuses: number | undefined) {
  const server = await startFakeTemporal(({ method }) =>
    refuses === undefined || method === 'GetSystemInfo'
      ? undefined
      : { code: refuses, message: 'said so' },
  );
  servers.push(server);
  const asked = { temporalAddress: server.address };
  return (await readAll(place, asked)).temporal;
}

test('another namespace, or credentials that do not count, are no outage of Temporal', async () => {
  const notFound = await temporalThat(5);
  expect(notFound).toMatchObject({ isRefused: true, failure: expect.any(String) });
  expect(await temporalThat(7)).toMatchObject({ isRefused: true });
});

test('an address that is given and does not answer is an outage', async () => {
  const facts = (await readAll(place, { temporalAddress: '127.0.0.1:1' })).temporal;
  expect(facts).toMatchObject({ failure: expect.any(String) });
  expect(facts?.isRefused).toBeUndefined();
  expect(facts?.isOfWatcher).toBeUndefined();
});
