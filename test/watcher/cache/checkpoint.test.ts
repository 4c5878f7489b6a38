import { expect, test } from 'vitest';
import fc from 'fast-check';
import { isNewer } from '../../../activities/kube/cache/resource-version.ts';
import { isOfOtherScope, checkpointOf, read, write } from '../../../watcher/cache/checkpoint.ts';

test('a checkpoint is where the watch stands, or just before the oldest signal that has not arrived', () => {
  const seen = { machines: '120', nodes: '99', secrets: '7' };
  const undelivered = { machines: '100', nodes: '200' };
  const checkpoint = checkpointOf({
    seen: (resource) => new Map(Object.entries(seen)).get(resource),
    oldestUndelivered: (resource) => new Map(Object.entries(undelivered)).get(resource),
  });
  expect(checkpoint).toEqual({ machines: '99', nodes: '99', secrets: '7' });
});

test('a checkpoint is read back as it was written', () => {
  const checkpoint = { machines: '120', nodes: '99' };
  expect(read(write(checkpoint, 'cluster'), 'cluster')).toEqual(checkpoint);
});

test.each([
  { name: 'none', text: undefined },
  { name: 'damaged', text: '{"scope":' },
  { name: 'not an object', text: '7' },
  { name: 'of another cluster', text: write({ machines: '1' }, 'other') },
  { name: 'not a version', text: '{"scope":"cluster","machines":"-1","nodes":5}' },
])(
  'a checkpoint that is not usable ($name) makes the watcher signal everything again',
  ({ text }) => {
    expect(read(text, 'cluster')).toEqual({});
  },
);

test.each([
  { name: 'none', text: undefined, isOther: false },
  { name: 'damaged', text: '{"scope":', isOther: false },
  { name: 'ours', text: write({ machines: '1' }, 'cluster'), isOther: false },
  { name: 'of another database of Temporal', text: write({}, 'other'), isOther: true },
])('a checkpoint ($name) is of another scope: $isOther', ({ text, isOther }) => {
  expect(isOfOtherScope(text, 'cluster')).toBe(isOther);
});

test('resourceVersions compare as numbers', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 2n ** 64n }),
      fc.bigInt({ min: 1n, max: 2n ** 64n }),
      (a, b) => {
        expect(isNewer(String(a), String(b))).toBe(a > b);
      },
    ),
  );
});
