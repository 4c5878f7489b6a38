import fc from 'fast-check';
import type { MachineDeploymentSpec } from '../../../../workflows/api/machine-deployment.ts';
import type { OrchestrationType } from '../../../../workflows/api/phases.ts';
import {
  surgeOf,
  unavailableOf,
} from '../../../../workflows/plan/machine-deployment/fenceposts.ts';
import { aMachineDeployment } from '../../../support/builders.ts';

type Amount = number | string;

interface Posts {
  replicas: number;
  maxSurge?: Amount;
  maxUnavailable?: Amount;
}

function rolling({ replicas, ...rollingUpdate }: Posts): MachineDeploymentSpec {
  const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
  return aMachineDeployment({ spec: { replicas, strategy } }).spec;
}

test.each<{ name: string; posts: Posts; surge: number; unavailable: number }>([
  {
    name: '25 % of 3: one more and none fewer',
    posts: { replicas: 3, maxSurge: '25%', maxUnavailable: '25%' },
    surge: 1,
    unavailable: 0,
  },
  {
    name: '25 % of 10: three more and two fewer',
    posts: { replicas: 10, maxSurge: '25%', maxUnavailable: '25%' },
    surge: 3,
    unavailable: 2,
  },
  {
    name: '100 % of 4',
    posts: { replicas: 4, maxSurge: '100%', maxUnavailable: '100%' },
    surge: 4,
    unavailable: 4,
  },
  {
    name: 'counts as they are',
    posts: { replicas: 10, maxSurge: 2, maxUnavailable: 3 },
    surge: 2,
    unavailable: 3,
  },
  {
    name: 'both nothing: one may be missing, or nothing would move',
    posts: { replicas: 5, maxSurge: 0, maxUnavailable: 0 },
    surge: 0,
    unavailable: 1,
  },
  {
    name: 'both nothing after rounding',
    posts: { replicas: 3, maxSurge: '0%', maxUnavailable: '10%' },
    surge: 0,
    unavailable: 1,
  },
  {
    name: 'no more can be missing than there are',
    posts: { replicas: 2, maxSurge: 0, maxUnavailable: 5 },
    surge: 0,
    unavailable: 2,
  },
  { name: 'a set of none', posts: { replicas: 0, maxSurge: 1 }, surge: 1, unavailable: 0 },
  { name: 'left out', posts: { replicas: 3 }, surge: 0, unavailable: 1 },
])('maxSurge and maxUnavailable: $name', ({ posts, surge, unavailable }) => {
  expect(surgeOf(rolling(posts))).toBe(surge);
  expect(unavailableOf(rolling(posts))).toBe(unavailable);
});

test('Recreate has no surge', () => {
  const { spec } = aMachineDeployment({ spec: { strategy: { type: 'Recreate' } } });
  expect([surgeOf(spec), unavailableOf(spec)]).toEqual([0, 0]);
});

test.each<{
  name: string;
  posts: Posts & { orchestrationType: OrchestrationType };
  surge: number;
  unavailable: number;
}>([
  {
    name: 'a share of replicas',
    posts: { orchestrationType: 'Auto', replicas: 10, maxSurge: 1, maxUnavailable: '25%' },
    surge: 1,
    unavailable: 2,
  },
  {
    name: 'none may be missing, as Auto has a surge',
    posts: { orchestrationType: 'Auto', replicas: 10, maxSurge: 1, maxUnavailable: 0 },
    surge: 1,
    unavailable: 0,
  },
  {
    name: 'one may be missing, as Manual never has a surge',
    posts: { orchestrationType: 'Manual', replicas: 10, maxSurge: 1, maxUnavailable: 0 },
    surge: 0,
    unavailable: 1,
  },
])('with InPlaceUpdate: $name', ({ posts, surge, unavailable }) => {
  const { replicas, ...inPlaceUpdate } = posts;
  const strategy = { type: 'InPlaceUpdate', inPlaceUpdate } as const;
  const { spec } = aMachineDeployment({ spec: { replicas, strategy } });
  expect([surgeOf(spec), unavailableOf(spec)]).toEqual([surge, unavailable]);
});

test('a rollout can always make a step, and never loses more than it has', () => {
  const percent = fc.integer({ min: 0, max: 100 }).map((value) => `${value}%`);
  const amount = fc.oneof(fc.integer({ min: 0, max: 50 }), percent);
  const replicas = fc.integer({ min: 1, max: 200 });
  fc.assert(
    fc.property(replicas, amount, amount, (wanted, maxSurge, maxUnavailable) => {
      const spec = rolling({ replicas: wanted, maxSurge, maxUnavailable });
      expect(surgeOf(spec) + unavailableOf(spec)).toBeGreaterThan(0);
      expect(unavailableOf(spec)).toBeLessThanOrEqual(wanted);
      expect(Number.isInteger(surgeOf(spec)) && Number.isInteger(unavailableOf(spec))).toBe(true);
    }),
  );
});
