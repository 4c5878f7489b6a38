import fc from 'fast-check';
import type { NotedPause } from '../../../kube/objects/pauses.ts';
import { bounded, pausesUntil, readPauses, writePauses } from '../../../kube/objects/pauses.ts';
import type { Pause } from '../../../workflows/values/pauses.ts';
import { deadlineOf, pauseReasons, pausesOfDrain } from '../../../workflows/values/pauses.ts';

const hour = 3_600_000;
const pausesOfAll = (pauses: Pause[]): Pause[] => pauses;

test('pauses are read as they were written', () => {
  const pauses: NotedPause[] = [
    { reason: 'stop', from: 1_000, until: 2_000 },
    { reason: 'worker', from: 5_000 },
  ];
  expect(readPauses(writePauses(pauses))).toEqual(pauses);
});

test.each([
  undefined,
  '',
  'yesterday',
  '{}',
  'null',
  '[null, 7, {"reason":"lunch","from":"2026-01-01T00:00:00Z"}]',
  '[{"reason":"stop"},{"reason":"stop","from":"x"},{"reason":"stop","from":["2026"]}]',
  '[{"reason":"stop","from":"2026-01-01T00:00:00Z","until":"never"}]',
])('a damaged annotation with pauses counts as none: %s', (text) => {
  expect(readPauses(text)).toEqual([]);
});

test('a pause that lasts counts up to now', () => {
  expect(pausesUntil([{ reason: 'worker', from: 5_000 }], 9_000)).toEqual([
    { reason: 'worker', from: 5_000, until: 9_000 },
  ]);
});

test('a pause that ended three days ago is forgotten', () => {
  const now = 100 * hour;
  const old: NotedPause = { reason: 'stop', from: 0, until: 27 * hour };
  const recent: NotedPause = { reason: 'stop', from: 0, until: 29 * hour };
  expect(bounded([old, recent], now)).toEqual([recent]);
});

test('of more than 50 pauses the oldest become one, and no deadline comes earlier', () => {
  const pause = fc
    .record({
      reason: fc.constantFrom(...pauseReasons),
      from: fc.nat(10 * hour),
      length: fc.option(fc.nat(hour), { nil: undefined }),
    })
    .map(({ reason, from, length }): NotedPause =>
      length === undefined ? { reason, from } : { reason, from, until: from + length },
    );
  fc.assert(
    fc.property(
      fc.array(pause, { minLength: 50, maxLength: 80 }),
      fc.nat(10 * hour),
      (all, from) => {
        const now = 12 * hour;
        const open = all.filter(({ until }) => until === undefined).length;
        const kept = bounded(all, now);
        expect(kept.length).toBeLessThanOrEqual(Math.max(50, open + 1));
        const timer = { from, timeoutMs: hour };
        for (const those of [pausesOfAll, pausesOfDrain]) {
          const before = deadlineOf(timer, those(pausesUntil(all, now)));
          const after = deadlineOf(timer, those(pausesUntil(kept, now)));
          expect(after).toBeGreaterThanOrEqual(before);
        }
      },
    ),
  );
});

test('a stop still counts for drains when it becomes one with outages of the target cluster', () => {
  const outages = Array.from({ length: 50 }, (_, index): NotedPause => {
    const from = 3 * hour + index * 60_000;
    return { reason: 'target', from, until: from + 20_000 };
  });
  const first: NotedPause = { reason: 'target', from: 0, until: 20_000 };
  const stop: NotedPause = { reason: 'stop', from: 30_000, until: 2 * hour };
  const kept = pausesUntil(bounded([first, stop, ...outages], 5 * hour), 5 * hour);
  const deadline = deadlineOf({ from: 0, timeoutMs: 2 * hour }, pausesOfDrain(kept));
  expect(deadline).toBeGreaterThanOrEqual(4 * hour - 30_000);
});
