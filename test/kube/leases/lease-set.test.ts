/** Calls for several Leases at a time, of which one fails at once and another takes longer. */
import { pino } from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Query } from '../../../kube/client/client.ts';
import { lease } from '../../../kube/client/paths.ts';
import type { KubeError } from '../../../kube/client/errors.ts';
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import { LeaseSet } from '../../../kube/leases/lease-set.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const own = lease('default', 'millwright');

class SlowClient extends InMemoryClient {
  underWay = 0;

  override async get<T>(path: string, query?: Query): Promise<T> {
    return await this.#slowly(path, () => super.get<T>(path, query));
  }

  override async update<T>(path: string, body: unknown): Promise<T> {
    return await this.#slowly(path, () => super.update<T>(path, body));
  }

  async #slowly<T>(path: string, call: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    if (path === own) await sleep(20);
    return await call().finally(() => (this.underWay -= 1));
  }
}

async function aHolder(): Promise<{ client: SlowClient; leases: LeaseSet }> {
  const client = new SlowClient();
  const holder = { identity: 'a', leaseDurationSeconds: 15, isForced: false };
  const log = pino({ level: 'silent' });
  const leases = new LeaseSet({ client, namespace: 'default', ...holder, log });
  await leases.read();
  await leases.acquire(undefined);
  return { client, leases };
}

test.each(['read', 'renew'] as const)(
  'to %s fails when nothing is under way any more',
  async (what) => {
    const { client, leases } = await aHolder();
    client.fault = ({ path }) =>
      path === own ? undefined : { code: 500, reason: 'InternalError', message: 'of MCM' };
    await expect(leases[what](undefined)).rejects.toThrow('of MCM');
    expect(client.underWay).toBe(0);
  },
);

test.each([
  ['default', 404],
  ['other', 'a'],
])('a Lease that is of Kubermatic in %s is left there alone', async (namespace, expected) => {
  const client = new InMemoryClient();
  const log = pino({ level: 'silent' });
  const holder = { identity: 'a', leaseDurationSeconds: 15, isForced: false };
  const notOfMcm = { namespace, name: 'machine-controller' };
  const leases = new LeaseSet({
    client,
    namespace: 'default',
    ...holder,
    place: { notOfMcm },
    log,
  });
  expect((await leases.acquire(undefined)).held).toBe(true);
  const found = await client
    .get<Lease>(lease('default', 'machine-controller'))
    .then(({ spec }) => spec?.holderIdentity)
    .catch((error: KubeError) => error.code);
  expect(found).toBe(expected);
});
