/** What the transcripts do not tell: sets that still work on their sizes, and edges. */
import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { planOnDelete } from '../../../../../workflows/plan/machine-deployment/rollout/on-delete.ts';
import { planRecreate } from '../../../../../workflows/plan/machine-deployment/rollout/recreate.ts';
import { planRollingUpdate } from '../../../../../workflows/plan/machine-deployment/rollout/rolling-update.ts';
import type { Sizing } from '../../../../../workflows/plan/machine-deployment/rollout/sizing.ts';
import { aSet, many, rolloutOf, someFacts, theNewSet } from './deployment-facts.ts';

function sizesOf(sizings: readonly Sizing[]): Record<string, number> {
  return Object.fromEntries(sizings.map(({ set, replicas }) => [set.name, replicas]));
}

test('RollingUpdate grows and shrinks at once where both may be, and says why of the first', () => {
  const sets = [aSet({ machines: many('A', 9) }), theNewSet({ machines: 'AA' })];
  const plan = planRollingUpdate(rolloutOf(someFacts({ maxUnavailable: 2, sets })));
  expect(sizesOf(plan.sizes)).toEqual({ new: 3, old: 6 });
  expect(plan.reason).toBe('room for 1 more, at most 12 machines');
});

test('RollingUpdate does not count on new machines that it takes away', () => {
  const sets = [aSet({ machines: 'A' }), theNewSet({ machines: 'AU' })];
  const plan = planRollingUpdate(rolloutOf(someFacts({ replicas: 1, maxSurge: 4, sets })));
  expect(sizesOf(plan.sizes)).toEqual({ new: 1 });
});

test('Recreate waits until the set of old machines has seen that they are gone', () => {
  const plan = planRecreate(rolloutOf(someFacts({ sets: [aSet({ reported: 1 })] })));
  expect(plan).toMatchObject({ sizes: [], mayCreate: false });
});

test.each<{
  name: string;
  facts?: Partial<DeploymentFacts>;
  sets: SetFacts[];
  sizes: Record<string, number>;
}>([
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
  },
  {
    name: 'scales its only set up while machines of it are still going away',
    facts: { replicas: 5 },
    // Only its own counts were read, which do not say which of them go.
    sets: [aSet(), theNewSet({ machines: 'UUUAA', replicas: 2 })],
    sizes: { new: 5 },
  },
])('OnDelete $name', ({ facts, sets, sizes }) => {
  const rollout = rolloutOf(someFacts({ strategy: 'OnDelete', maxSurge: 0, ...facts, sets }));
  expect(sizesOf(planOnDelete(rollout).sizes)).toEqual(sizes);
});
