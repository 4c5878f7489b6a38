import fc from 'fast-check';
import { SignalQueue } from '../../../watcher/queue/signal-queue.ts';
import type { Delivered } from '../../../watcher/queue/signal-queue.ts';
import type { Signal } from '../../../watcher/dispatch/signal.ts';
import type { SignalName } from '../../../workflows/contracts/messages.ts';
import { HandClock, settled } from './hand-clock.ts';

interface Call {
  signal: Signal;
  at: number;
  succeed(delivered?: Delivered): void;
  fail(): void;
}

let clock: HandClock;
let calls: Call[];
let outbox: SignalQueue;

beforeEach(() => {
  clock = new HandClock();
  calls = [];
  outbox = new SignalQueue({ clock, concurrency: 3, deliver, onError: () => undefined });
});

/** Stays under way until the test ends it. */
function deliver(signal: Signal): Promise<Delivered> {
  return new Promise((resolve, reject) => {
    calls.push({
      signal,
      at: clock.now(),
      succeed: (delivered = 'sent') => resolve(delivered),
      fail: () => reject(new Error('Temporal is away')),
    });
  });
}

interface Life {
  uid: string;
  isDeleting: boolean;
}

function aSignal(
  name: SignalName,
  resourceVersion: number,
  ...[object = 'a', life = {}]: [object?: string, life?: Partial<Life>]
): Signal {
  const version = String(resourceVersion);
  const payload = { cluster: 'c', epoch: 1, resourceVersion: version, uid: 'u' };
  const observed = { ...payload, isDeleting: false, hasFinalizer: false, ...life };
  return {
    kind: 'machine',
    object,
    name,
    payload: { ...observed, specDigest: '', forceDeletion: false },
    cause: { resource: 'machines', resourceVersion: version },
  };
}

function aNodeSignal(version: number, isReady: boolean): Signal {
  const { payload, ...signal } = aSignal('nodeObserved', version);
  const node = {
    name: 'a',
    exists: true,
    isReady,
    providerID: '',
    conditionsDigest: '',
    isWaitingForCriticalComponents: false,
  };
  return { ...signal, payload: { ...payload, ...node } };
}

function aClassSignal(resourceVersion: string, isEdited: boolean): Signal {
  const version = { cluster: 'c', epoch: 1, resourceVersion };
  return {
    kind: 'machineClass',
    object: 'small',
    name: 'classChanged',
    payload: { ...version, ...(isEdited && { isEdited }) },
    cause: { resource: 'secrets', resourceVersion },
  };
}

const sent = (): string[] =>
  calls.map(({ signal: { name, payload }, at }) => `${name} ${payload.resourceVersion} @${at}`);

/** Ends the newest call. */
async function end(how: 'succeed' | 'fail'): Promise<void> {
  calls.at(-1)?.[how]();
  await settled();
}

describe('pace', () => {
  test('a signal about a Node leaves when the Node was quiet for 50 ms, once and with its newest state', async () => {
    outbox.send(aSignal('nodeObserved', 1));
    await clock.turn(40);
    outbox.send(aSignal('nodeObserved', 2));
    await clock.turn(49);
    expect(sent()).toEqual([]);
    await clock.turn(1);
    expect(sent()).toEqual(['nodeObserved 2 @90']);
    expect(outbox.counters.merged).toBe(1);
  });

  describe('a Node that registers', () => {
    test('and is Ready within a second is signalled once', async () => {
      outbox.send(aNodeSignal(1, false));
      await clock.turn(600);
      outbox.send(aNodeSignal(2, true));
      await clock.turn(50);
      expect(sent()).toEqual(['nodeObserved 2 @600']);
    });

    test('and is Ready later is signalled after a second, and when it is Ready', async () => {
      outbox.send(aNodeSignal(1, false));
      await clock.turn(1_000);
      expect(sent()).toEqual(['nodeObserved 1 @1000']);
      await end('succeed');
      await clock.turn(5_000);
      outbox.send(aNodeSignal(2, true));
      await clock.turn(50);
      expect(sent().at(-1)).toBe('nodeObserved 2 @6050');
    });
  });

  test('a signal to a set that is never quiet leaves after 500 ms all the same', async () => {
    for (let version = 1; version <= 10; version += 1) {
      outbox.send(aSignal('machinesChanged', version));
      await clock.turn(100);
    }
    expect(sent()).toEqual(['machinesChanged 5 @500']);
  });
});

