/** A rollout under DisruptionPolicies: decision 58. */
import {
  currentHold,
  planMachineDeployment,
  standsStill,
} from '../../../../../workflows/plan/machine-deployment/plan.ts';
import { afterSteps } from '../../../../../workflows/plan/machine-deployment/rollout/after-steps.ts';
import type {
  ClosedGate,
  DeploymentFacts,
  RolloutGate,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { withLimitedSince } from '../../../../../workflows/plan/machine-deployment/rollout/gate.ts';
import type { DeploymentStep } from '../../../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

const old = aSet({ machines: many('A', 10) });
const middle = [aSet({ machines: many('A', 10) }), theNewSet({ machines: 'AA' })];

const until = 3_600_000;
const closedGate = (changes: Partial<ClosedGate> = {}): RolloutGate => ({
  closed: { policy: 'nights', kind: 'time', why: 'until Sat 02:00', until, ...changes },
});
const closed = closedGate();
const fault = closedGate({ kind: 'fault', why: 'no such time zone' });
const bound = (count: number): RolloutGate => ({
  machines: { count, policy: 'db', why: 'one at a time' },
});

const stepsFor = (changes: Partial<DeploymentFacts>): DeploymentStep[] =>
  planMachineDeployment(someFacts(changes), 0).steps;

const disruptingIn = (steps: readonly DeploymentStep[]): string[] =>
  steps.flatMap((step) => ('disrupts' in step ? [`${step.action} ${step.name}`] : []));

describe('a step of a rollout says that it disrupts', () => {
  test.each<{ name: string; facts: Partial<DeploymentFacts>; disrupting: string[] }>([
    {
      name: 'when it makes the new set',
      facts: { sets: [old] },
      disrupting: ['createSet new'],
    },
    {
      name: 'when it makes the new set while another one gives its share of a scale-down',
      facts: {
        replicas: 5,
        sets: [
          aSet({ machines: many('A', 6), desired: 10, max: 12 }),
          aSet({ name: 'older', machines: 'AAAA', desired: 10, max: 12 }),
        ],
      },
      disrupting: ['createSet new'],
    },
    {
      name: 'when it takes old machines and makes new ones',
      facts: {
        maxUnavailable: 2,
        sets: [aSet({ machines: many('A', 9) }), theNewSet({ machines: 'A' })],
      },
      disrupting: ['scaleSet new', 'scaleSet old'],
    },
    {
      name: 'when all old machines go at once',
      facts: { strategy: 'Recreate', sets: [old] },
      disrupting: ['scaleSet old'],
    },
    {
      name: 'not when there is no old machine',
      facts: { sets: [] },
      disrupting: [],
    },
    {
      name: 'not when all old machines are gone',
      facts: { strategy: 'Recreate', sets: [aSet()] },
      disrupting: [],
    },
    {
      name: 'not when replicas are lowered',
      facts: {
        replicas: 5,
        sets: [
          aSet({ machines: many('A', 6), desired: 10, max: 12 }),
          theNewSet({ machines: many('A', 4), desired: 10, max: 12 }),
        ],
      },
      disrupting: [],
    },
    {
      name: 'not when the only set follows replicas',
      facts: { sets: [theNewSet({ machines: 'AAAA' })] },
      disrupting: [],
    },
    {
      name: 'not when people take the machines',
      facts: { strategy: 'OnDelete', sets: [old] },
      disrupting: [],
    },
  ])('$name', ({ facts, disrupting }) => {
    expect(disruptingIn(stepsFor({ ...facts, gate: {} }))).toEqual(disrupting);
  });

  test('only where a policy selects the deployment', () => {
    expect(disruptingIn(stepsFor({ sets: [old] }))).toEqual([]);
    expect(disruptingIn(stepsFor({ sets: middle }))).toEqual([]);
  });
});

/** Name and size of each set that is made or changes. */
const sizesIn = (steps: readonly DeploymentStep[]): string[] =>
  steps.flatMap((step) =>
    step.action === 'createSet' || step.action === 'scaleSet'
      ? [`${step.name} ${step.replicas}`]
      : [],
  );

describe('while the gate is closed', () => {
  test.each<{ name: string; facts: Partial<DeploymentFacts>; sizes: string[] }>([
    { name: 'no set is made', facts: { sets: [old] }, sizes: [] },
    {
      name: 'no old machine is taken, and none is made',
      facts: {
        maxUnavailable: 5,
        sets: [aSet({ machines: many('A', 9) }), theNewSet({ machines: 'AA' })],
      },
      sizes: [],
    },
    {
      name: 'not one that does not work either',
      facts: { maxUnavailable: 5, sets: [aSet({ machines: 'U' + many('A', 9) })] },
      sizes: [],
    },
    { name: 'Recreate waits as well', facts: { strategy: 'Recreate', sets: [old] }, sizes: [] },
    {
      name: 'what the rollout has taken comes as a new machine, once there is room',
      facts: {
        maxSurge: 0,
        sets: [aSet({ machines: many('A', 8) }), theNewSet({ machines: 'A' })],
      },
      sizes: ['new 2'],
    },
    {
      name: 'one that still drains leaves no room',
      facts: { maxSurge: 0, sets: [aSet({ machines: many('A', 9), going: 1 }), theNewSet()] },
      sizes: [],
    },
    {
      name: 'a new set that works on its size leaves none either',
      facts: {
        maxSurge: 0,
        sets: [aSet({ machines: many('A', 8) }), theNewSet({ machines: 'A', isObserved: false })],
      },
      sizes: [],
    },
    {
      name: 'an old one comes where a new one fails',
      facts: {
        maxSurge: 0,
        sets: [
          aSet({ machines: many('A', 8) }),
          theNewSet({ machines: 'U', failing: { name: 'new-1', why: 'quota' } }),
        ],
      },
      sizes: ['old 9'],
    },
    {
      name: 'an old one comes where the new set can make none',
      facts: {
        maxSurge: 0,
        sets: [
          aSet({ machines: many('A', 8) }),
          theNewSet({ machines: 'A', problem: 'no such class' }),
        ],
      },
      sizes: ['old 9'],
    },
    {
      name: 'an old one comes with Recreate, also where the new set is there',
      facts: {
        strategy: 'Recreate',
        maxSurge: 0,
        sets: [aSet({ machines: many('A', 9) }), theNewSet()],
      },
      sizes: ['old 10'],
    },
    {
      name: 'an old one comes beyond the canary',
      facts: {
        maxSurge: 0,
        options: { autoRollback: false, faults: [], canary: 1 },
        sets: [aSet({ machines: many('A', 8) }), theNewSet({ machines: 'U' })],
      },
      sizes: ['old 9'],
    },
    {
      name: 'Recreate has old machines again',
      facts: { strategy: 'Recreate', maxSurge: 0, sets: [aSet({ machines: many('A', 8) })] },
      sizes: ['old 10'],
    },
    {
      name: 'more replicas are old machines',
      facts: {
        replicas: 12,
        sets: [
          aSet({ machines: many('A', 8), desired: 10 }),
          theNewSet({ machines: 'AA', desired: 10 }),
        ],
      },
      sizes: ['old 10'],
    },
    {
      name: 'fewer replicas are taken from both sets',
      facts: {
        replicas: 4,
        sets: [
          aSet({ machines: many('A', 8), desired: 10, max: 12 }),
          theNewSet({ machines: 'AAAA', desired: 10, max: 12 }),
        ],
      },
      sizes: ['old 4', 'new 2'],
    },
    {
      name: 'a pause fills up no surge',
      facts: {
        isPaused: true,
        sets: [
          aSet({ machines: many('A', 8), desired: 9 }),
          theNewSet({ machines: 'AA', desired: 9 }),
        ],
      },
      sizes: [],
    },
    {
      name: 'a paused rollout does not go on with more replicas',
      facts: {
        isPaused: true,
        replicas: 11,
        sets: [
          aSet({ machines: many('A', 8), desired: 10 }),
          theNewSet({ machines: 'AA', desired: 10 }),
        ],
      },
      sizes: ['old 9'],
    },
    {
      name: 'what is left of a rollout whose old machines all go is no question',
      facts: { sets: [aSet({ going: 2 }), theNewSet({ machines: many('A', 8) })] },
      sizes: ['new 10'],
    },
    {
      name: 'a set that is being deleted is replaced',
      facts: { sets: [{ ...old, isDeleting: true }] },
      sizes: ['new 2'],
    },
    {
      name: 'people who delete machines get new ones',
      facts: {
        strategy: 'OnDelete',
        sets: [aSet({ machines: many('A', 9), isClosed: true }), theNewSet()],
      },
      sizes: ['new 1'],
    },
  ])('$name', ({ facts, sizes }) => {
    const steps = stepsFor({ ...facts, gate: closed });
    expect(sizesIn(steps)).toEqual(sizes);
    expect(disruptingIn(steps)).toEqual([]);
  });

  test('the same goes on where it is open', () => {
    const facts = { maxUnavailable: 5, sets: [aSet({ machines: many('A', 9) }), theNewSet()] };
    expect(sizesIn(stepsFor({ ...facts, gate: {} }))).toEqual(['new 3', 'old 5']);
  });
});

const shown = (changes: Partial<DeploymentFacts>, now = 0) => {
  const { state, reason, next, blockedBy, needsPerson, ...plan } = planMachineDeployment(
    someFacts(changes),
    now,
  );
  return { state, reason, next, blockedBy, needsPerson, until: plan.until, at: plan.heldUntil };
};

describe('a rollout that waits for a policy', () => {
  test('says which, and when it goes on', () => {
    expect(shown({ sets: middle, gate: closed })).toEqual({
      state: 'Paused',
      reason: 'DisruptionPolicy nights: until Sat 02:00',
      next: 'then the rollout goes on',
      blockedBy: 'DisruptionPolicy/nights',
      until,
      at: until,
    });
  });

  test('says for whom, and asks no person', () => {
    const gate = closedGate({ kind: 'turn', why: 'pool-a rolls' });
    expect(shown({ sets: middle, gate })).toMatchObject({
      reason: 'DisruptionPolicy nights: pool-a rolls',
      next: 'then it is the turn of this rollout',
    });
    expect(shown({ sets: middle, gate }).needsPerson).toBeUndefined();
  });

  test('asks a person where those that it waits for are Blocked', () => {
    const gate = closedGate({ kind: 'turn', why: 'pool-a rolls', isBlocked: true });
    expect(shown({ sets: middle, gate })).toMatchObject({
      next: 'repair that one, or roll it back',
      needsPerson: true,
    });
  });

  test('needs a person where the policy is wrong', () => {
    expect(shown({ sets: middle, gate: fault })).toMatchObject({
      next: 'correct the policy, or take the deployment from its selector',
      needsPerson: true,
    });
  });

  test('keeps its deadline from running, and lets the Nodes go', () => {
    const facts = someFacts({ sets: middle, gate: closed });
    expect(currentHold(facts, 0)?.reason).toBe('DisruptionPolicy nights: until Sat 02:00');
    expect(standsStill(facts, 0)).toBe(true);
  });

  test('is planned again when an open gate closes', () => {
    expect(shown({ sets: middle, gate: { until } })).toMatchObject({ state: 'Progressing', until });
    const settled = [theNewSet({ machines: many('A', 10) })];
    expect(shown({ sets: settled, gate: { until } }).until).toBeUndefined();
  });

  test('takes nothing on an answer whose time is over, and asks again in a second', () => {
    const facts = { sets: middle, gate: { until } };
    expect(sizesIn(planMachineDeployment(someFacts(facts), until - 1).steps)).not.toEqual([]);
    expect(planMachineDeployment(someFacts(facts), until).steps).toEqual([]);
    expect(shown(facts, until)).toMatchObject({ state: 'Paused', until: until + 1_000 });
    expect(shown({ sets: middle, gate: closed }, until).until).toBe(until + 1_000);
  });
});

describe('of several holds', () => {
  const options = { autoRollback: false, faults: [] };
  const later = { ...options, rolloutAfter: { at: 5, text: 'later' } };
  const canary = { ...options, canary: 2 };
  test.each<{ name: string; facts: Partial<DeploymentFacts>; blockedBy: string | undefined }>([
    { name: 'a pause is shown', facts: { isPaused: true }, blockedBy: 'paused' },
    {
      name: 'an option that cannot be read is shown',
      facts: { options: { ...options, faults: ['canary: none'] } },
      blockedBy: 'options',
    },
    {
      name: 'the time of the rollout itself is shown',
      facts: { options: later },
      blockedBy: 'rolloutAfter',
    },
    {
      name: 'a canary that waits for a person is shown, so that it can be approved',
      facts: { options: canary },
      blockedBy: 'canary',
    },
    {
      name: 'one that has yet to come does not',
      facts: { options: canary, sets: [aSet({ machines: many('A', 9) }), theNewSet()] },
      blockedBy: 'DisruptionPolicy/nights',
    },
    {
      name: 'OnDelete waits for people only',
      facts: { strategy: 'OnDelete', sets: [old, theNewSet()] },
      blockedBy: 'onDelete',
    },
    {
      name: 'none is shown without a rollout',
      facts: { sets: [theNewSet({ machines: many('A', 10) })] },
      blockedBy: undefined,
    },
  ])('$name', ({ facts, blockedBy }) => {
    const held = someFacts({ sets: middle, gate: closed, ...facts });
    const plan = planMachineDeployment(held, 0);
    expect(plan.blockedBy).toBe(blockedBy);
    expect(disruptingIn(plan.steps)).toEqual([]);
  });

  test('a canary that waits under a closed gate is planned again when that opens', () => {
    const facts = someFacts({ sets: middle, options: canary, gate: closed });
    expect(planMachineDeployment(facts, 0).until).toBe(until);
  });
});

describe('a rollout that is gone back from', () => {
  const back = {
    maxUnavailable: 2,
    sets: [
      aSet({ name: 'bad', machines: 'UUA', revision: 1 }),
      theNewSet({ machines: many('A', 7) }),
    ],
  };
  const going = ['new 9', 'bad 1'];

  test.each<{ name: string; gate: RolloutGate; finishedSet?: string; sizes: string[] }>([
    { name: 'waits for no window', gate: closed, finishedSet: 'new', sizes: going },
    {
      name: 'waits for no turn',
      gate: closedGate({ kind: 'turn' }),
      finishedSet: 'new',
      sizes: going,
    },
    {
      name: 'goes on when the time of the answer is over',
      gate: { until: 0 },
      finishedSet: 'new',
      sizes: going,
    },
    {
      name: 'takes no more machines than it may',
      gate: { ...closed, ...bound(1) },
      finishedSet: 'new',
      sizes: ['new 9', 'bad 2'],
    },
    { name: 'waits where a policy is wrong', gate: fault, finishedSet: 'new', sizes: [] },
    { name: 'waits when it was over already', gate: closed, finishedSet: 'bad', sizes: [] },
    { name: 'waits where that is not known', gate: closed, sizes: [] },
  ])('$name', ({ gate, finishedSet, sizes }) => {
    const facts = { ...back, gate, ...(finishedSet !== undefined && { finishedSet }) };
    expect(sizesIn(stepsFor(facts))).toEqual(sizes);
  });

  test('by auto-rollback waits for no window either', () => {
    const options = { autoRollback: true, faults: [], rolledBackFrom: 'new' };
    const sets = [aSet({ machines: many('A', 8) }), theNewSet({ machines: 'UUU' })];
    const facts = { maxUnavailable: 2, options, sets, gate: closed };
    expect(sizesIn(stepsFor({ ...facts, finishedSet: 'old' }))).toEqual(['old 9', 'new 0']);
    expect(sizesIn(stepsFor(facts))).toEqual([]);
  });
});

const since = (before: DeploymentFacts | undefined, gate: RolloutGate) =>
  withLimitedSince(before, someFacts({ gate }), 7).limitedSince;

describe('of the machines that may be on their way', () => {
  const rolling = {
    maxUnavailable: 4,
    maxSurge: 0,
    sets: [aSet({ machines: 'UU' + many('A', 6) }), theNewSet({ machines: 'AA' })],
  };

  test.each<{ name: string; facts: Partial<DeploymentFacts>; sizes: string[] }>([
    { name: 'no more are taken', facts: { gate: bound(1) }, sizes: ['old 7'] },
    { name: 'a step may take all of them', facts: { gate: bound(3) }, sizes: ['old 5'] },
    { name: 'what may go otherwise still bounds it', facts: { gate: bound(9) }, sizes: ['old 4'] },
    {
      name: 'machines that do not work go first, of all sets',
      facts: {
        gate: bound(2),
        sets: [
          aSet({ name: 'oldest', machines: 'UAAA' }),
          aSet({ machines: 'UAAA' }),
          theNewSet({ machines: 'AA' }),
        ],
      },
      sizes: ['oldest 3', 'old 3'],
    },
    {
      name: 'Recreate takes no more',
      facts: {
        strategy: 'Recreate',
        gate: bound(5),
        sets: [aSet({ name: 'oldest', machines: 'AAA' }), aSet({ machines: many('A', 7) })],
      },
      sizes: ['oldest 0', 'old 5'],
    },
    {
      name: 'a scale-down takes more',
      facts: {
        gate: bound(0),
        replicas: 5,
        sets: [
          aSet({ machines: many('A', 8), desired: 10, max: 10 }),
          theNewSet({ machines: 'AA', desired: 10, max: 10 }),
        ],
      },
      sizes: ['old 4', 'new 1'],
    },
    {
      name: 'new ones are none',
      facts: { gate: bound(0), maxSurge: 2, sets: [old, theNewSet()] },
      sizes: ['new 2'],
    },
  ])('$name', ({ facts, sizes }) => {
    expect(sizesIn(stepsFor({ ...rolling, ...facts }))).toEqual(sizes);
  });

  test.each<{ name: string; facts: Partial<DeploymentFacts>; reason: string }>([
    {
      name: 'the reason names the policy',
      facts: { gate: bound(1) },
      reason: 'DisruptionPolicy db: one at a time; machines that are not available go first',
    },
    {
      name: 'the reason names none that does not limit',
      facts: { gate: bound(4) },
      reason: 'machines that are not available go first; 8 machines available, 6 needed',
    },
    {
      name: 'what is awaited names it',
      facts: { gate: bound(0), sets: [aSet({ machines: many('A', 9), going: 1 }), theNewSet()] },
      reason: '1 machine of old sets going away; DisruptionPolicy db: one at a time',
    },
    {
      name: 'Recreate names it when it takes some',
      facts: { gate: bound(1), strategy: 'Recreate', sets: [old] },
      reason: 'Recreate: 10 old machines are to be gone first; DisruptionPolicy db: one at a time',
    },
  ])('$name', ({ facts, reason }) => {
    const plan = planMachineDeployment(someFacts({ ...rolling, ...facts }), 0);
    expect(plan).toMatchObject({ state: 'Progressing', reason });
  });

  const minute = 60_000;
  const waiting = someFacts({ ...rolling, gate: bound(0), limitedSince: 0 });

  test.each([
    { waited: 0, again: 1 },
    { waited: 3, again: 3 },
    { waited: 60, again: 5 },
  ])('it asks again after $again minutes when it has waited for $waited', ({ waited, again }) => {
    const now = waited * minute;
    const plan = planMachineDeployment(waiting, now);
    expect(plan).toMatchObject({ steps: [], until: now + again * minute });
  });

  test('it does not ask for what it does not want', () => {
    const facts = { ...waiting, maxUnavailable: 0 };
    expect(planMachineDeployment({ ...facts, maxSurge: 2 }, 0).until).toBeUndefined();
  });

  test('it knows since when none may go', () => {
    expect(since(undefined, bound(0))).toBe(7);
    expect(since(waiting, bound(0))).toBe(0);
    expect(since(waiting, bound(1))).toBeUndefined();
    expect(since(waiting, {})).toBeUndefined();
  });

  test('it waits for others where nothing of its own is on the way', () => {
    const hold = { kind: 'policy', blockedBy: 'DisruptionPolicy/db' };
    expect(planMachineDeployment(waiting, 0)).toMatchObject({
      state: 'Paused',
      blockedBy: 'DisruptionPolicy/db',
      reason: 'DisruptionPolicy db: one at a time',
    });
    expect(currentHold(waiting, 0)).toMatchObject(hold);
    const [oldSet = old, newSet = old] = waiting.sets;
    const among = (...sets: DeploymentFacts['sets']) => currentHold({ ...waiting, sets }, 0);
    expect(among(oldSet, newSet)).toMatchObject(hold);
    expect(among({ ...oldSet, going: 1 }, newSet)).toBeUndefined();
    expect(among({ ...oldSet, isObserved: false }, newSet)).toBeUndefined();
    expect(among({ ...oldSet, replicas: 7 }, newSet)).toBeUndefined();
    expect(among(oldSet, { ...newSet, machines: 'RA' })).toBeUndefined();
    expect(currentHold({ ...waiting, maxSurge: 2 }, 0)).toBeUndefined();
  });
});

test('what may go after a step of a rollout only a read can say', () => {
  const facts = someFacts({ maxUnavailable: 2, sets: middle, gate: bound(1) });
  const { steps } = planMachineDeployment(facts, 0);
  const written = steps.map((step) => ({
    name: 'name' in step ? step.name : '',
    resourceVersion: '8',
  }));
  expect(disruptingIn(steps)).not.toEqual([]);
  expect(afterSteps(facts, steps, written)).toBeUndefined();
  const { gate: _none, ...free } = facts;
  expect(afterSteps(free, planMachineDeployment(free, 0).steps, written)).toBeDefined();
});
