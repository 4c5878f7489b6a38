/** The watchers' Lease by the name of MCM's, with the rights that MCM has: no list, no patch. */
import { pino } from 'pino';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { lease } from '../../../kube/client/paths.ts';
import { Election, createLeaseClient } from '../../../kube/leases/election.ts';
import { watchActiveWatcher } from '../../../kube/leases/active-watcher.ts';
import type { ActiveWatcher } from '../../../kube/leases/active-watcher.ts';
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import { HttpApiServer, status } from '../../support/api-server/http-api-server.ts';
import type { Request } from '../../support/api-server/http-request.ts';
import { aLease } from '../things.ts';
import { eventually } from '../../support/eventually.ts';

const place = { resourceName: 'machine-controller-manager' } as const;
const timing = { leaseDurationSeconds: 1, renewDeadlineMs: 600, retryPeriodMs: 50 };
let server: HttpApiServer;
let client: KubeClient;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  server = await HttpApiServer.start();
  server.respond = (request) =>
    isGranted(request) ? undefined : status(403, 'Forbidden', { name: request.path });
  client = createLeaseClient({ kubeConfig: server.kubeConfig, userAgent: 'test' });
});

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await client.close();
  await server.stop();
});

const named = (text: string): boolean => /machine-controller(-manager)?$/.test(text);

/** `create` of any; `get`, `watch` and `update` of both of MCM by name. */
function isGranted({ method, path, query }: Request): boolean {
  if (method === 'POST') return path === lease('default');
  if (query.get('watch') === 'true') return named(query.get('fieldSelector') ?? '');
  return (method === 'GET' || method === 'PUT') && named(path);
}

function elect(identity: string, isForced = false): Election {
  const election = new Election({
    client,
    namespace: 'default',
    place,
    identity,
    timing,
    isForced,
    annotations: () => ({ checkpoint: identity, gone: null }),
    onElected: () => undefined,
    onLost: () => undefined,
    log: pino({ level: 'silent' }),
  });
  open.push({ close: () => election.stop() });
  return election;
}

function anActiveWatcher(onError: (error: unknown) => void = () => undefined): ActiveWatcher {
  const made = watchActiveWatcher({ client, namespace: 'default', place, onError });
  open.push(made);
  return made;
}

function stored(name: string): Lease {
  const found: Lease | undefined = server.object(lease('default', name));
  if (found === undefined) throw new Error(`there is no Lease ${name}`);
  return found;
}

const renewTime = (): string => new Date().toISOString().replace('Z', '000Z');

describe('a watcher with the rights of MCM', () => {
  test('leads by both Leases of MCM, renews, hands over, and workers may act meanwhile', async () => {
    const errors: unknown[] = [];
    const worker = anActiveWatcher((error) => errors.push(error));
    await worker.synced;
    expect(worker.isActive()).toBe(false);
    const first = elect('a');
    await eventually('a leads', () => first.isLeader);
    expect(stored('machine-controller').spec?.holderIdentity).toBe('a');
    expect(stored('machine-controller-manager').metadata.annotations).toMatchObject({
      checkpoint: 'a',
    });
    expect(stored('machine-controller-manager').metadata.annotations).not.toHaveProperty('gone');
    await eventually('the worker may act', () => worker.isActive());
    const { renewTime: before } = stored('machine-controller-manager').spec ?? {};
    await eventually(
      'a renews',
      () => stored('machine-controller-manager').spec?.renewTime !== before,
    );
    const second = elect('b');
    await first.stop();
    await eventually('b leads', () => second.isLeader);
    await eventually('the worker follows b', () => worker.isActive());
    expect(server.object(lease('default', 'millwright'))).toBeUndefined();
    expect(errors).toEqual([]);
  });

  test('waits while MCM holds one of its Leases, and workers do not act for MCM', async () => {
    const spec = { leaseDurationSeconds: 60, leaseTransitions: 3, renewTime: renewTime() };
    server.put(aLease('machine-controller-manager', { ...spec, holderIdentity: 'mcm_1' }));
    const worker = anActiveWatcher();
    const candidate = elect('a');
    await eventually('it waits', () => candidate.obstacle !== undefined);
    await worker.synced;
    await eventually('the Lease is watched', () => server.watchCount > 0);
    expect(candidate.obstacle).toBe('Lease machine-controller-manager is held by mcm_1');
    expect(worker.isActive()).toBe(false);
  });

  test('takes one of them from MCM where it is to lead without election', async () => {
    const spec = { leaseDurationSeconds: 60, leaseTransitions: 3, renewTime: renewTime() };
    server.put(aLease('machine-controller-manager', { ...spec, holderIdentity: 'mcm_1' }));
    server.put(aLease('machine-controller', { ...spec, holderIdentity: 'mcm_2' }));
    const worker = anActiveWatcher();
    const candidate = elect('a', true);
    await eventually('a leads', () => candidate.isLeader);
    await eventually('the worker may act', () => worker.isActive());
    expect(stored('machine-controller').spec?.holderIdentity).toBe('mcm_2');
  });

  test('MCM takes its Lease back: its annotations stay, and workers stop', async () => {
    const worker = anActiveWatcher();
    const election = elect('a');
    await eventually('the worker may act', () => worker.isActive());
    const held = stored('machine-controller-manager');
    // As client-go writes it: the spec is its own, the metadata is what was read.
    const term = { holderIdentity: 'mcm_1', renewTime: renewTime(), leaseDurationSeconds: 600 };
    const spec = { ...held.spec, ...term };
    const taken: KubeObject & Lease = { ...held, spec };
    server.put(taken);
    await eventually('the watcher sees it', () => !election.isLeader);
    await eventually('the worker sees it', () => !worker.isActive());
    expect(stored('machine-controller-manager').metadata.annotations).toMatchObject({
      'millwright.dev/holder': 'a',
    });
  });
});
