import { components, type Action } from './action.ts';
import { planChaos, type Round } from './plan.ts';
import { shortRun } from './short-run.ts';
import { pools } from './wishes.ts';

const actionsOf = (rounds: readonly Round[]): Action[] =>
  rounds.flatMap(({ steps }) => steps.map(({ action }) => action));

/** `kill worker`, `fault hang`, `scale` */
function kindOf(action: Action): string {
  if (action.type === 'kill') return `kill ${action.component}`;
  if (action.type === 'fault') return `fault ${action.fault.kind}`;
  return action.type;
}

const kindsOf = (rounds: readonly Round[]): Set<string> => new Set(actionsOf(rounds).map(kindOf));

const kinds = [
  'create',
  'scale',
  'roll',
  'drain',
  'delete',
  'cancel',
  'terminate',
  'reset',
  'lie',
  'strip',
  'worst',
  'fault loseAnswer',
  'fault throttle',
  'fault hang',
  'fault vanish',
  ...components.map((component) => `kill ${component}`),
];

describe('the plan of a run', () => {
  test('is the same for the same seed, and another one for the next seed', () => {
    const plan = planChaos({ seed: 7, minutes: 2 });
    expect(planChaos({ seed: 7, minutes: 2 })).toEqual(plan);
    expect(planChaos({ seed: 8, minutes: 2 })).not.toEqual(plan);
  });

  test('of a longer run begins as that of a shorter one', () => {
    const [first] = planChaos({ seed: 7, minutes: 1 });
    expect(planChaos({ seed: 7, minutes: 30 })[0]).toEqual(first);
  });

  test('lasts as long as it is told to', () => {
    const steps = planChaos({ seed: 7, minutes: 5 }).flatMap((round) => round.steps);
    const planned = steps.reduce((sum, { afterMilliseconds }) => sum + afterMilliseconds, 0);
    expect(planned / 60_000).toBeCloseTo(5, 0);
  });

  test.each([1, 2, 3])('of half an hour has every kind of trouble (seed %i)', (seed) => {
    const rounds = planChaos({ seed, minutes: 30 });
    expect(kindsOf(rounds)).toEqual(new Set(kinds));
  });

  test('of the run in npm test has every kind of trouble', () => {
    expect(kindsOf(planChaos(shortRun))).toEqual(new Set(kinds));
  });

  test('lets a component live for 15 s before it is killed again', () => {
    let now = 0;
    const killedAt = new Map<string, number>();
    for (const { afterMilliseconds, action } of planChaos({ seed: 3, minutes: 30 }).flatMap(
      ({ steps }) => steps,
    )) {
      now += afterMilliseconds;
      if (action.type !== 'kill') continue;
      const lived = now - (killedAt.get(action.component) ?? -Infinity);
      expect(lived).toBeGreaterThanOrEqual(15_000);
      killedAt.set(action.component, now);
    }
    expect(killedAt.size).toBeGreaterThan(1);
  });

  test('creates only pools that are not there, and does the rest to those that are', () => {
    const present = new Set<string>();
    const types = new Set<string>();
    for (const action of actionsOf(planChaos({ seed: 5, minutes: 30 }))) {
      if (!('pool' in action)) continue;
      types.add(action.type);
      expect(present.has(action.pool)).toBe(action.type !== 'create');
      if (action.type === 'create') present.add(action.pool);
      if (action.type === 'delete') present.delete(action.pool);
    }
    expect([...types]).toEqual(expect.arrayContaining(['create', 'delete', 'scale']));
  });

  test('keeps every wish within its envelope', () => {
    for (const { wishes, envelopes } of planChaos({ seed: 4, minutes: 30 })) {
      for (const pool of Object.keys(pools)) {
        const replicas = wishes[pool]?.replicas ?? 0;
        expect(replicas).toBeGreaterThanOrEqual(envelopes[pool]?.least ?? Infinity);
        expect(replicas).toBeLessThanOrEqual(envelopes[pool]?.most ?? -Infinity);
      }
    }
  });
});
