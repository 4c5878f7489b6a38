import { pino } from 'pino';
import { Election, createLeaseClient } from '../../../kube/leases/election.ts';
import type { LeaseBefore } from '../../../kube/leases/lease-set.ts';
import type { ElectionOptions, Leadership } from '../../../kube/leases/election.ts';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { lease } from '../../../kube/client/paths.ts';
import { watchActiveWatcher } from '../../../kube/leases/active-watcher.ts';
import type { ActiveWatcher } from '../../../kube/leases/active-watcher.ts';
import { restoredAnnotation } from '../../../kube/objects/restore-note.ts';
import { HttpApiServer, status } from '../../support/api-server/http-api-server.ts';
import { aLease, aThing } from '../things.ts';
import { eventually } from '../../support/eventually.ts';

const timing = { leaseDurationSeconds: 1, renewDeadlineMs: 600, retryPeriodMs: 50 };
const names = ['machine-controller', 'machine-controller-manager', 'millwright'];
let server: HttpApiServer;
let client: KubeClient;
const elections: Election[] = [];
const activeWatchers: ActiveWatcher[] = [];

beforeEach(async () => {
  server = await HttpApiServer.start();
  client = createLeaseClient({
    kubeConfig: server.kubeConfig,
    userAgent: 'test',
    callTimeoutMs: 200,
  });
});

afterEach(async () => {
  server.respond = () => undefined;
  await Promise.all(elections.splice(0).map((election) => election.stop()));
  await Promise.all(activeWatchers.splice(0).map((activeWatcher) => activeWatcher.close()));
  await client.close();
  await server.stop();
});

interface Candidate {
  election: Election;
  log: string[];
  /** Of each term. */
  terms: Leadership[];
}

function candidate(identity: string, options: Partial<ElectionOptions> = {}): Candidate {
  const log: string[] = [];
  const terms: Leadership[] = [];
  const election = new Election({
    client,
    namespace: 'default',
    identity,
    timing,
    onElected(leadership) {
      terms.push(leadership);
      log.push(`elected ${leadership.annotations['checkpoint'] ?? '-'}`);
    },
    onLost: () => log.push('lost'),
    log: pino({ level: 'silent' }),
    ...options,
  });
  elections.push(election);
  return { election, log, terms };
}

function specOf(name: string): Record<string, unknown> {
  const spec = server.object(lease('default', name))?.['spec'];
  return typeof spec === 'object' ? { ...spec } : {};
}

function stored(name: string): KubeObject {
  const object = server.object(lease('default', name));
  if (!object) throw new Error(`there is no Lease ${name}`);
  return object;
}

const holders = (): unknown[] => names.map((name) => specOf(name)['holderIdentity']);

