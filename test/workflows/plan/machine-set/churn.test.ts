import type { Churn } from '../../../../workflows/plan/machine-set/churn.ts';
import {
  afterReplacement,
  isOver,
  unjoinedAmong,
} from '../../../../workflows/plan/machine-set/churn.ts';
import type { MachineFact } from '../../../../workflows/plan/machine-set/scale-down.ts';
import { aFact } from './machine-fact.ts';

const now = 10_000_000;
const churn: Churn = { rounds: 2, since: now - 90_000, at: now - 20_000, waitMs: 20_000 };

/** Failed before it joined, `agoMs` ago. */
const unjoined = (name: string, agoMs: number, changes: Partial<MachineFact> = {}): MachineFact =>
  aFact({ name, phase: 'Failed', unjoinedSince: now - agoMs, ...changes });

test.each<{
  name: string;
  machines: MachineFact[];
  churn?: Churn;
  free: string[];
  held: string[];
  nextAt?: number;
}>([
  {
    name: 'at first all',
    machines: [unjoined('a', 0), unjoined('b', 0)],
    free: ['a', 'b'],
    held: [],
  },
  {
    name: 'none of those that have joined',
    machines: [aFact({ phase: 'Failed' })],
    churn,
    free: [],
    held: [],
  },
  {
    name: 'none that is preserved',
    machines: [unjoined('a', 0, { preserve: 'now' })],
    churn,
    free: [],
    held: [],
  },
  {
    name: 'none that is going',
    machines: [unjoined('a', 0, { isDeleting: true })],
    churn,
    free: [],
    held: [],
  },
  {
    name: 'one, when the wait since the last one and since its failure is over',
    machines: [unjoined('a', 20_000), unjoined('b', 0)],
    churn,
    free: ['a'],
    held: ['b'],
    nextAt: now + 20_000,
  },
  {
    name: 'none while it failed only just now',
    machines: [unjoined('a', 5_000)],
    churn,
    free: [],
    held: ['a'],
    nextAt: now + 15_000,
  },
  {
    name: 'none so soon after the last one',
    machines: [unjoined('a', 60_000)],
    churn: { ...churn, at: now - 1_000 },
    free: [],
    held: ['a'],
    nextAt: now + 19_000,
  },
])('replaced is $name', ({ machines, free, held, nextAt, ...given }) => {
  const outcome = unjoinedAmong(machines, { churn: given.churn, now });
  expect(outcome).toEqual({ free, held, ...(nextAt !== undefined && { nextAt }) });
});

test.each([
  { name: 'a machine that is newer joined', createdAt: [0, now - 80_000], wanted: 3, over: true },
  { name: 'an older one lives on', createdAt: [0, now - 91_000], wanted: 3, over: false },
  { name: 'as many as are wanted have joined', createdAt: [0], wanted: 1, over: true },
  { name: 'none is wanted', createdAt: [], wanted: 0, over: true },
])('it is over where $name: $over', ({ createdAt, wanted, over }) => {
  expect(isOver(churn, { createdAt, wanted })).toBe(over);
});

test('each round waits twice as long as the one before, up to half an hour', () => {
  const waits: number[] = [];
  let last: Churn | undefined;
  for (let round = 0; round < 12; round += 1) {
    last = afterReplacement(last, { now: now + round, random: 0 });
    waits.push(last.waitMs / 1_000);
  }
  expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 1_280, 1_800, 1_800, 1_800, 1_800]);
  expect(last).toMatchObject({ rounds: 12, since: now, at: now + 11 });
});
