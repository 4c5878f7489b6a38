import { pausesAnnotation, readPauses } from '../../kube/objects/pauses.ts';
import { PauseLog } from '../../watcher/pause-log.ts';
import type { QueueStatus } from '../../watcher/worker-presence.ts';
import { WorkerPresence, awaySince } from '../../watcher/worker-presence.ts';
import { HandClock } from './queue/hand-clock.ts';

const now = 1_000_000;
const second = 1_000;

describe('a worker', () => {
  test.each<{ name: string; look: QueueStatus; since: number | undefined }>([
    {
      name: 'that asked just now is there',
      look: { polledAt: now - second, backlogMs: 0 },
      since: undefined,
    },

    {
      name: 'that is busy lets tasks wait, and asks for more',
      look: { polledAt: now - 5 * second, backlogMs: 60 * second },
      since: undefined,
    },

    {
      name: 'that did not ask since a task began to wait is away',
      look: { polledAt: now - 30 * second, backlogMs: 12 * second },
      since: now - 30 * second,
    },
    {
      name: 'that is silent for long is away',
      look: { polledAt: now - 91 * second, backlogMs: 0 },
      since: now - 91 * second,
    },
    {
      name: 'that Temporal does not know is away since the oldest task waits',
      look: { backlogMs: 7 * second },
      since: now - 7 * second,
    },
  ])('$name', ({ look, since }) => {
    expect(awaySince(look, now)).toBe(since);
  });
});

describe('what the watcher notes', () => {
  let clock: HandClock;
  let isWaiting: boolean;
  let pauses: PauseLog;
  let presence: WorkerPresence;
  let answer: () => QueueStatus;

  beforeEach(() => {
    clock = new HandClock();
    isWaiting = true;
    pauses = new PauseLog(() => clock.now());
    answer = () => ({ polledAt: clock.now(), backlogMs: 0 });
    presence = new WorkerPresence({
      read: async () => answer(),
      pauses,
      clock,
      now: () => clock.now(),
      isWaiting: () => isWaiting,
      onError: () => undefined,
    });
  });
  afterEach(() => presence.stop());

  const noted = () => readPauses(pauses.annotations()[pausesAnnotation]);

  test('is when no worker was there', async () => {
    await clock.turn(20 * second);
    answer = () => ({ polledAt: 20 * second, backlogMs: clock.now() - 25 * second });
    await clock.turn(40 * second);
    expect(noted()).toEqual([{ reason: 'worker', from: 20 * second }]);
    answer = () => ({ polledAt: clock.now(), backlogMs: 0 });
    await clock.turn(10 * second);
    expect(noted()).toEqual([{ reason: 'worker', from: 20 * second, until: 70 * second }]);
  });

  test('is asked for seldom at rest, and soon where work is under way or no worker is there', async () => {
    isWaiting = false;
    let asked = 0;
    answer = () => {
      asked += 1;
      return { polledAt: clock.now(), backlogMs: 0 };
    };
    await clock.turn(600 * second);
    expect(asked).toBeLessThanOrEqual(11);
    isWaiting = true;
    await clock.turn(60 * second);
    expect(asked).toBeGreaterThanOrEqual(16);
    isWaiting = false;
    answer = () => ({ backlogMs: 0 });
    await clock.turn(90 * second);
    answer = () => ({ polledAt: clock.now(), backlogMs: 0 });
    await clock.turn(10 * second);
    expect(noted().at(-1)).toHaveProperty('until');
  });

  test('is what this clock shows, where that of Temporal is behind', async () => {
    const pollMs = 60 * second;
    const behindMs = 50 * second;
    const polledAt = (): number =>
      Math.max(Math.floor(clock.now() / pollMs) * pollMs - behindMs, 0);
    answer = () => ({ polledAt: polledAt(), backlogMs: 0 });
    await clock.turn(300 * second);
    expect(noted()).toEqual([]);
    const last = polledAt();
    answer = () => ({ polledAt: last, backlogMs: 0 });
    await clock.turn(100 * second);
    expect(noted()).toEqual([{ reason: 'worker', from: last }]);
    // Of another version of the workers, which polled before.
    answer = () => ({ polledAt: last - 5 * second, backlogMs: 0 });
    await clock.turn(10 * second);
    expect(noted()).toEqual([{ reason: 'worker', from: last }]);
  });

  test('is nothing while Temporal has just forgotten its workers', async () => {
    await clock.turn(20 * second);
    answer = () => ({ backlogMs: 0 });
    await clock.turn(10 * second);
    answer = () => ({ polledAt: clock.now(), backlogMs: 0 });
    await clock.turn(30 * second);
    expect(noted()).toEqual([]);
  });

  test('is when no worker was there that Temporal could name', async () => {
    answer = () => ({ backlogMs: 0 });
    await clock.turn(40 * second);
    expect(noted()).toEqual([{ reason: 'worker', from: 10 * second }]);
  });

  test('is when Temporal gave no answer', async () => {
    await clock.turn(20 * second);
    answer = () => {
      throw grpcError(14);
    };
    await clock.turn(30 * second);
    expect(noted()).toEqual([{ reason: 'temporal', from: 20 * second }]);
    answer = () => ({ polledAt: clock.now(), backlogMs: 0 });
    await clock.turn(10 * second);
    expect(noted()).toEqual([{ reason: 'temporal', from: 20 * second, until: 60 * second }]);
  });

  test('ends when Temporal is back, also where it refuses the question', async () => {
    await clock.turn(20 * second);
    answer = () => {
      throw grpcError(14);
    };
    await clock.turn(30 * second);
    answer = () => {
      throw grpcError(8);
    };
    await clock.turn(60 * second);
    expect(noted()).toEqual([{ reason: 'temporal', from: 20 * second, until: 60 * second }]);
    answer = () => {
      throw grpcError(4);
    };
    await clock.turn(20 * second);
    expect(noted().slice(1)).toEqual([{ reason: 'temporal', from: 110 * second }]);
  });

  test('is nothing when Temporal refuses the question', async () => {
    answer = () => {
      throw grpcError(7);
    };
    await clock.turn(60 * second);
    expect(noted()).toEqual([]);
  });
});

function grpcError(code: number): Error {
  return Object.assign(new Error(`code ${code}`), { code, details: '', metadata: {} });
}
