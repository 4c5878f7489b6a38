/** Decision 15 with random waves: what each lets grow, when it ends, and that rollouts end. */
import fc from 'fast-check';
import { simulate } from '../../../../../cli/plan/simulation.ts';
import { options } from '../../../../../workflows/api/constants.ts';
import type { Pool } from '../transcripts/story.ts';
import { changed, classOf, poolOf } from '../transcripts/story.ts';

const start = Date.parse('2026-01-02T00:00:00Z');
const minute = 60_000;
const pace = { creation: 3 * minute, deletion: 2 * minute, drain: minute, update: 4 * minute };
const surge = 2;

const sizes = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  fc
    .uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 4 })
    .map((shares) => shares.map((share) => share / 100)),
);

/** Minutes; 0: until a person resumes. */
const times = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 4, maxLength: 4 });

const rollouts = fc.record({
  sizes: sizes.map((all) => all.toSorted((a, b) => a - b)),
  times,
  machines: fc.integer({ min: 1, max: 9 }),
  failed: fc.option(fc.integer({ min: 0, max: 90 })),
  scaled: fc.option(fc.record({ at: fc.nat(90), replicas: fc.nat(12) })),
});

type Case = typeof rollouts extends fc.Arbitrary<infer T> ? T : never;

function textOf({ sizes: all, times: minutes }: Case): string {
  return all
    .map((size, index) => {
      const time = minutes[index] ?? 0;
      const text = size < 1 ? `${Math.round(size * 100)}%` : String(size);
      return time === 0 ? text : `${text} for ${time}m`;
    })
    .join(', ');
}

const isNew = (name = ''): boolean => name === 'v2';
const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);

/** What a test can see of a rollout, with a memory of its own. */
class Watch {
  readonly #of: Case;
  #size = 0;
  #total = Infinity;
  #passed = 0;
  /** Since when all machines of the present wave were there; absent: not yet. */
  #since: number | undefined;
  #failedAt = -Infinity;

  constructor(of: Case) {
    this.#of = of;
  }

  noteFailure(now: number): void {
    this.#failedAt = now;
  }

  /** `isByPerson`: a person has just ended a wave. */
  see({ deployment, sets, machines }: Pool, now: number, isByPerson: boolean): void {
    const { replicas = 0 } = deployment.spec;
    const size = sum(sets.filter((set) => isNew(classOf(set))).map(sizeOf));
    const total = sum(sets.map(sizeOf));
    const passed = passedIn(deployment.metadata.annotations?.[options.canaryPassed]);
    const running = machines.filter(
      ({ spec, metadata, status }) =>
        isNew(spec.class?.name) &&
        metadata.deletionTimestamp === undefined &&
        status?.currentStatus?.phase === 'Running',
    );
    const ended = Array.from({ length: passed - this.#passed }, (_, index) => this.#passed + index);
    for (const wave of isByPerson ? [] : ended) this.#expectEnd(wave, now);
    if (passed !== this.#passed) this.#since = undefined;
    this.#passed = passed;
    const isOver = machines.every(({ spec }) => isNew(spec.class?.name));
    const limit = isOver ? replicas : this.#limitOf(passed, replicas);
    expect(size).toBeLessThanOrEqual(Math.max(limit, this.#size));
    expect(total).toBeLessThanOrEqual(Math.max(this.#total, replicas + surge));
    if (size >= limit && running.length >= size) this.#since ??= now;
    this.#size = size;
    this.#total = total;
  }

  #limitOf(wave: number, replicas: number): number {
    const all = this.#of.sizes.slice(0, wave + 1);
    if (wave >= this.#of.sizes.length) return replicas;
    const counts = all.map((size) => (size < 1 ? Math.ceil(rounded(size * replicas)) : size));
    return Math.min(Math.max(...counts, 1), replicas);
  }

  #expectEnd(wave: number, now: number): void {
    const time = (this.#of.times[wave] ?? 0) * minute;
    expect(time).toBeGreaterThan(0);
    expect(this.#since).toBeDefined();
    expect(now - (this.#since ?? now)).toBeGreaterThanOrEqual(time);
    expect(this.#failedAt).toBeLessThanOrEqual(this.#since ?? 0);
  }
}

const sizeOf = (set: Pool['sets'][number]): number => set.spec.replicas ?? 0;
const rounded = (count: number): number => Number(count.toFixed(6));
const passedIn = (text = '2:0'): number => Number(text.split(':')[1]);

function play(of: Case) {
  const settings = `{maxSurge: ${surge}, maxUnavailable: 0, millwright.dev/canary: "${textOf(of)}"}`;
  const story = { title: '', machines: { v1: of.machines }, settings, events: {} };
  const events = [
    { at: 0, change: 'class: v2' },
    ...(of.failed === null ? [] : [{ at: of.failed, change: 'failed: {v2: 1}' }]),
    ...(of.scaled ? [{ at: of.scaled.at, change: `replicas: ${of.scaled.replicas}` }] : []),
  ].toSorted((a, b) => a.at - b.at);
  const watch = new Watch(of);
  let pool = poolOf(story);
  let [before, now] = [start, start];
  let isByPerson = false;
  for (let turns = 0; turns < 500; turns += 1) {
    const part = simulate(pool, pace, { now: before, until: now });
    pool = part.objects;
    watch.see(pool, now, isByPerson);
    isByPerson = false;
    before = now;
    const [event] = events;
    const eventAt = event ? start + event.at * minute : Infinity;
    const next = Math.min(part.nextAt ?? Infinity, eventAt);
    if (event && eventAt <= now) {
      if (event.change.startsWith('failed')) watch.noteFailure(now);
      pool = changed(pool, event.change, now);
      events.shift();
    } else if (next < Infinity) now = next;
    else if (part.plan.blockedBy === 'canary' && part.plan.heldUntil === undefined) {
      const passed = passedIn(pool.deployment.metadata.annotations?.[options.canaryPassed]);
      pool = changed(pool, `{${options.canaryPassed}: "2:${passed + 1}"}`, now);
      isByPerson = true;
    } else return { pool, plan: part.plan };
  }
  throw new Error('has no end');
}

test('waves keep the new set small, end when all went well for their time, and every rollout ends', () => {
  fc.assert(
    fc.property(rollouts, (of) => {
      const { pool, plan } = play(of);
      expect(plan.state).toBe('Complete');
      const { replicas = 0 } = pool.deployment.spec;
      const sized = pool.sets.filter((set) => sizeOf(set) > 0);
      expect(sized.map((set) => [classOf(set), sizeOf(set)])).toEqual(
        replicas === 0 ? [] : [['v2', replicas]],
      );
    }),
    { numRuns: 50 },
  );
});