describe('an object that changes all the time', () => {
  /** What arrived at once, with the time. */
  let arrived: { signal: Signal; at: number }[];
  let quick: SignalQueue;

  beforeEach(() => {
    arrived = [];
    quick = new SignalQueue({
      clock,
      concurrency: 64,
      onError: () => undefined,
      deliver(signal) {
        arrived.push({ signal, at: clock.now() });
        return Promise.resolve('sent');
      },
    });
  });

  const versions = (object = 'a'): number[] =>
    arrived
      .filter(({ signal }) => signal.object === object)
      .map(({ signal }) => Number(signal.payload.resourceVersion));

  /** A thousand times in ten seconds, and then never again. */
  async function flap(name: SignalName): Promise<void> {
    for (let version = 1; version <= 1_000; version += 1) {
      quick.send(aSignal(name, version));
      if (version % 100 === 50) quick.send(aSignal(name, version, `other-${version}`));
      await clock.turn(10);
    }
    await clock.turn(1_000);
  }

  test.each([
    { name: 'machineObserved' as const, most: 12 },
    { name: 'nodeObserved' as const, most: 12 },
    { name: 'machineSetObserved' as const, most: 16 },
    { name: 'machineDeploymentObserved' as const, most: 16 },
  ])('gives its workflow $most signals $name for 1,000 changes in 10 s', async ({ name, most }) => {
    await flap(name);
    expect(versions().length).toBeLessThanOrEqual(most);
    expect(versions().length).toBeGreaterThanOrEqual(10);
    expect(versions().at(-1)).toBe(1_000);
    // Others do not wait for it.
    const others = arrived.filter(({ signal }) => signal.object !== 'a');
    expect(others).toHaveLength(10);
    const longestQuietMs = name === 'nodeObserved' ? 50 : 0;
    for (const { signal, at } of others) {
      const changedAt = (Number(signal.payload.resourceVersion) - 1) * 10;
      expect(at - changedAt).toBeLessThanOrEqual(longestQuietMs);
    }
    expect(quick.size).toBe(0);
  });

  test('never waits longer than a second for the next signal, and not at all after a quiet one', async () => {
    quick.send(aSignal('machineObserved', 1));
    await clock.turn(100);
    quick.send(aSignal('machineObserved', 2));
    await clock.turn(5_000);
    quick.send(aSignal('machineObserved', 3));
    await clock.turn(0);
    expect(arrived.map(({ at }) => at)).toEqual([0, 1_000, 5_100]);
  });

  test('is signalled at once when it is deleted, and so is the next object of its name', async () => {
    const seen = (version: number, life: Partial<Life>) =>
      quick.send(aSignal('machineObserved', version, 'a', life));
    seen(1, {});
    await clock.turn(10);
    seen(2, {});
    await clock.turn(10);
    seen(3, { isDeleting: true });
    await clock.turn(10);
    quick.send(aSignal('machineGone', 4));
    await clock.turn(10);
    seen(5, { uid: 'another' });
    await clock.turn(0);
    expect(versions()).toEqual([1, 3, 4, 5]);
    await clock.turn(10_000);
    expect(versions()).toEqual([1, 3, 4, 5]);
  });

  test('does not make other signals of its workflow wait', async () => {
    quick.send(aSignal('machineObserved', 1));
    await clock.turn(10);
    quick.send(aSignal('machineObserved', 2));
    quick.send(aSignal('nodeObserved', 3));
    await clock.turn(100);
    expect(arrived.map(({ signal, at }) => `${signal.name} @${at}`)).toEqual([
      'machineObserved @0',
      'nodeObserved @60',
    ]);
  });
});

