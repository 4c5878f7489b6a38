import { currentHold } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import type {
  DeploymentFacts,
  RolloutOptions,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { canaryLimit } from '../../../../../workflows/plan/machine-deployment/rollout/hold.ts';
import { aSet, many, someFacts, theNewSet } from './deployment-facts.ts';

const now = 1_000_000;
const options = (changes: Partial<RolloutOptions>): RolloutOptions => ({
  autoRollback: false,
  faults: [],
  ...changes,
});
const later = options({ rolloutAfter: { at: now + 1, text: '22:00' } });
const canary = options({ canary: 2 });
const old = aSet({ machines: many('A', 10) });

test.each<{ name: string; facts: Partial<DeploymentFacts>; kind?: string; reason?: string }>([
  {
    name: 'a change that waits for its time',
    facts: { options: later, sets: [old] },
    kind: 'rolloutAfter',
    reason: 'The rollout waits until 22:00',
  },

  {
    name: 'a change whose time has come',
    facts: { options: options({ rolloutAfter: { at: now, text: '22:00' } }), sets: [old] },
  },

  {
    name: 'an option that cannot be parsed',
    facts: { options: options({ faults: ['annotation x: Invalid value'] }), sets: [old] },
    kind: 'options',
    reason: 'annotation x: Invalid value',
  },
  {
    name: 'an option that cannot be parsed, and no rollout that it could be about',
    facts: { options: options({ faults: ['annotation x: Invalid value'] }), sets: [theNewSet()] },
  },
  {
    name: 'a canary whose machines are there',
    facts: { options: canary, sets: [old, theNewSet({ machines: 'AA' })] },
    kind: 'canary',
    reason: 'The rollout holds after the first 2 machines of new',
  },
  {
    name: 'a canary whose machines are still to come',
    facts: { options: canary, sets: [old, theNewSet({ machines: 'AU' })] },
  },

  {
    name: 'OnDelete with nothing under way',
    facts: {
      strategy: 'OnDelete',
      sets: [aSet({ machines: 'AAAAAAAA' }), theNewSet({ machines: 'AA' })],
    },
    kind: 'onDelete',
    reason: 'OnDelete: 8 machines of old sets left',
  },
  {
    name: 'OnDelete with a machine going away',
    facts: {
      strategy: 'OnDelete',
      sets: [aSet({ machines: 'AAAAAAAA', going: 1 }), theNewSet({ machines: 'AA' })],
    },
  },
  {
    name: 'OnDelete with a machine coming',
    facts: {
      strategy: 'OnDelete',
      sets: [aSet({ machines: 'AAAAAAAA' }), theNewSet({ machines: 'AU' })],
    },
  },
  {
    name: 'OnDelete with another number wanted',
    facts: {
      strategy: 'OnDelete',
      replicas: 11,
      sets: [aSet({ machines: 'AAAAAAAA' }), theNewSet({ machines: 'AA' })],
    },
  },
  {
    name: 'OnDelete with all old machines gone',
    facts: { strategy: 'OnDelete', replicas: 2, sets: [aSet(), theNewSet({ machines: 'AA' })] },
  },
])('a rollout holds as $kind: $name', ({ facts, kind, reason }) => {
  const hold = currentHold(someFacts(facts), now);
  expect(hold?.kind).toBe(kind);
  expect(hold?.reason).toBe(reason ?? hold?.reason);
});

describe('a canary', () => {
  test.each<{
    name: string;
    facts?: Partial<DeploymentFacts>;
    sets?: SetFacts[];
    target?: SetFacts;
    limit: number | undefined;
  }>([
    {
      name: 'that was passed does not',
      facts: { options: options({ canary: 2, canaryPassed: 2 }) },
      limit: undefined,
    },
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
  ])('$name', ({ facts, target = theNewSet(), sets = [old, target], limit }) => {
    expect(canaryLimit(someFacts({ options: canary, ...facts, sets }), target)).toBe(limit);
  });
});
