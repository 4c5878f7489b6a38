import { annotations } from '../../../../workflows/api/constants.ts';
import { isSameQuantity } from '../../../../workflows/values/quantity.ts';
import type { VirtualCapacity } from '../../../../workflows/plan/machine/virtual-capacity.ts';
import { planVirtualCapacity } from '../../../../workflows/plan/machine/virtual-capacity.ts';

const key = annotations.lastAppliedVirtualCapacity;
const noted = (text: string | null) => ({ [key]: text });
const nothing = { capacity: {}, annotations: {}, isLastAppliedCorrupt: false };

interface Case {
  name: string;
  capacity: Record<string, string>;
  last?: string;
  wanted: VirtualCapacity | undefined;
  change: object;
}

test.each<Case>([
  {
    name: 'is added beside what the kubelet says',
    capacity: { cpu: '2' },
    wanted: { 'example.com/b': 5, 'example.com/a': '1' },
    change: {
      capacity: { 'example.com/a': '1', 'example.com/b': '5' },
      annotations: noted('{"example.com/a":"1","example.com/b":"5"}'),
    },
  },
  {
    name: 'in another form is the same',
    capacity: { 'example.com/a': '1' },
    last: '{"example.com/a":"1"}',
    wanted: { 'example.com/a': '1000m' },
    change: {},
  },
  {
    name: 'changes',
    capacity: { 'example.com/a': '1' },
    last: '{"example.com/a":"1"}',
    wanted: { 'example.com/a': '2' },
    change: { capacity: { 'example.com/a': '2' }, annotations: noted('{"example.com/a":"2"}') },
  },
  {
    name: 'is wanted no more',
    capacity: { cpu: '2', 'example.com/a': '1' },
    last: '{"example.com/a":"1"}',
    wanted: {},
    change: { capacity: { 'example.com/a': null }, annotations: noted(null) },
  },
  {
    name: 'of a class without a node template is left alone',
    capacity: { 'example.com/a': '1' },
    last: '{"example.com/a":"1"}',
    wanted: undefined,
    change: {},
  },
  { name: 'never was', capacity: { cpu: '2' }, wanted: {}, change: {} },
  {
    name: 'cannot be read any more',
    capacity: { 'example.com/a': '1' },
    last: 'nonsense',
    wanted: {},
    change: { annotations: noted(null), isLastAppliedCorrupt: true },
  },
])('a virtual capacity that $name', ({ capacity, last, wanted, change }) => {
  const node = { capacity, annotations: last === undefined ? {} : { [key]: last } };
  expect(planVirtualCapacity(node, wanted)).toEqual({ ...nothing, ...change });
});

test.each([
  ['1', '1000m', true],
  ['1Ki', '1024', true],
  ['16Gi', '16384Mi', true],
  ['1e3', '1k', true],
  ['1', '2', false],
  ['', '0', false],
  ['nonsense', 'nonsense', true],
  ['nonsense', 'else', false],
])('%s and %s are the same: %s', (a, b, isSame) => {
  expect(isSameQuantity(a, b)).toBe(isSame);
});
