import { hangFinder, longestFileMinutes } from './hang-guard.ts';

const limitMs = longestFileMinutes * 60_000;

test('a file that has run for too long is named, with the test that it is in', () => {
  const hangs = hangFinder();
  const running = { testPath: 'a.test.ts', currentTestName: 'hangs' };
  expect(hangs(running, 1_000)).toBeUndefined();
  expect(hangs(running, 999 + limitMs)).toBeUndefined();
  expect(hangs(running, 1_000 + limitMs)).toBe(
    'a.test.ts has run for 60 minutes and is ended, at or after: hangs',
  );
});

test('each file has its own time, and a process without one has none', () => {
  const hangs = hangFinder();
  expect(hangs({}, 2 * limitMs)).toBeUndefined();
  expect(hangs({ testPath: 'a.test.ts' }, 2 * limitMs)).toBeUndefined();
  expect(hangs({ testPath: 'b.test.ts' }, 3 * limitMs)).toBeUndefined();
  expect(hangs({ testPath: 'b.test.ts' }, 4 * limitMs)).toContain('before its first test');
});
