import { inParallel } from '../../../activities/runtime/parallel.ts';

test('all items, no more than the width at once', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    done.push(item);
  });
  expect([most, done.toSorted((a, b) => a - b)]).toEqual([2, [1, 2, 3, 4, 5]]);
});

test('the first error is thrown when all are done', async () => {
  const done: number[] = [];
  const work = inParallel([1, 2, 3], 1, async (item) => {
    if (item === 1) throw new Error('first');
    done.push(item);
  });
  await expect(work).rejects.toThrow('first');
  expect(done).toEqual([2, 3]);
});
