import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { planOnDelete } from '../../../../../workflows/plan/machine-deployment/rollout/on-delete.ts';
import { planRecreate } from '../../../../../workflows/plan/machine-deployment/rollout/recreate.ts';
import { planRollingUpdate } from '../../../../../workflows/plan/machine-deployment/rollout/rolling-update.ts';
import type { Sizing } from '../../../../../workflows/plan/machine-deployment/rollout/sizing.ts';
import { aSet, many, rolloutOf, someFacts, theNewSet } from './deployment-facts.ts';

interface Case {
  name: string;
  facts?: Partial<DeploymentFacts>;
  sets: SetFacts[];
  sizes: Record<string, number>;
  reason?: string;
}

function sizesOf(sizings: readonly Sizing[]): Record<string, number> {
  return Object.fromEntries(sizings.map(({ set, replicas }) => [set.name, replicas]));
}

describe('RollingUpdate', () => {
  test.each<Case>([
    {
      name: 'grows and shrinks at once where both may be',
      facts: { maxUnavailable: 2 },
      sets: [aSet({ machines: many('A', 9) }), theNewSet({ machines: 'AA' })],
      sizes: { new: 3, old: 6 },
      reason: 'room for 1 more, at most 12 machines',
    },
    {
      name: 'does not count on new machines that it takes away',
      facts: { replicas: 1, maxSurge: 4 },
      sets: [aSet({ machines: 'A' }), theNewSet({ machines: 'AU' })],
      sizes: { new: 1 },
    },
    {
      name: 'gives shares first when fewer are wanted',
      facts: { replicas: 5 },
      sets: [
        aSet({ machines: many('A', 8), desired: 10, max: 12 }),
        theNewSet({ machines: 'AAAA', desired: 10, max: 12 }),
      ],
      sizes: { old: 5, new: 2 },
      reason: 'scaled to 5 replicas in the middle of a rollout: each set gives its share',
    },
    {
      name: 'says for what it waits',
      sets: [aSet({ machines: many('A', 9), going: 1 }), theNewSet({ machines: 'AU' })],
      sizes: {},
      reason:
        'waits for 1 machine of MachineSet new to become available; 1 machine of old sets going away; no room for more, at most 12 machines',
    },
  ])('$name', ({ facts, sets, sizes, reason }) => {
    const plan = planRollingUpdate(rolloutOf(someFacts({ ...facts, sets })));
    expect(sizesOf(plan.sizes)).toEqual(sizes);
    expect(plan.reason).toBe(reason ?? plan.reason);
  });

  test('says what is left to do', () => {
    const sets = [
      aSet({ name: 'older', machines: 'A' }),
      aSet({ machines: 'AA' }),
      aSet({ name: 'idle' }),
      theNewSet(),
    ];
    const { next } = planRollingUpdate(rolloutOf(someFacts({ sets })));
    expect(next).toBe('still to be replaced: 3 machines of older, old');
  });
});

describe('Recreate', () => {
  test.each<Case & { mayCreate: boolean }>([
    {
      name: 'takes all old machines at once',
      sets: [aSet({ name: 'older', machines: 'A' }), aSet({ machines: 'AAA' })],
      sizes: { older: 0, old: 0 },
      mayCreate: false,
      reason: 'Recreate: 4 old machines are to be gone first',
    },
    {
      name: 'waits until they are gone',
      sets: [aSet({ going: 2 })],
      sizes: {},
      mayCreate: false,
      reason: 'Recreate: 2 old machines are to be gone first',
    },
    {
      name: 'waits until their set has seen that they are gone',
      sets: [aSet({ reported: 1 })],
      sizes: {},
      mayCreate: false,
    },
    { name: 'then makes all new ones', sets: [aSet()], sizes: { new: 10 }, mayCreate: true },

    {
      name: 'is done',
      sets: [aSet(), theNewSet({ machines: many('A', 10) })],
      sizes: {},
      mayCreate: true,
      reason: 'MachineSet new has 10 replicas',
    },
  ])('$name', ({ facts, sets, sizes, mayCreate, reason }) => {
    const plan = planRecreate(rolloutOf(someFacts({ ...facts, sets })));
    expect(sizesOf(plan.sizes)).toEqual(sizes);
    expect(plan.mayCreate).toBe(mayCreate);
    expect(plan.reason).toBe(reason ?? plan.reason);
  });
});

describe('OnDelete', () => {
  test.each<Case>([
    {
      name: 'shrinks the set of a machine that was deleted',
      sets: [aSet({ machines: many('A', 9), replicas: 10, going: 1 }), theNewSet()],
      sizes: { old: 9 },
      reason: 'OnDelete: 1 machine deleted',
    },
    {
      name: 'makes no new machine before the deleted one is gone',
      sets: [aSet({ machines: many('A', 9), going: 1 }), theNewSet()],
      sizes: {},
      reason: '1 machine of old sets going away',
    },
    {
      name: 'makes a new machine in place of the deleted one',
      sets: [aSet({ machines: many('A', 9) }), theNewSet()],
      sizes: { new: 1 },
      reason: 'OnDelete: in place of deleted machines',
    },
    {
      name: 'makes none while a set works on its size',
      sets: [aSet({ machines: many('A', 9), isObserved: false }), theNewSet()],
      sizes: {},
    },
    {
      name: 'scales down from the oldest set on',
      facts: { replicas: 4 },
      sets: [
        aSet({ name: 'older', machines: 'AA' }),
        aSet({ machines: 'AAA' }),
        theNewSet({ machines: 'AAA' }),
      ],
      sizes: { older: 0, old: 1 },
      reason: 'scaled down',
    },

    {
      name: 'scales its only set up while machines of it are still going away',
      facts: { replicas: 5 },
      // Only its own counts were read, which do not say which of them go.
      sets: [aSet(), theNewSet({ machines: 'UUUAA', replicas: 2 })],
      sizes: { new: 5 },
    },
  ])('$name', ({ facts, sets, sizes, reason }) => {
    const plan = planOnDelete(
      rolloutOf(someFacts({ strategy: 'OnDelete', maxSurge: 0, ...facts, sets })),
    );
    expect(sizesOf(plan.sizes)).toEqual(sizes);
    expect(plan.reason).toBe(reason ?? plan.reason);
  });
});
