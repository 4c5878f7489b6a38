/** Decision 59 with random worlds: what may be missing, what is made, and that updates end. */
import fc from 'fast-check';
import { controllerOf } from '../../../../../kube/objects/owners.ts';
import type { SimulatedPolicies } from '../../../../../cli/plan/simulation.ts';
import { simulate } from '../../../../../cli/plan/simulation.ts';
import { inPlaceReasonOf } from '../../../../../workflows/api/in-place.ts';
import type { RolloutGate } from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { Machine } from '../../../../../workflows/api/machine.ts';
import {
  surgeOf,
  unavailableOf,
} from '../../../../../workflows/plan/machine-deployment/fenceposts.ts';
import type { Pool } from '../transcripts/story.ts';
import { changed, classOf, poolOf } from '../transcripts/story.ts';

const start = Date.parse('2026-01-02T00:00:00Z');
const minute = 60_000;
const pace = { creation: 3 * minute, deletion: 2 * minute, drain: minute, update: 4 * minute };

const count = (of: string) =>
  fc.constantFrom('v1', 'v2', 'v3').map((name) => `${of}: {${name}: 1}`);

const events = fc.array(
  fc.record({
    at: fc.integer({ min: 1, max: 50 }),
    change: fc.oneof(
      fc.nat(7).map((replicas) => `replicas: ${replicas}`),
      count('failed'),
      count('lost'),
      count('deleted'),
      count('updateFailed'),
      fc.constantFrom(
        'paused: true',
        'paused: false',
        'rollbackTo: {revision: 0}',
        'class: v3',
        'class: v1',
        'class: v2',
      ),
    ),
  }),
  { maxLength: 4 },
);

const db = { policy: 'db', why: 'chance' };
/** Until then, for a minute each. */
const opensAfter = 40;

const answers = fc.array(
  fc.oneof(
    fc.constant<RolloutGate>({}),
    fc.constant<RolloutGate>({ closed: { ...db, kind: 'time' } }),
    fc.nat(2).map((machines): RolloutGate => ({ machines: { ...db, count: machines } })),
  ),
  { maxLength: 6 },
);

const updates = fc.record({
  /** What DisruptionPolicies say; empty: there are none. */
  answers,
  machines: fc.integer({ min: 1, max: 6 }),
  /** Of a set before that one. */
  older: fc.nat(2),
  bounds: fc.constantFrom(
    'maxSurge: 0, maxUnavailable: 1, orchestrationType: Auto',
    'maxSurge: 0, maxUnavailable: 3, orchestrationType: Auto',
    'maxSurge: 1, maxUnavailable: 0, orchestrationType: Auto',
    'maxSurge: 2, maxUnavailable: 1, orchestrationType: Auto',
    'maxSurge: 50%, maxUnavailable: 50%, orchestrationType: Auto',
    'maxSurge: 1, maxUnavailable: 0, orchestrationType: Manual',
    'maxSurge: 1, maxUnavailable: 2, orchestrationType: Manual',
  ),
  options: fc.constantFrom(
    '',
    ', millwright.dev/in-place-failure: replace',
    ', millwright.dev/canary: "1 for 5m, 2"',
  ),
  events: events.map((all) => all.toSorted((a, b) => a.at - b.at)),
  isRepaired: fc.boolean(),
});

type Case = typeof updates extends fc.Arbitrary<infer T> ? T : never;

const sum = (counts: number[]): number => counts.reduce((total, one) => total + one, 0);
const sizeOf = (set: Pool['sets'][number]): number => set.spec.replicas ?? 0;
const isGoing = ({ metadata }: Machine): boolean => metadata.deletionTimestamp !== undefined;
const isRunning = ({ status }: Machine): boolean => status?.currentStatus?.phase === 'Running';
const nameOf = ({ metadata }: Machine): string => metadata.name;

/** Selected, and not updated yet. */
function isSelected(machine: Machine): boolean {
  const reason = inPlaceReasonOf(machine.status?.conditions);
  return reason !== undefined && !['CandidateForUpdate', 'UpdateSuccessful'].includes(reason);
}

interface Moment {
  now: number;
  gate: RolloutGate | undefined;
  total: number;
  selected: string[];
  /** They run, stay, and are not selected. */
  serving: string[];
}

function momentOf({ sets, machines }: Pool, now: number, gate: Moment['gate']): Moment {
  const own = machines.filter((machine) => !isGoing(machine));
  const staying = sets.flatMap((set) =>
    own.filter((machine) => controllerOf(machine)?.uid === set.metadata.uid),
  );
  const running = staying.filter(isRunning);
  return {
    now,
    gate,
    total: sum(sets.map(sizeOf)),
    selected: staying.filter(isSelected).map(nameOf),
    serving: running.filter((machine) => !isSelected(machine)).map(nameOf),
  };
}

/** What the planner alone did between two moments. */
function check({ deployment }: Pool, before: Moment, after: Moment): void {
  const { spec } = deployment;
  const { replicas = 0 } = spec;
  const floor = replicas - unavailableOf(spec);
  const taken = before.serving.filter((name) => !after.serving.includes(name));
  if (taken.length > 0) expect(after.serving.length).toBeGreaterThanOrEqual(floor);
  // When all that can be done at once is done.
  if (after.now > before.now) expect(before.total).toBeGreaterThanOrEqual(replicas);
  expect(after.total).toBeLessThanOrEqual(Math.max(before.total, replicas + surgeOf(spec)));
  if (after.selected.length > before.selected.length) checkSelected(spec, before, after);
}

