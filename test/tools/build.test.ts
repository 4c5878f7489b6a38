import { expect, test } from 'vitest';
import { partsFrom } from '../../tools/build/build.ts';
import { entranceIn } from '../../tools/build/thread-entrance.ts';

test('both parts are built unless one is asked for', () => {
  expect(partsFrom([])).toEqual(['image', 'cli']);
  expect(partsFrom(['cli'])).toEqual(['cli']);
  expect(() => partsFrom(['chart'])).toThrow('--only: "chart" is not one of image, cli');
});

test('the thread of the sandbox starts in what was built, or the build fails', () => {
  expect(entranceIn("new URL('lean-thread.ts', import.meta.url)")).toBe(
    "new URL('lean-thread.js', import.meta.url)",
  );
  expect(() => entranceIn("new URL('other.ts', import.meta.url)")).toThrow(
    "lean-creator.ts no longer names 'lean-thread.ts'",
  );
});
