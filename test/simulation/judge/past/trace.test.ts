import { horizonMs, Trace } from './trace.ts';

function climbing(): Trace<number> {
  const trace = new Trace(100, 0);
  for (const at of [200, 300, 400]) trace.set(at, at / 100);
  return trace;
}

test.each([
  [0, 0],
  [100, 0],
  [199, 0],
  [200, 2],
  [399, 3],
  [Infinity, 4],
])('at %d it was %d', (moment, value) => {
  expect(climbing().at(moment)).toBe(value);
});

test('since a moment it was what it was then, and all that came later', () => {
  expect(climbing().since(250)).toEqual([2, 3, 4]);
  expect(climbing().momentsSince(250)).toEqual([250, 300, 400]);
  expect(climbing().since(1_000)).toEqual([4]);
});

test('since a moment it came to be true so many times', () => {
  const trace = new Trace(0, true);
  for (const at of [1, 2, 3, 4, 5]) trace.set(at * 100, at % 2 === 0);
  expect([0, 150, 200, 399, 400].map((moment) => trace.timesSince(moment))).toEqual([
    2, 2, 1, 1, 0,
  ]);
});

test('of one moment only the end counts', () => {
  const trace = climbing();
  trace.set(400, 7);
  trace.set(500, 7);
  expect(trace.since(0)).toEqual([0, 2, 3, 7]);
  expect(trace.momentsSince(0)).toEqual([0, 200, 300, 400]);
});

test('what was before the horizon is forgotten, but for what still counted there', () => {
  const trace = new Trace(0, 0);
  const stepMs = horizonMs / 10;
  for (let step = 1; step <= 100; step += 1) trace.set(step * stepMs, step);
  expect(trace.at(90 * stepMs)).toBe(90);
  expect(trace.at(90.5 * stepMs)).toBe(90);
  expect(trace.since(0).length).toBeLessThan(40);
});
