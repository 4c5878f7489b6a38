import fc from 'fast-check';
import { isNewer } from '../../../kube/cache/resource-version.ts';
import { isOfOtherPlace, checkpointOf, read, write } from '../../../watcher/cache/checkpoint.ts';

test('a checkpoint is where the watch stands, or just before the oldest signal that has not arrived', () => {
  const seen = { machines: '120', nodes: '99', secrets: '7' };
  const undelivered = { machines: '100', nodes: '200' };
  const checkpoint = checkpointOf({
    seen: (resource) => new Map(Object.entries(seen)).get(resource),
    oldestUndelivered: (resource) => new Map(Object.entries(undelivered)).get(resource),
  });
  expect(checkpoint).toEqual({ machines: '99', nodes: '99', secrets: '7' });
});

const scope = { place: 'cluster', target: 'shoot' };
const other = { ...scope, place: 'other' };

test('a checkpoint is read back as it was written', () => {
  const checkpoint = { machines: '120', nodes: '99' };
  expect(read(write(checkpoint, scope), scope)).toEqual(checkpoint);
});

test('versions of the Nodes of another target cluster mean nothing, and the others stay', () => {
  const text = write({ machines: '120', nodes: '99' }, scope);
  expect(read(text, { ...scope, target: 'made anew' })).toEqual({ machines: '120' });
});

test.each([
  { name: 'none', text: undefined },
  { name: 'damaged', text: '{"scope":' },
  { name: 'not an object', text: '7' },
  { name: 'of another cluster', text: write({ machines: '1' }, other) },
  { name: 'not a version', text: '{"scope":"cluster","machines":"-1","nodes":5}' },
])(
  'a checkpoint that is not usable ($name) makes the watcher signal everything again',
  ({ text }) => {
    expect(read(text, scope)).toEqual({});
  },
);

test.each([
  { name: 'none', text: undefined, isOther: false },
  { name: 'damaged', text: '{"scope":', isOther: false },
  { name: 'ours', text: write({ machines: '1' }, scope), isOther: false },
  { name: 'of another database of Temporal', text: write({}, other), isOther: true },
])('a checkpoint ($name) is of another place: $isOther', ({ text, isOther }) => {
  expect(isOfOtherPlace(text, scope)).toBe(isOther);
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
