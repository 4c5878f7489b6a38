import { activityQueuesOf, QueueWatch } from '../../watcher/queue-watch.ts';
import type { QueueStatus } from '../../watcher/worker-presence.ts';
import { viewOfClass } from '../../watcher/cache/other-views.ts';
import { Store } from '../../watcher/cache/store.ts';
import { aClass } from './objects.ts';
import { HandClock } from './queue/hand-clock.ts';

const second = 1_000;

describe('a queue', () => {
  let clock: HandClock;
  let isWaiting: boolean;
  let watch: QueueWatch;
  let queues: string[];
  let answer: (queue: string) => QueueStatus;
  const errors: unknown[] = [];

  beforeEach(() => {
    clock = new HandClock();
    isWaiting = true;
    queues = ['drain'];
    errors.length = 0;
    answer = () => ({ polledAt: clock.now(), backlogMs: 0 });
    watch = new QueueWatch({
      queues: () => queues,
      read: async (queue) => answer(queue),
      clock,
      now: () => clock.now(),
      isWaiting: () => isWaiting,
      onError: (error) => void errors.push(error),
    });
  });
  afterEach(() => watch.stop());

  const unserved = () => [...watch.unservedSince];

  test('that is polled is served', async () => {
    await clock.turn(1);
    expect(unserved()).toEqual([['drain', undefined]]);
  });

  test('without a poller is unserved since its oldest task waits, or was first missed', async () => {
    await clock.turn(100 * second);
    answer = () => ({ backlogMs: 20 * second });
    await clock.turn(30 * second);
    const [first] = unserved();
    await clock.turn(60 * second);
    expect(unserved()).toEqual([first]);
    expect(first?.[1]).toBeLessThanOrEqual(110 * second);
    answer = () => ({ polledAt: clock.now(), backlogMs: 0 });
    await clock.turn(30 * second);
    expect(unserved()).toEqual([['drain', undefined]]);
  });

  test('is asked about seldom at rest', async () => {
    isWaiting = false;
    let asked = 0;
    answer = () => {
      asked += 1;
      return { polledAt: clock.now(), backlogMs: 0 };
    };
    await clock.turn(1_200 * second);
    expect(asked).toBeLessThanOrEqual(5);
  });

  test('stays as it was while Temporal does not answer', async () => {
    answer = () => ({ backlogMs: 0 });
    await clock.turn(30 * second);
    const before = unserved();
    answer = () => {
      throw new Error('no answer');
    };
    await clock.turn(30 * second);
    expect(unserved()).toEqual(before);
    expect(errors).toHaveLength(1);
  });
});

test('the queues are those of drains and of each provider, and none of drains without Nodes', () => {
  const store = new Store();
  for (const name of ['small', 'large']) {
    const object = viewOfClass(aClass({ name }));
    const { resourceVersion } = object;
    const change = { object, previous: undefined, resourceVersion, isNews: true };
    store.apply({ resource: 'machineClasses', ...change, type: 'live' });
  }
  const ofDriver = ['create', 'delete', 'read'].map((call) => `q/driver/virtual/${call}`);
  expect(activityQueuesOf('q', { store, hasNodes: true })).toEqual(['q/drain', ...ofDriver]);
  expect(activityQueuesOf('q', { store, hasNodes: false })).toEqual(ofDriver);
  expect(activityQueuesOf('q', { store: undefined, hasNodes: true })).toEqual(['q/drain']);
});