describe('delivery', () => {
  test('of signals to a workflow is one at a time, the newest of each name', async () => {
    for (const version of [1, 2, 3]) outbox.send(aSignal('machineObserved', version));
    expect(sent()).toEqual(['machineObserved 1 @0']);
    await end('succeed');
    await clock.turn(1_000);
    expect(sent()).toEqual(['machineObserved 1 @0', 'machineObserved 3 @1000']);
    await end('succeed');
    expect(calls).toHaveLength(2);
    expect(outbox.size).toBe(0);
  });

  test('of a signal that failed is tried again, later and later, with the newest snapshot', async () => {
    outbox.send(aSignal('machineObserved', 1));
    await end('fail');
    outbox.send(aSignal('machineObserved', 2));
    expect(calls).toHaveLength(1);
    await clock.turn(200);
    expect(calls.at(-1)?.signal.payload.resourceVersion).toBe('2');
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await end('fail');
      await clock.turn(10_000);
    }
    expect(calls).toHaveLength(22);
    await end('succeed');
    await clock.turn(60_000);
    expect(calls).toHaveLength(22);
    expect(outbox.counters).toEqual({ sent: 1, dropped: 0, merged: 1, failed: 21 });
  });

  test('says that a class was edited, also when its new Secret is seen before that is told', async () => {
    outbox.send(aClassSignal('1', true));
    outbox.send(aClassSignal('2', false));
    await clock.turn(200);
    outbox.send(aClassSignal('3', false));
    await end('fail');
    await clock.turn(1_000);
    await end('succeed');
    outbox.send(aClassSignal('4', false));
    await clock.turn(200);
    expect(calls.map(({ signal: { payload } }) => payload)).toEqual([
      expect.objectContaining({ resourceVersion: '2', isEdited: true }),
      expect.objectContaining({ resourceVersion: '3', isEdited: true }),
      { cluster: 'c', epoch: 1, resourceVersion: '4' },
    ]);
  });

  test('of a plain signal to a workflow that does not run ends with the signal dropped', async () => {
    outbox.send(aSignal('nodeObserved', 1));
    await clock.turn(50);
    calls.at(-1)?.succeed('noWorkflow');
    await clock.turn(60_000);
    expect(outbox.counters).toMatchObject({ sent: 0, dropped: 1 });
    expect(outbox.size).toBe(0);
  });

  test('is for no more signals than the limit at the same time, first come, first served', async () => {
    for (const object of ['a', 'b', 'c', 'd', 'e'])
      outbox.send(aSignal('machineObserved', 1, object));
    expect(calls.map((call) => call.signal.object)).toEqual(['a', 'b', 'c']);
    calls[1]?.succeed();
    await settled();
    expect(calls.map((call) => call.signal.object)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('does not revive an object that is gone with a signal that failed before', async () => {
    outbox.send(aSignal('machineObserved', 1));
    outbox.send(aSignal('machineObserved', 2));
    outbox.send(aSignal('machineGone', 3));
    await end('fail');
    await clock.turn(10_000);
    expect(calls.at(-1)?.signal.name).toBe('machineGone');
    await end('succeed');
    await clock.turn(10_000);
    expect(calls).toHaveLength(2);
  });

  test('of a new object comes after the end of the old one, also when Temporal was away', async () => {
    const reborn = aSignal('machineObserved', 4);
    outbox.send(aSignal('machineGone', 3));
    outbox.send({ ...reborn, payload: { ...reborn.payload, uid: 'other' } });
    await end('fail');
    await clock.turn(10_000);
    await end('succeed');
    expect(calls.map((call) => call.signal.name)).toEqual([
      'machineGone',
      'machineGone',
      'machineObserved',
    ]);
  });

  test('of nothing begins after the queue was closed', async () => {
    outbox.send(aSignal('machineObserved', 1));
    outbox.send(aSignal('machinesChanged', 2));
    outbox.close();
    await end('fail');
    await clock.turn(60_000);
    expect(calls).toHaveLength(1);
    expect(outbox.oldestUndelivered('machines')).toBe('1');
  });
});

describe('the oldest undelivered change', () => {
  test('is that of what waits, is under way, and was replaced', async () => {
    expect(outbox.oldestUndelivered('machines')).toBeUndefined();
    outbox.send(aSignal('machinesChanged', 9));
    outbox.send(aSignal('machinesChanged', 10));
    expect(outbox.oldestUndelivered('machines')).toBe('9');
    outbox.send(aSignal('machineObserved', 8));
    expect(outbox.oldestUndelivered('machines')).toBe('8');
    expect(outbox.oldestUndelivered('nodes')).toBeUndefined();
    await end('succeed');
    expect(outbox.oldestUndelivered('machines')).toBe('9');
    await clock.turn(500);
    await end('fail');
    expect(outbox.oldestUndelivered('machines')).toBe('9');
    await clock.turn(500);
    await end('succeed');
    expect(outbox.oldestUndelivered('machines')).toBeUndefined();
  });
});

test('whatever fails, each workflow ends with the newest snapshot of each name', async () => {
  const names = ['machineObserved', 'nodeObserved', 'machinesChanged'] as const;
  const step = fc.record({
    name: fc.constantFrom(...names),
    object: fc.constantFrom('a', 'b'),
    wait: fc.nat(300),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step), fc.array(fc.boolean()), async (steps, failures) => {
      const turned = new HandClock();
      const arrived = new Map<string, string>();
      const wanted = new Map<string, string>();
      const flaky = new SignalQueue({
        clock: turned,
        concurrency: 64,
        onError: () => undefined,
        async deliver({ name, object, payload }) {
          await settled();
          if (failures.pop() === true) throw new Error('Temporal is away');
          arrived.set(`${object} ${name}`, payload.resourceVersion);
          return 'sent';
        },
      });
      for (const [index, { name, object, wait }] of steps.entries()) {
        flaky.send(aSignal(name, index + 1, object));
        wanted.set(`${object} ${name}`, String(index + 1));
        await turned.turn(wait);
      }
      for (let round = 0; round < 200 && flaky.size > 0; round += 1) await turned.turn(10_000);
      expect(Object.fromEntries(arrived)).toEqual(Object.fromEntries(wanted));
      expect(flaky.oldestUndelivered('machines')).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});

test('what is told of a signal are its kind, its waits and its failures', async () => {
  const told: string[] = [];
  const observed = new SignalQueue({
    clock,
    concurrency: 3,
    deliver,
    onError: () => undefined,
    observer: {
      added: (kind) => void told.push(`added ${kind}`),
      begun: (kind, waitedMs) => void told.push(`begun ${kind} after ${waitedMs}`),
      arrived: (kind, lagMs) => void told.push(`arrived ${kind} after ${lagMs}`),
      failed: (kind) => void told.push(`failed ${kind}`),
    },
  });
  observed.send(aSignal('nodeObserved', 1));
  observed.send(aSignal('nodeObserved', 2));
  expect([...observed.sizes]).toEqual([['machine', 1]]);
  await clock.turn(50);
  await end('fail');
  expect(told).toEqual(['added machine', 'begun machine after 50', 'failed machine']);
  await clock.turn(1_000);
  const waited = calls.at(-1)?.at;
  await clock.turn(30);
  await end('succeed');
  expect(told.slice(3)).toEqual([
    `begun machine after ${waited}`,
    `arrived machine after ${clock.now()}`,
  ]);
  expect(observed.size).toBe(0);
  observed.close();
});