describe('election', () => {
  test('one that is stopped while it takes the Leases begins no term, and gives them back', async () => {
    const answer = Promise.withResolvers<void>();
    let creates = 0;
    const slow: KubeClient = {
      ...client,
      async create(...call) {
        creates += 1;
        await answer.promise;
        return await client.create(...call);
      },
    };
    const a = candidate('a', { client: slow });
    await eventually('an attempt', () => creates > 0);
    const stopped = a.election.stop();
    answer.resolve();
    await stopped;
    expect(a.log).toEqual([]);
    expect(holders()).toEqual(['', '', '']);
  });

  test('the first holds our Lease and both of MCM, the second waits', async () => {
    const a = candidate('a');
    await eventually('a leads', () => a.election.isLeader);
    const b = candidate('b');
    await eventually('b waits', () => b.election.obstacle !== undefined);
    expect(holders()).toEqual(['a', 'a', 'a']);
    expect(b.election.isLeader).toBe(false);
    expect(b.election.obstacle).toBe('Lease machine-controller-manager is held by a');
  });

  test('a leader that stops hands over at once, with the next epoch and its annotations', async () => {
    // Nobody waits for so long here.
    const slow = { timing: { ...timing, leaseDurationSeconds: 15 } };
    const a = candidate('a', { ...slow, annotations: () => ({ checkpoint: '7' }) });
    await eventually('a leads', () => a.election.isLeader);
    const epoch = Number(specOf('millwright')['leaseTransitions']);
    const b = candidate('b', slow);
    await a.election.stop();
    await eventually('b leads', () => b.election.isLeader);
    expect(b.log).toEqual(['elected 7']);
    expect(specOf('millwright')['leaseTransitions']).toBe(epoch + 1);
  });

  test('a leader that vanishes is followed when its Lease was seen unchanged for its duration', async () => {
    for (const name of names) {
      const spec = { holderIdentity: 'dead', leaseDurationSeconds: 1, leaseTransitions: 3 };
      // Its clock was wrong by years: that must not matter.
      server.put(aLease(name, { ...spec, renewTime: '2031-01-01T00:00:00.000000Z' }));
    }
    const startedAt = performance.now();
    const a = candidate('a');
    await eventually('a leads', () => a.election.isLeader);
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    expect(specOf('machine-controller')['leaseTransitions']).toBe(4);
    expect(Number(specOf('millwright')['leaseTransitions'])).toBeGreaterThan(4);
  });

  test('the same identity goes on at once, in a later epoch', async () => {
    for (const name of names) {
      const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 3 };
      server.put(aLease(name, spec));
    }
    const a = candidate('a');
    await eventually('a leads', () => a.election.isLeader);
    expect(Number(specOf('millwright')['leaseTransitions'])).toBeGreaterThan(3);
    expect(a.terms).toMatchObject([{ epoch: specOf('millwright')['leaseTransitions'] }]);
  });

  test('of two processes with one identity the later leads and the earlier stops', async () => {
    const earlier = candidate('a');
    await eventually('the earlier leads', () => earlier.election.isLeader);
    const later = candidate('a');
    await eventually('the earlier lost', () => earlier.log.includes('lost'));
    await eventually('the later leads', () => later.election.isLeader);
    expect(earlier.election.isLeader).toBe(false);
  });

  test('a Lease that is deleted while it cannot be made again is known to who takes it later', async () => {
    const before: LeaseBefore[] = [];
    const onTaking = (seen: LeaseBefore): void => void before.push(seen);
    let checkpoint = '7';
    const a = candidate('a', { annotations: () => ({ checkpoint }), onTaking });
    await eventually('a leads', () => a.election.isLeader);
    server.respond = ({ method }) => (method === 'GET' ? undefined : status(503, 'Unavailable'));
    server.remove(lease('default', 'millwright'));
    await eventually('a has lost', () => a.log.at(-1) === 'lost');
    before.length = 0;
    checkpoint = '8';
    server.respond = () => undefined;
    await eventually('another term', () => a.log.at(-1) !== 'lost');
    // On a busy machine the first attempt may make the Lease too late, and the next one finds it.
    expect(before[0]).toEqual({
      annotations: expect.objectContaining({ checkpoint: '7' }),
      renewedAt: expect.any(Number),
    });
    expect(a.terms.at(-1)?.annotations).not.toMatchObject({ checkpoint: '7' });
  });

  test('while MCM holds one of its Leases none is taken', async () => {
    const spec = { holderIdentity: 'mcm-0', leaseDurationSeconds: 1 };
    server.put(aLease('machine-controller', spec));
    const a = candidate('a');
    await eventually('a waits', () => a.election.obstacle?.includes('mcm-0') ?? false);
    expect(holders()).toEqual(['mcm-0', undefined, undefined]);
    // It renews nothing any more.
    await eventually('a leads', () => a.election.isLeader);
  });

  test('one failed renewal changes nothing', async () => {
    const a = candidate('a');
    await eventually('a leads', () => a.election.isLeader);
    let faults = 3;
    server.respond = () => {
      faults -= 1;
      return faults >= 0 ? status(500, 'InternalError') : undefined;
    };
    await eventually('the faults are over', () => faults < -3);
    expect(a.log).toEqual(['elected -']);
  });

  test('a Lease that was deleted is made again, and a term with a later epoch begins', async () => {
    const a = candidate('a');
    await eventually('a leads', () => a.election.isLeader);
    server.remove(lease('default', 'millwright'));
    await eventually('another term', () => a.terms.length === 2);
    expect(a.log).toEqual(['elected -', 'lost', 'elected -']);
    const [first, second] = a.terms;
    expect(second?.epoch).toBeGreaterThan(first?.epoch ?? 0);
    expect(specOf('millwright')['leaseTransitions']).toBe(second?.epoch);
  });
});

