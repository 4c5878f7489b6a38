import type {
  DeploymentFacts,
  SetFacts,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { growthOf } from '../../../../../workflows/plan/machine-deployment/rollout/new-set-size.ts';
import { shrinkOldSets } from '../../../../../workflows/plan/machine-deployment/rollout/rolling-update.ts';
import type { Sizing } from '../../../../../workflows/plan/machine-deployment/rollout/sizing.ts';
import { aSet, many, rolloutOf, someFacts, theNewSet } from './deployment-facts.ts';

interface Case {
  name: string;
  facts?: Partial<DeploymentFacts>;
  sets: SetFacts[];
}

function sizesOf(sizings: readonly Sizing[]): Record<string, number> {
  return Object.fromEntries(sizings.map(({ set, replicas }) => [set.name, replicas]));
}

describe('the new set', () => {
  test.each<Case & { limit?: number; size?: number; obstacle?: string }>([
    {
      name: 'waits for a set that still works on its size',
      sets: [aSet({ machines: many('A', 8), isObserved: false }), theNewSet({ machines: 'AA' })],
      obstacle: 'MachineSet old still works on its size',
    },
    {
      name: 'does not wait for an idle set that nobody looked at',
      sets: [
        aSet({ name: 'idle', isObserved: false }),
        aSet({ machines: many('A', 8) }),
        theNewSet({ machines: 'AA' }),
      ],
      size: 4,
    },
    {
      name: 'gives a surplus only as far as Running machines are spared',
      facts: { replicas: 3 },
      sets: [aSet({ machines: 'UU' }), theNewSet({ machines: 'AAAUU' })],
      obstacle: '2 machines of it too many, but still needed',
    },
  ])('$name', ({ facts, sets, limit, size, obstacle }) => {
    const growth = growthOf(rolloutOf(someFacts({ ...facts, sets })), limit);
    expect({ size: growth.size?.replicas, obstacle: growth.obstacle }).toEqual({ size, obstacle });
  });
});

describe('old sets', () => {
  test.each<Case & { limit?: number; sizes: Record<string, number> }>([
    {
      name: 'keep what a canary does not replace, although more may be unavailable',
      facts: { maxUnavailable: 5 },
      sets: [aSet({ machines: many('A', 10) }), theNewSet({ machines: 'AA' })],
      limit: 2,
      sizes: { old: 8 },
    },
    {
      name: 'give machines that do not work although new ones are not yet there',
      facts: { maxUnavailable: 3 },
      sets: [aSet({ machines: `UUUU${many('A', 6)}` }), theNewSet({ machines: 'UU' })],
      sizes: { old: 7 },
    },
    {
      name: 'go on where one is preserved, which goes last and is not asked for',
      facts: { maxSurge: 1 },
      sets: [aSet({ machines: `${many('A', 9)}U`, preserved: 1 }), theNewSet({ machines: 'A' })],
      sizes: { old: 9 },
    },
    {
      name: 'go on where a new one is preserved',
      facts: { maxSurge: 1 },
      sets: [aSet({ machines: 'AA' }), theNewSet({ machines: `${many('A', 8)}U`, preserved: 1 })],
      sizes: { old: 1 },
    },
    {
      name: 'stay where more new ones are preserved than available',
      facts: { maxSurge: 3 },
      sets: [aSet({ machines: many('A', 10) }), theNewSet({ machines: 'AUU', preserved: 2 })],
      sizes: { old: 8 },
    },
    {
      name: 'keep Running machines where a template in between only had preserved ones',
      facts: { maxSurge: 2 },
      sets: [
        aSet({ machines: many('A', 10) }),
        aSet({ name: 'bad', machines: 'UU', preserved: 2 }),
        theNewSet(),
      ],
      sizes: { bad: 0 },
    },
    {
      name: 'keep a Running machine that was chosen where only a preserved one does not run',
      facts: { replicas: 5, maxSurge: 1 },
      sets: [aSet({ machines: 'AAAAU', preserved: 1, chosen: [0] }), theNewSet({ machines: 'U' })],
      sizes: {},
    },
    {
      name: 'give machines of the next set that do not work after a chosen one that ran',
      facts: { replicas: 4, maxSurge: 2 },
      sets: [
        aSet({ name: 'older', machines: 'AU', chosen: [0] }),
        aSet({ machines: 'UU' }),
        theNewSet({ machines: 'AA' }),
      ],
      sizes: { older: 1, old: 1 },
    },
  ])('$name', ({ facts, sets, limit, sizes }) => {
    expect(sizesOf(shrinkOldSets(rolloutOf(someFacts({ ...facts, sets })), limit))).toEqual(sizes);
  });
});
