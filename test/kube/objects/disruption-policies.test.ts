import { disruptionPolicy } from '../../../kube/client/paths.ts';
import type { DisruptionPolicy } from '../../../workflows/api/disruption-policy.ts';
import type { WatchedPolicies } from '../../../kube/objects/disruption-policies.ts';
import { watchPolicies } from '../../../kube/objects/disruption-policies.ts';
import { aDisruptionPolicy, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { HandSystem } from '../../support/hand-system.ts';

const kind = 'DisruptionPolicy';
const minute = 60_000;

class Watched {
  readonly system = new HandSystem();
  readonly client: InMemoryClient;
  readonly said: string[] = [];
  isSynced = false;
  readonly #policies: WatchedPolicies;

  constructor(...objects: object[]) {
    this.client = new InMemoryClient(...objects);
    this.#policies = this.system.run(() =>
      watchPolicies({
        client: this.client,
        namespace,
        onError: () => this.said.push('error'),
        onRefusal: (refusal) => this.said.push(refusal ? 'refused' : 'allowed'),
      }),
    );
    void this.#policies.synced.then(() => (this.isSynced = true));
  }

  async at(milliseconds: number): Promise<string[] | string> {
    await this.system.to(milliseconds);
    const known = this.system.run(() => this.#policies.current());
    return known.unreadable ?? known.policies.map(({ metadata }) => metadata.name);
  }

  note(policy: DisruptionPolicy): void {
    this.system.run(() => this.#policies.noteWritten(policy));
  }

  async isOpen(milliseconds: number): Promise<boolean | undefined> {
    await this.system.to(milliseconds);
    return this.system.run(() => this.#policies.current()).policies?.[0]?.status?.open;
  }

  reads(): string[] {
    return this.client.calls.filter((call) => call.includes('millwright.dev'));
  }

  onEdit(): void {
    this.system.run(() => this.#policies.onEdit(() => this.said.push('edited')));
  }

  close(): Promise<void> {
    return this.system.run(() => this.#policies.close());
  }
}

let watched: Watched;
afterEach(() => watched.close());

test('without the CRD there are none, and one read a minute asks whether it has come', async () => {
  watched = new Watched();
  expect([await watched.at(0), watched.isSynced]).toEqual([[], true]);
  expect(await watched.at(5 * minute)).toEqual([]);
  expect(watched.reads()).toEqual(
    Array.from({ length: 6 }, () => 'GET /apis/millwright.dev/v1alpha1'),
  );
  expect([watched.said, watched.client.watchCount]).toEqual([[], 0]);
});

test('the namespaces of a process ask once', async () => {
  watched = new Watched();
  const { client, system } = watched;
  const others = system.run(() =>
    ['a', 'b', 'c'].map((other) => watchPolicies({ client, namespace: other, onError: fail })),
  );
  await watched.at(3 * minute);
  expect(watched.reads()).toHaveLength(4);
  await Promise.all(others.map((other) => system.run(() => other.close())));
});

function fail(error: unknown): never {
  throw error;
}

test('they are known when they are listed, change and go', async () => {
  watched = new Watched(aDisruptionPolicy({ metadata: { name: 'b', finalizers: [] } }));
  expect([await watched.at(0), watched.isSynced]).toEqual([['b'], true]);
  watched.client.put(aDisruptionPolicy({ metadata: { name: 'a' } }));
  expect(await watched.at(10)).toEqual(['a', 'b']);
  await watched.client.delete(disruptionPolicy(namespace, 'b'));
  expect(await watched.at(20)).toEqual(['a']);
  expect(watched.said).toEqual([]);
});

test('a CRD that comes is noticed within a minute, and one that goes at once', async () => {
  watched = new Watched();
  await watched.at(0);
  watched.client.put(aDisruptionPolicy({ metadata: { name: 'a' } }));
  expect(await watched.at(minute + 1_000)).toEqual(['a']);
  watched.client.serve(kind, false);
  expect(await watched.at(minute + 2_000)).toEqual([]);
  watched.client.serve(kind, true);
  watched.client.put(aDisruptionPolicy({ metadata: { name: 'b' } }));
  expect(await watched.at(5 * minute)).toEqual(['b']);
});

describe('where the CRD is there and roles refuse', () => {
  beforeEach(async () => {
    watched = new Watched(aDisruptionPolicy());
    watched.client.fault = ({ path }) =>
      path.includes('disruptionpolicies') ? { code: 403, reason: 'Forbidden' } : undefined;
    await watched.at(1_000);
  });

  test('an API server that has just started is waited for', async () => {
    expect(watched.isSynced).toBe(false);
    watched.client.fault = () => undefined;
    expect(await watched.at(4_000)).toEqual(['weekend']);
    expect([watched.isSynced, watched.said]).toEqual([true, []]);
  });

  test('they count as unreadable, and the right is named, until they are read', async () => {
    expect(await watched.at(minute)).toContain(
      'grant get, list and watch of disruptionpolicies.millwright.dev',
    );
    expect([watched.isSynced, watched.said]).toEqual([true, ['refused']]);
    watched.client.fault = () => undefined;
    expect(await watched.at(2 * minute)).toEqual(['weekend']);
    expect(watched.said).toEqual(['refused', 'allowed']);
  });
});

test('without the CRD a refusal means nothing: roles need not name what is not there', async () => {
  watched = new Watched();
  watched.client.fault = ({ path }) =>
    path.includes('disruptionpolicies') ? { code: 403, reason: 'Forbidden' } : undefined;
  expect([await watched.at(minute), watched.isSynced]).toEqual([[], true]);
});

test('a server that is away is waited for', async () => {
  watched = new Watched(aDisruptionPolicy());
  watched.client.fault = () => ({ code: 503, reason: 'HTTP503' });
  await watched.at(minute);
  expect(watched.isSynced).toBe(false);
  expect(new Set(watched.said)).toEqual(new Set(['error']));
  watched.client.fault = () => undefined;
  expect(await watched.at(2 * minute)).toEqual(['weekend']);
});

test('what the process wrote counts until the watch has come so far, and for seconds at most', async () => {
  watched = new Watched(aDisruptionPolicy());
  await watched.at(0);
  const stored = await watched.client.read<DisruptionPolicy>(
    disruptionPolicy(namespace, 'weekend'),
  );
  const metadata = { ...stored.metadata, resourceVersion: '9000' };
  watched.note({ ...stored, metadata, status: { open: true } });
  expect(await watched.isOpen(5_000)).toBe(true);
  expect(await watched.isOpen(20_000)).toBeUndefined();
});

test('each whose status does not answer its spec is reported as edited, also an earlier one', async () => {
  const observed = { observedGeneration: 1, open: true };
  const first = aDisruptionPolicy({ metadata: { name: 'first', generation: 1 } });
  const second = aDisruptionPolicy({
    metadata: { name: 'second', generation: 1 },
    status: observed,
  });
  watched = new Watched(first, second);
  await watched.at(1_000);
  watched.onEdit();
  expect(watched.said).toEqual(['edited']);
  await watched.client.patch(disruptionPolicy(namespace, 'second'), 'merge', {
    spec: { atATime: { machines: 1 } },
  });
  await watched.at(2_000);
  expect(watched.said).toEqual(['edited', 'edited']);
  await watched.client.patch(`${disruptionPolicy(namespace, 'second')}/status`, 'merge', {
    status: { observedGeneration: 2 },
  });
  await watched.at(3_000);
  expect(watched.said).toEqual(['edited', 'edited']);
});

test('ends in the middle of its first question', async () => {
  watched = new Watched(aDisruptionPolicy());
  await watched.close();
  expect(watched.isSynced).toBe(false);
});