const checkpoint = (doubt: string | undefined) => ({
  checkpoint: doubt === undefined ? '7' : null,
});
const restoreNote = (doubt: string | undefined) => ({ [restoredAnnotation]: doubt ?? null });
/** Of our Lease, two: the second shows that its holder has the answer to the first. */
async function renewals(): Promise<void> {
  for (const which of ['first', 'second']) {
    const { resourceVersion } = stored('millwright').metadata;
    const isRenewed = () => stored('millwright').metadata.resourceVersion !== resourceVersion;
    await eventually(`a ${which} renewal`, isRenewed);
  }
}

const doubtOf = ({ terms }: Candidate): string => terms.at(-1)?.doubt ?? 'none';

describe('a term', () => {
  test('is in doubt after an absence in which a database may have been restored', async () => {
    const renewTime = new Date(Date.now() - 300_000).toISOString();
    server.put(aLease('millwright', { holderIdentity: '', renewTime }));
    const a = candidate('a');
    await eventually('a leads', () => a.election.isLeader);
    expect(doubtOf(a)).toMatch(/^no leader for 30\d s$/);
  });

  test('is in doubt, and has a later epoch, when the Lease is in an older state than before', async () => {
    const a = candidate('a', { annotations: checkpoint });
    await eventually('a leads', () => a.election.isLeader);
    const restore = server.backup();
    await renewals();
    restore();
    await eventually('another term', () => a.terms.length === 2);
    expect(a.terms[1]?.epoch).toBeGreaterThan(a.terms[0]?.epoch ?? 0);
    expect(doubtOf(a)).toContain('its database was restored');
    expect(stored('millwright').metadata.annotations ?? {}).not.toHaveProperty('checkpoint');
    await eventually('it leads on', () => a.election.isLeader);
    expect(a.log).toHaveLength(3);
  });

  test('is in doubt after a restore whose versions have passed the old ones', async () => {
    const a = candidate('a');
    await eventually('a leads', () => a.election.isLeader);
    const restore = server.backup();
    await renewals();
    restore();
    for (let write = 0; write < 50; write += 1) server.put(aThing('another-object'));
    server.put(stored('millwright'));
    await eventually('another term', () => a.terms.length === 2);
    expect(doubtOf(a)).toContain('its database was restored');
  });

  test('does not begin with what kept the one before it from renewing', async () => {
    const a = candidate('a', { annotations: checkpoint });
    await eventually('a leads', () => a.election.isLeader);
    await renewals();
    // It is too late for a renewal, and not for a release.
    let isLate = true;
    server.respond = () => (isLate ? status(500, 'InternalError') : undefined);
    await eventually('a has lost', () => {
      isLate = !a.log.includes('lost');
      return !isLate;
    });
    await eventually('another term', () => a.terms.length === 2);
    expect(doubtOf(a)).toMatch(/^no renewal in time: /);
    expect(stored('millwright').metadata.annotations ?? {}).not.toHaveProperty('checkpoint');
  });

  test('of a candidate that saw the Lease before the restore is in doubt as well', async () => {
    const a = candidate('a');
    await eventually('a leads', () => a.election.isLeader);
    const restore = server.backup();
    await renewals();
    const b = candidate('b');
    await eventually('b waits', () => b.election.obstacle !== undefined);
    server.respond = ({ method }) =>
      method === 'PATCH' ? status(500, 'InternalError') : undefined;
    restore();
    await a.election.stop();
    server.respond = () => undefined;
    await eventually('b leads', () => b.election.isLeader);
    expect(b.terms[0]?.epoch).toBeGreaterThan(a.terms[0]?.epoch ?? 0);
    expect(doubtOf(b)).toContain('its database was restored');
  });

  test('of a candidate is in no doubt when the leader has taken note of the restore', async () => {
    const a = candidate('a', { annotations: restoreNote });
    await eventually('a leads', () => a.election.isLeader);
    const restore = server.backup();
    await renewals();
    const b = candidate('b');
    await eventually('b waits', () => b.election.obstacle !== undefined);
    const seenByB = server.requests.length;
    restore();
    await eventually('another term', () => a.terms.length === 2);
    await eventually('b has seen it', () => server.requests.length > seenByB + 20);
    await a.election.stop();
    await eventually('b leads', () => b.election.isLeader);
    expect([doubtOf(a), doubtOf(b)]).toEqual([expect.stringContaining('restored'), 'none']);
  });

  test('begins anew when the leader asks for it, without a moment in which the Lease is free', async () => {
    const a = candidate('a', { annotations: checkpoint });
    const seen = new Set<unknown>();
    await eventually('a leads', () => a.election.isLeader);
    server.respond = () => {
      seen.add(specOf('millwright')['holderIdentity']);
      return undefined;
    };
    a.election.beginAnew('etcd of the target cluster was restored');
    expect(a.log).toEqual(['elected -', 'lost']);
    await eventually('another term', () => a.terms.length === 2);
    expect(doubtOf(a)).toBe('etcd of the target cluster was restored');
    expect(a.terms[1]?.epoch).toBeGreaterThan(a.terms[0]?.epoch ?? 0);
    expect([...seen]).toEqual(['a']);
  });
});

