/**
 * The Lease of the watchers of a namespace that is deleted: it stays as long as objects need a
 * leader, or it is in another namespace.
 */
import { pino } from 'pino';
import type { KubeClient } from '../../../kube/client/client.ts';
import { lease } from '../../../kube/client/paths.ts';
import { Election, createLeaseClient } from '../../../kube/leases/election.ts';
import { neededFinalizer } from '../../../kube/leases/lease-lock.ts';
import { LeaseSet, ownLeaseOf } from '../../../kube/leases/lease-set.ts';
import { watchActiveWatcher } from '../../../kube/leases/active-watcher.ts';
import { HttpApiServer, status } from '../../support/api-server/http-api-server.ts';
import { eventually } from '../../support/eventually.ts';

let server: HttpApiServer;
let client: KubeClient;
let election: Election | undefined;

beforeEach(async () => {
  server = await HttpApiServer.start();
  client = createLeaseClient({ kubeConfig: server.kubeConfig, userAgent: 'test' });
});

afterEach(async () => {
  await election?.stop();
  await client.close();
  await server.stop();
});

function elect(resourceNamespace?: string, isNeeded?: () => boolean | undefined): Election {
  election = new Election({
    client,
    namespace: 'shoot',
    place: { resourceNamespace },
    identity: 'a',
    ...(isNeeded && { isNeeded }),
    timing: { leaseDurationSeconds: 1, renewDeadlineMs: 600, retryPeriodMs: 50 },
    onElected: () => undefined,
    onLost: () => undefined,
    log: pino({ level: 'silent' }),
  });
  return election;
}

/** Creations in the namespace are refused, as Kubernetes refuses them. */
function terminate(namespace: string): void {
  const details = { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] };
  server.respond = ({ method, path }) =>
    method === 'POST' && path.includes(`/namespaces/${namespace}/`)
      ? status(403, 'Forbidden', details)
      : undefined;
}

const created = (): string[] =>
  server.requests
    .filter(({ method }) => method === 'POST')
    .map(({ path, body }) => `${path.split('/')[5]}/${body.metadata?.name}`);

describe('the Lease of a watcher', () => {
  test('stands in the resource namespace by the name of the served one; those of MCM stay there', async () => {
    const { isActive, close } = watchActiveWatcher({
      client,
      namespace: 'shoot',
      place: { resourceNamespace: 'leases' },
      onError: () => undefined,
    });
    elect('leases');
    await eventually('the worker may act', isActive);
    expect(created()).toEqual([
      'shoot/machine-controller-manager',
      'shoot/machine-controller',
      'leases/millwright-shoot',
    ]);
    await close();
  });

  test('is taken while the served namespace is being deleted', async () => {
    terminate('shoot');
    const candidate = elect('leases');
    await eventually('it leads', () => candidate.isLeader);
    expect(server.object(lease('shoot', 'machine-controller'))).toBeUndefined();
    // Through some renewals.
    const before = server.requests.length;
    await eventually('it renews', () => server.requests.length > before + 10);
    expect(candidate.isLeader).toBe(true);
  });

  test('cannot be taken in a namespace that is being deleted', async () => {
    terminate('shoot');
    const candidate = elect();
    await eventually('it tries', () => created().includes('shoot/millwright'));
    expect(candidate.isLeader).toBe(false);
  });

  test('stays in a namespace that is being deleted until nothing needs a leader any more', async () => {
    const own = lease('shoot', 'millwright');
    let isNeeded: boolean | undefined = true;
    const candidate = elect(undefined, () => isNeeded);
    await eventually('it leads', () => candidate.isLeader);
    terminate('shoot');
    await client.delete(own);
    const { requests } = server;
    const renewed = async () => {
      const before = requests.length;
      await eventually('it renews', () => requests.length > before + 10);
    };
    await renewed();
    expect(candidate.isLeader).toBe(true);
    // As before the lists of a new term.
    isNeeded = undefined;
    await renewed();
    expect(server.object(own)?.metadata).toHaveProperty('deletionTimestamp');
    isNeeded = false;
    await eventually('it goes', () => server.object(own) === undefined);
  });

  test.each([
    { place: {}, isHeld: true },
    { place: { resourceNamespace: 'leases' }, isHeld: false },
    { place: { resourceName: 'machine-controller-manager' as const }, isHeld: false },
  ])(
    'is held only where it would go first and is not of MCM: $place',
    async ({ place, isHeld }) => {
      const log = pino({ level: 'silent' });
      const how = {
        identity: 'a',
        leaseDurationSeconds: 15,
        isForced: false,
        isNeeded: () => true,
      };
      const leases = new LeaseSet({ client, namespace: 'shoot', place, log, ...how });
      await leases.read();
      await leases.acquire(undefined);
      const { namespace, name } = ownLeaseOf('shoot', place);
      const { finalizers = [] } = server.object(lease(namespace, name))?.metadata ?? {};
      expect(finalizers).toEqual(isHeld ? [neededFinalizer] : []);
      await leases.release();
    },
  );
});
