/** Decisions 15 and 58, with random answers of DisruptionPolicies. */
import fc from 'fast-check';
import type { SimulatedPolicies } from '../../../../../cli/plan/simulation.ts';
import { simulate } from '../../../../../cli/plan/simulation.ts';
import {
  unavailableOf,
  surgeOf,
} from '../../../../../workflows/plan/machine-deployment/fenceposts.ts';
import type { RolloutGate } from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { Pool } from '../transcripts/story.ts';
import { changed, classOf, goingIn, poolOf } from '../transcripts/story.ts';

const start = Date.parse('2026-01-02T00:00:00Z');
const minute = 60_000;
const pace = { creation: 3 * minute, deletion: 2 * minute, drain: minute, update: 4 * minute };
/** From then on one machine may be on its way, always. */
const opensAfter = 60;

const of = { policy: 'db', why: 'chance' };

/** For a minute each. */
const answers = fc.array(
  fc.oneof(
    fc.constant<RolloutGate>({}),
    fc
      .constantFrom('time' as const, 'turn' as const, 'fault' as const)
      .map((kind): RolloutGate => ({
        closed: { ...of, kind },
      })),
    fc.nat(2).map((count): RolloutGate => ({ machines: { ...of, count } })),
  ),
  { minLength: 1, maxLength: 8 },
);

const rollouts = fc.record({
  answers,
  machines: fc.integer({ min: 1, max: 6 }),
  lost: fc.nat(2),
  strategy: fc.constantFrom(
    '{maxSurge: 1, maxUnavailable: 0}',
    '{maxSurge: 0, maxUnavailable: 1}',
    '{maxSurge: 2, maxUnavailable: 2}',
    '{maxSurge: 50%, maxUnavailable: 50%}',
    '{maxSurge: 1, maxUnavailable: 1, millwright.dev/canary: "1"}',
    '{strategy: {type: Recreate, rollingUpdate: null}}',
  ),
  scaled: fc.option(fc.record({ at: fc.nat(opensAfter), replicas: fc.nat(8) })),
});

const sizeOf = (set: Pool['sets'][number]): number => set.spec.replicas ?? 0;
const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);

/** Two moments between which the planner and the sets did what they do. */
interface Moment {
  now: number;
  answer: RolloutGate;
  total: number;
  old: number;
  available: number;
  going: number;
  replicas: number;
}

function momentOf(pool: Pool, now: number, answer: RolloutGate): Moment {
  const { sets, machines, deployment } = pool;
  const available = sets.map((set) => {
    const running = machines.filter(
      ({ metadata, status }) =>
        metadata.ownerReferences?.[0]?.uid === set.metadata.uid &&
        metadata.deletionTimestamp === undefined &&
        status?.currentStatus?.phase === 'Running',
    );
    return Math.min(running.length, sizeOf(set));
  });
  const old = sets.filter((set) => classOf(set) !== 'v2').map(sizeOf);
  return {
    now,
    answer,
    total: sum(sets.map(sizeOf)),
    old: sum(old),
    available: sum(available),
    going: goingIn(pool),
    replicas: deployment.spec.replicas ?? 0,
  };
}

function check({ deployment }: Pool, before: Moment, after: Moment): void {
  const { spec } = deployment;
  const { replicas, answer } = before;
  const taken = before.old - after.old;
  if (answer.closed) {
    expect(taken).toBeLessThanOrEqual(Math.max(before.total - replicas, 0));
    expect(after.total).toBeLessThanOrEqual(Math.max(before.total, replicas));
    // When all that can be done at once is done.
    const isAtRest = after.now > before.now && before.going === 0;
    if (isAtRest) expect(before.total).toBeGreaterThanOrEqual(replicas);
  }
  if (answer.machines) {
    const excess = Math.max(before.total - replicas - surgeOf(spec), 0);
    expect(taken).toBeLessThanOrEqual(answer.machines.count + excess);
  }
  if (spec.strategy?.type === 'Recreate') return;
  const floor = Math.min(replicas - unavailableOf(spec), before.available);
  expect(after.available).toBeGreaterThanOrEqual(floor);
}

type Case = typeof rollouts extends fc.Arbitrary<infer T> ? T : never;

function play({ answers: given, machines, lost, strategy, scaled }: Case) {
  let before: Moment | undefined;
  const policies: SimulatedPolicies = (pool, now) => {
    const minutes = Math.floor((now - start) / minute);
    const answer =
      minutes < opensAfter
        ? until(given[minutes % given.length] ?? {}, start + (minutes + 1) * minute)
        : { machines: { ...of, count: Math.max(1 - goingIn(pool), 0) } };
    const moment = momentOf(pool, now, answer);
    if (before) check(pool, before, moment);
    before = moment;
    return { gate: answer };
  };
  const story = { title: '', machines: { v1: machines }, settings: strategy, events: {} };
  let pool = changed(poolOf(story), `{lost: {v1: ${lost}}, class: v2}`, start);
  let now = start;
  let remembered = {};
  const at = start + (scaled?.at ?? -1) * minute;
  // As far as what comes by itself goes.
  for (let next = now; next <= at;) {
    const part = simulate(pool, pace, { now: next, until: next, policies, remembered });
    ({ objects: pool, remembered } = part);
    now = next;
    next = part.nextAt ?? Infinity;
  }
  if (scaled) {
    pool = changed(pool, `replicas: ${scaled.replicas}`, at);
    now = at;
    before = undefined;
  }
  return simulate(pool, pace, { now, policies, remembered });
}

function until(answer: RolloutGate, at: number): RolloutGate {
  const { closed } = answer;
  return closed ? { closed: { ...closed, until: at } } : { ...answer, until: at };
}

test('a rollout takes no more than it may, serves replicas meanwhile, and ends', () => {
  fc.assert(
    fc.property(rollouts, (one) => {
      const { plan, objects, isCut } = play(one);
      expect(isCut).toBe(false);
      expect(plan.state).toBe('Complete');
      const { replicas } = objects.deployment.spec;
      const sizes = objects.sets.filter((set) => sizeOf(set) > 0);
      expect(sizes.map((set) => [classOf(set), sizeOf(set)])).toEqual(
        replicas === 0 ? [] : [['v2', replicas]],
      );
    }),
    { numRuns: 200 },
  );
});