describe('without election', () => {
  const spec = { leaseDurationSeconds: 15, leaseTransitions: 3 };

  test('a process takes our Lease from its holder, renews it, and leaves those of MCM alone', async () => {
    server.put(aLease('millwright', { ...spec, holderIdentity: 'elected' }));
    server.put(aLease('machine-controller', { ...spec, holderIdentity: 'mcm-0' }));
    const { isActive } = anActiveWatcher();
    const a = candidate('a', { isForced: true });
    await eventually('a leads', () => a.election.isLeader);
    expect(holders()).toEqual(['mcm-0', undefined, 'a']);
    await eventually('workers may act', isActive);
    const renewedAt = specOf('millwright')['renewTime'];
    await eventually('it renews', () => specOf('millwright')['renewTime'] !== renewedAt);
    expect(a.terms).toHaveLength(1);
  });

  test('of two such processes the later one leads, and the earlier one waits', async () => {
    const earlier = candidate('a', { isForced: true });
    await eventually('the earlier leads', () => earlier.election.isLeader);
    const later = candidate('b', { isForced: true });
    await eventually('the later leads', () => later.election.isLeader);
    await eventually('the earlier lost', () => earlier.log.includes('lost'));
    expect(later.log).toEqual(['elected -']);
    await eventually(
      'the earlier waits',
      () => earlier.election.obstacle === 'Lease millwright is held by b',
    );
  });
});

function anActiveWatcher(): ActiveWatcher {
  const made = watchActiveWatcher({ client, namespace: 'default', onError: () => undefined });
  activeWatchers.push(made);
  return made;
}

const put = (holderIdentity: string, renewTime = new Date().toISOString()): void => {
  server.put(aLease('millwright', { holderIdentity, leaseDurationSeconds: 1, renewTime }));
};

describe('activeWatcher', () => {
  test('is true while a watcher renews its Lease, and false when the Lease ends', async () => {
    const { isActive } = anActiveWatcher();
    expect(isActive()).toBe(false);
    const a = candidate('a');
    await eventually('granted', isActive);
    await a.election.stop();
    await eventually('not granted', () => !isActive());
  });

  test('is false when the Lease changes no more', async () => {
    // Not since it was seen: on a busy machine that is later.
    const since = performance.now();
    put('dead');
    const { isActive } = anActiveWatcher();
    await eventually('granted', isActive);
    await eventually('not granted', () => !isActive());
    expect(performance.now() - since).toBeGreaterThan(900);
  });

  test('is false for an old Lease until it is renewed', async () => {
    put('dead', '2020-01-01T00:00:00.000000Z');
    const { isActive } = anActiveWatcher();
    await eventually('a watch', () => server.watchCount > 0);
    expect(isActive()).toBe(false);
    put('dead', '2020-01-01T00:00:02.000000Z');
    await eventually('granted', isActive);
  });
});
