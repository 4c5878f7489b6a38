import type { PendingDrain } from '../../../../activities/drain/wake-ups/pending-drains.ts';
import { tryAgainNow } from '../../../../activities/drain/wake-ups/try-again-now.ts';

const drain = { workflowId: 'machine/default/a', runId: 'r', activityId: '7' };

/**
 * Looks in this order, then the last one for ever; an error stands for a server that does not
 * answer.
 */
async function resets(
  looks: (PendingDrain | Error)[],
  isUnderWay = () => false,
): Promise<{ count: number; failure?: unknown }> {
  let count = 0;
  const server = {
    async reset() {
      count += 1;
    },
    async read() {
      const look = looks[count - 1] ?? looks.at(-1) ?? 'gone';
      if (look instanceof Error) throw look;
      return look;
    },
  };
  try {
    await tryAgainNow(server, { drain, isUnderWay, waitMs: 1 });
    return { count };
  } catch (failure) {
    return { count, failure };
  }
}

test.each<{ name: string; looks: (PendingDrain | Error)[]; count: number }>([
  { name: 'once when somebody begins it', looks: ['begun'], count: 1 },
  { name: 'once when it has ended', looks: ['gone'], count: 1 },
  { name: 'again when the first one was lost', looks: ['resting', 'begun'], count: 2 },
  { name: 'again when the server did not answer', looks: [new Error('away'), 'begun'], count: 2 },
])('a drain is reset $name', async ({ looks, count }) => {
  expect(await resets(looks)).toEqual({ count });
});

test('a drain whose pass runs in this process is not read from the server', async () => {
  expect(await resets([new Error('asked')], () => true)).toEqual({ count: 1 });
});

test('the wake-up of a drain that no worker begins, or of a server that is away, is given up after three attempts', async () => {
  expect(await resets(['resting'])).toMatchObject({
    count: 3,
    failure: { message: 'machine/default/a: its drain was reset, and nobody began it' },
  });
  expect(await resets([new Error('away')])).toMatchObject({
    count: 3,
    failure: { message: 'away' },
  });
});
