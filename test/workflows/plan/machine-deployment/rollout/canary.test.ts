import {
  canaryToPass,
  currentHold,
  planMachineDeployment,
} from '../../../../../workflows/plan/machine-deployment/plan.ts';
import type {
  DeploymentFacts,
  RolloutOptions,
  SetFacts,
  WaveNote,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { canaryLimit } from '../../../../../workflows/plan/machine-deployment/rollout/canary.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

const options = (changes: Partial<RolloutOptions>): RolloutOptions => ({
  autoRollback: false,
  faults: [],
  ...changes,
});
const canary = options({ canary: 2 });
const old = aSet({ machines: many('A', 10) });

describe('a canary', () => {
  test.each<{
    name: string;
    facts?: Partial<DeploymentFacts>;
    sets?: SetFacts[];
    target?: SetFacts;
    limit: number | undefined;
  }>([
    {
      name: 'that an earlier revision passed does',
      facts: { options: options({ canary: 2, canaryPassed: 1 }) },
      limit: 2,
    },
    { name: 'of all machines is none', facts: { replicas: 2 }, limit: undefined },
    {
      name: 'has no say without a rollout',
      sets: [aSet(), theNewSet({ machines: 'A' })],
      limit: undefined,
    },
    {
      name: 'has no say in a rollback that has just begun',
      target: theNewSet({ revision: 0 }),
      limit: undefined,
    },
    { name: 'has no say with OnDelete', facts: { strategy: 'OnDelete' }, limit: undefined },
    { name: 'bounds an update in place', facts: { strategy: 'InPlaceUpdate' }, limit: 2 },
    {
      name: 'has no say where people select',
      facts: { strategy: 'InPlaceUpdate', isManual: true },
      limit: undefined,
    },
  ])('$name', ({ facts, target = theNewSet(), sets = [old, target], limit }) => {
    expect(canaryLimit(someFacts({ options: canary, ...facts, sets }), target)).toBe(limit);
  });
});

const waves = [{ machines: 1 }, { machines: 3, seconds: 60 }, { machines: 5, seconds: 120 }];
const of = { revision: 2, count: 1 };
const noted: WaveNote = { ...of, since: 40_000, machines: { count: 3, youngest: 30_000 } };
const now = 99_000;
const end = { at: 100_000, text: '00:01:40' };

/** Wave 2 of 3, whose three machines are available, and its time is over in a second. */
function inWaves({
  waveNote = noted,
  newSet = theNewSet({ machines: 'AAA' }),
  ...changes
}: Partial<DeploymentFacts> & { waveNote?: WaveNote | undefined; newSet?: SetFacts } = {}) {
  const passed = { canary: 1, waves, wavesPassed: of, ...(waveNote && { waveNote }) };
  return someFacts({
    options: options(passed),
    watched: { youngest: 30_000, left: 3, end },
    sets: [aSet({ machines: many('A', 7), isTainted: true }), newSet],
    ...changes,
  });
}

const stepsIn = (facts: DeploymentFacts, at: number) => planMachineDeployment(facts, at).steps;

describe('waves', () => {
  test.each<{ name: string; passed: Partial<RolloutOptions>; limit: number | undefined }>([
    { name: 'the first', passed: {}, limit: 1 },
    { name: 'the next', passed: { wavesPassed: of }, limit: 3 },
    { name: 'the last', passed: { wavesPassed: { revision: 2, count: 2 } }, limit: 5 },
    { name: 'none is left', passed: { wavesPassed: { revision: 2, count: 3 } }, limit: undefined },
    { name: 'all at once', passed: { canaryPassed: 2 }, limit: undefined },
    {
      name: 'those of another revision',
      passed: { wavesPassed: { ...of, revision: 1 } },
      limit: 1,
    },
  ])('are passed one by one: $name', ({ passed, limit }) => {
    const facts = someFacts({ options: options({ canary: 1, waves, ...passed }), sets: [old] });
    expect(canaryLimit({ ...facts, sets: [old, theNewSet()] }, theNewSet())).toBe(limit);
  });

  test('never let less be there than the wave before, whatever a percentage comes to', () => {
    const falling = options({
      canary: 4,
      waves: [{ machines: 4 }, { machines: 1 }],
      wavesPassed: of,
    });
    const facts = someFacts({ options: falling, sets: [old, theNewSet()] });
    expect(canaryLimit(facts, theNewSet())).toBe(4);
  });

  test('with a time hold until it is over, and then go on by themselves', () => {
    expect(planMachineDeployment(inWaves(), now)).toMatchObject({
      steps: [],
      state: 'Paused',
      blockedBy: 'canary',
      reason: 'The rollout holds after the first 3 machines of new (wave 2 of 3) until 00:01:40',
      next: 'then it goes on by itself',
      heldUntil: end.at,
      until: end.at,
    });
    expect(stepsIn(inWaves(), end.at)).toMatchObject([{ action: 'passWave', ...of }]);
  });

  test('are not planned again at once where the write that ends one is refused', () => {
    const requeues = { refused: { names: ['MachineDeployment'], failures: 1, retryAt: 1e6 } };
    const held = { ...requeues.refused, reason: 'FailedUpdate', message: 'no' } as const;
    const plan = planMachineDeployment(inWaves(), end.at, { requeues: { refused: held } });
    expect(plan.steps).toEqual([]);
    expect(plan.until).toBeUndefined();
  });

  test.each<{ name: string; facts: Partial<Parameters<typeof inWaves>[0]>; note: object }>([
    {
      name: 'since when all are available',
      facts: { waveNote: { ...noted, count: 0 } },
      note: { ...of, since: now, machines: { count: 3, youngest: 30_000 } },
    },
    {
      name: 'that one failed or was replaced',
      facts: { watched: { youngest: 80_000, left: 2, end } },
      note: { ...of, since: now },
    },
    {
      name: 'that fewer are watched after a scale-down',
      facts: { newSet: theNewSet({ machines: 'AA' }), watched: { left: 2, end } },
      note: { ...noted, machines: { count: 2, youngest: 30_000 } },
    },
    {
      name: 'that more are watched after a scale-up',
      facts: {
        newSet: theNewSet({ machines: 'AAAA' }),
        watched: { youngest: 70_000, left: 3, end },
      },
      note: { ...noted, machines: { count: 4, youngest: 70_000 } },
    },
  ])('remember $name', ({ facts, note }) => {
    const notes = stepsIn(inWaves(facts), now).filter((step) => step.action === 'noteWave');
    expect(notes.map((step) => step.was)).toEqual([facts?.waveNote ?? noted]);
    expect(notes.map((step) => step.note)).toEqual([note]);
  });

  test.each<{ name: string; facts: Parameters<typeof inWaves>[0] }>([
    { name: 'one is not available', facts: { newSet: theNewSet({ machines: 'UAA' }) } },
    {
      name: 'one beyond the wave is not available',
      facts: { newSet: theNewSet({ machines: 'UAAA' }) },
    },
    { name: 'one failed before', facts: { waveNote: { ...of, since: 50_000 } } },
    { name: 'a person paused it', facts: { isPaused: true } },
    { name: 'its machines were not read', facts: { watched: { left: 3 } } },
  ])('do not end by themselves where $name', ({ facts }) => {
    expect(stepsIn(inWaves(facts), 1e6)).toEqual([]);
  });

  test('in which a machine failed wait for a person, and say why', () => {
    const facts = inWaves({ waveNote: { ...of, since: 50_000 } });
    expect(currentHold(facts, 1e6)).toEqual({
      kind: 'canary',
      reason:
        'The rollout holds after the first 3 machines of new (wave 2 of 3): one of them failed or was replaced',
      next: 'look at the new machines, then resume or roll back',
      needsPerson: true,
    });
  });

  test('do not hold before the time has begun', () => {
    expect(currentHold(inWaves({ waveNote: { ...noted, revision: 1 } }), now)).toBeUndefined();
  });

  test.each<{ name: string; kind: 'time' | 'fault' }>([
    { name: 'a window', kind: 'time' },
    { name: 'a person', kind: 'fault' },
  ])('end while a policy waits for $name: that takes no machine', ({ kind }) => {
    const gate = { closed: { policy: 'db', kind, why: 'closed' } };
    expect(stepsIn(inWaves({ gate }), end.at)).toMatchObject([{ action: 'passWave' }]);
    expect(planMachineDeployment(inWaves({ gate }), now)).toMatchObject({
      blockedBy: 'canary',
      until: end.at,
    });
  });

  test.each<{ name: string; facts: DeploymentFacts; passed: object | undefined }>([
    {
      name: 'the present one, and no later one',
      facts: inWaves(),
      passed: { revision: 2, count: 2 },
    },
    {
      name: 'nothing while its machines come',
      facts: inWaves({ newSet: theNewSet({ machines: 'UAA' }) }),
      passed: undefined,
    },
    { name: 'nothing of a pause', facts: inWaves({ isPaused: true }), passed: undefined },
    {
      name: 'the whole canary where it has one wave without a time',
      facts: inWaves({ options: options({ canary: 3 }) }),
      passed: { revision: 2 },
    },
  ])('resume lets pass $name', ({ facts, passed }) => {
    expect(canaryToPass(facts, now)).toEqual(passed);
  });
});