function checkSelected(
  { replicas = 0, ...spec }: Pool['deployment']['spec'],
  before: Moment,
  after: Moment,
): void {
  if (spec.template.spec?.class?.name === 'v3') {
    const more = after.selected.filter((name) => !before.selected.includes(name)).length;
    const { closed, machines } = before.gate ?? {};
    expect(more).toBeLessThanOrEqual(closed ? 0 : (machines?.count ?? Infinity));
  }
  if (spec.strategy?.inPlaceUpdate?.orchestrationType === 'Auto') {
    const floor = replicas - unavailableOf({ replicas, ...spec });
    const most = Math.max(after.total, before.total) - floor;
    expect(after.selected.length).toBeLessThanOrEqual(most);
  }
}

function gateAt(given: readonly RolloutGate[], now: number): RolloutGate | undefined {
  const minutes = Math.floor((now - start) / minute);
  const answer = given[minutes % given.length];
  if (!answer || minutes >= opensAfter) return answer && {};
  const until = start + (minutes + 1) * minute;
  const { closed } = answer;
  return closed ? { closed: { ...closed, until } } : { ...answer, until };
}

function play({ answers: given, machines, older, bounds, options, events: all, ...rest }: Case) {
  const { isRepaired } = rest;
  let before: Moment | undefined;
  const watch: SimulatedPolicies = (pool, now) => {
    const gate = gateAt(given, now);
    const moment = momentOf(pool, now, gate);
    if (before) check(pool, before, moment);
    before = moment;
    return gate && { gate };
  };
  const settings = `{inPlace: {${bounds}}${options}}`;
  const story = { title: '', machines: { v1: older, v2: machines }, settings, events: {} };
  let pool = changed(poolOf(story), 'class: v3', start);
  let [from, now] = [start, start];
  let remembered = {};
  const told = [...all];
  for (let turns = 0; turns < 500; turns += 1) {
    const part = simulate(pool, pace, { now: from, until: now, policies: watch, remembered });
    ({ objects: pool, remembered } = part);
    from = now;
    const { plan } = part;
    const [event] = told;
    const at = event ? start + event.at * minute : Infinity;
    const next = part.nextAt ?? Infinity;
    const happens = event && at <= next ? event.change : helpFor(pool, plan, isRepaired);
    if (event && at <= next) {
      told.shift();
      now = at;
    } else if (next < Infinity) {
      now = next;
      continue;
    }
    if (happens === undefined) return { pool, plan };
    pool = changed(pool, happens, now);
    before = undefined;
  }
  throw new Error('has no end');
}

type Plan = ReturnType<typeof simulate>['plan'];

/** What a person, or a health timeout, does where nothing goes on by itself. */
function helpFor({ deployment, sets, machines }: Pool, { blockedBy }: Plan, isRepaired: boolean) {
  if (deployment.spec.paused) return 'paused: false';
  const classIn = (of: (machine: Machine) => boolean): string | undefined => {
    const found = machines.find((machine) => !isGoing(machine) && of(machine));
    const set = sets.find(({ metadata }) => metadata.uid === (found && controllerOf(found)?.uid));
    return set && classOf(set);
  };
  if (blockedBy === 'canary') {
    const revisions = sets.map(
      ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'],
    );
    const newest = Math.max(...revisions.map(Number));
    return `millwright.dev/canary-passed: "${newest}"`;
  }
  if (blockedBy === 'manual') {
    const name = classIn(
      (machine) => inPlaceReasonOf(machine.status?.conditions) === 'CandidateForUpdate',
    );
    return `selected: {${name}: 1}`;
  }
  const broken = classIn(({ status }) => inPlaceReasonOf(status?.conditions) === 'UpdateFailed');
  if (broken) return isRepaired ? `updatedAgain: {${broken}: 1}` : `failed: {${broken}: 1}`;
  const unknown = classIn(({ status }) => status?.currentStatus?.phase === 'Unknown');
  return unknown && `failed: {${unknown}: 1}`;
}

test('an update keeps what is to serve, makes no more than is missing, and ends', () => {
  fc.assert(
    fc.property(updates, (one) => {
      const { pool, plan } = play(one);
      expect(plan).toMatchObject({ state: 'Complete' });
      const { replicas = 0, template } = pool.deployment.spec;
      const sized = pool.sets.filter((set) => sizeOf(set) > 0);
      expect(sized.map((set) => [classOf(set), sizeOf(set)])).toEqual(
        replicas === 0 ? [] : [[template.spec?.class?.name, replicas]],
      );
      const left = pool.machines.map(({ status }) => inPlaceReasonOf(status?.conditions));
      expect(left.filter((reason) => reason !== undefined)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test('without trouble only the surge is made, and goes', () => {
  const calm = updates.filter(
    ({ bounds, options }) => bounds.endsWith('Auto') && !options.includes('canary'),
  );
  fc.assert(
    fc.property(calm, ({ machines, older, bounds }) => {
      const settings = `{inPlace: {${bounds}}}`;
      const story = { title: '', machines: { v1: older, v2: machines }, settings, events: {} };
      const pool = changed(poolOf(story), 'class: v3', start);
      const surge = Math.min(surgeOf(pool.deployment.spec), machines + older);
      const { created, deleted, updated } = simulate(pool, pace, { now: start });
      expect([created, deleted, updated]).toEqual([surge, surge, machines + older - surge]);
    }),
    { numRuns: 50 },
  );
});
