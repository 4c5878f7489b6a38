import { expect, test } from 'vitest';
import fc from 'fast-check';
import { planMachineDeployment } from '../../../../../workflows/plan/machine-deployment/plan.ts';
import type { Strategy } from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { isActive } from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { playRound } from '../../../../support/simulate.ts';
import type { Round } from '../../../../support/simulate.ts';
import { turn } from '../../../../support/simulated-acts.ts';
import type { Cluster } from '../../../../support/simulated-cluster.ts';
import { newSetOf, now } from '../../../../support/simulated-cluster.ts';
import {
  afterSteps,
  ceilingOf,
  certainOf,
  floorOf,
  isOneSet,
  isScalingOnly,
  latecomersOf,
  mostOfAll,
} from './bounds.ts';
import type { Event } from './random-cluster.ts';
import { anyCluster, anyEvents } from './random-cluster.ts';

/**
 * Afterwards nothing fails any more, and nobody changes anything.
 *
 * @param play Plays a round; `isDisturbed` when there was an event since the one before.
 */
function live(
  cluster: Cluster,
  events: readonly Event[],
  play: (isDisturbed: boolean) => void,
): void {
  for (const [index, { wait, happen }] of events.entries()) {
    for (let round = 0; round < wait; round += 1) play(round === 0 && index > 0);
    happen(cluster);
  }
  cluster.deployment.isPaused = false;
  cluster.deployment.options = { autoRollback: false, faults: [] };
  cluster.broken.clear();
  for (const { machines } of cluster.sets) {
    machines
      .filter(({ phase }) => phase === 'Unknown')
      .forEach((machine) => turn(machine, 'Running'));
  }
}

const runs = { numRuns: 100 };

test('no step of ours takes more Running machines than may be missing', () => {
  fc.assert(
    fc.property(anyCluster, anyEvents, (make, events) => {
      const cluster = make();
      const play = (): void => {
        for (const { facts, done } of playRound(cluster).turns) {
          const before = certainOf(facts.sets);
          const after = certainOf(afterSteps(facts.sets, done));
          const least = isOneSet(facts) ? 0 : Math.min(before, floorOf(cluster));
          expect({ after, isEnough: after >= least }).toEqual({ after, isEnough: true });
        }
      };
      live(cluster, events, play);
      for (let round = 0; round < 30; round += 1) play();
    }),
    runs,
  );
});

test('no step of ours makes more machines than the surge allows', () => {
  fc.assert(
    fc.property(anyCluster, anyEvents, (make, events) => {
      const cluster = make();
      const play = (): void => {
        const newSet = newSetOf(cluster);
        const before = mostOfAll(cluster, newSet);
        const { facts, plan } = playRound(cluster);
        const after = mostOfAll(cluster, newSet);
        const isFree = isScalingOnly(facts, plan);
        const bound = Math.max(before, ceilingOf(cluster)) + latecomersOf(cluster);
        const most = isFree ? Infinity : bound;
        expect({ after, isFine: after <= most }).toEqual({ after, isFine: true });
      };
      live(cluster, events, play);
      for (let round = 0; round < 30; round += 1) play();
    }),
    runs,
  );
});

test('every rollout ends, and then there is nothing more to do', () => {
  const strategies = fc.constantFrom<Strategy>('RollingUpdate', 'RollingUpdate', 'Recreate');
  fc.assert(
    fc.property(anyCluster, anyEvents, strategies, (make, events, strategy) => {
      const cluster = make();
      live(cluster, events, () => playRound(cluster));
      cluster.deployment.strategy = strategy;
      const most = 30 * (cluster.deployment.replicas + 10);
      let last = playRound(cluster);
      let quiet = 0;
      // Long enough for the slowest status to be seen.
      for (let round = 0; quiet < 6 && round < most; round += 1) {
        last = playRound(cluster);
        quiet = isDone(last) ? quiet + 1 : 0;
      }
      expect({ last, isDone: isDone(last) }).toEqual({ last, isDone: true });
      for (let round = 0; round < 8; round += 1) {
        const { plan } = playRound(cluster);
        expect({ steps: plan.steps, nodeStep: plan.nodeStep }).toEqual({ steps: [] });
      }
      expect(
        cluster.sets.filter(({ machines }) => machines.length > 0).map(({ name }) => name),
      ).toEqual(cluster.deployment.replicas === 0 ? [] : [newSetOf(cluster)?.name]);
    }),
    runs,
  );
});

function isDone({ plan }: Round): boolean {
  return plan.state === 'Complete' && plan.steps.length === 0 && plan.nodeStep === undefined;
}

test('each step changes something, and no set is written twice in one plan', () => {
  fc.assert(
    fc.property(anyCluster, anyEvents, (make, events) => {
      const cluster = make();
      let before = '';
      const play = (isDisturbed: boolean): void => {
        const { plan, refused, facts } = playRound(cluster);
        const writes = plan.steps.flatMap((step) => ('resourceVersion' in step ? step.name : []));
        expect(new Set(writes).size).toBe(writes.length);
        expect(refused).toEqual([]);
        const seen = JSON.stringify({ steps: plan.steps, sets: facts.sets });
        const hasActed = plan.steps.some(({ action }) => action !== 'refuseRollback');
        expect(hasActed && !isDisturbed && seen === before).toBe(false);
        before = seen;
      };
      live(cluster, events, play);
      for (let round = 0; round < 30; round += 1) play(round === 0);
    }),
    runs,
  );
});

test('where the new set and idle ones stand in the list does not matter', () => {
  fc.assert(
    fc.property(anyCluster, anyEvents, fc.infiniteStream(fc.nat(7)), (make, events, places) => {
      const cluster = make();
      live(cluster, events, () => {
        const { facts, plan } = playRound(cluster);
        const isFixed = (set: (typeof facts.sets)[number]): boolean =>
          isActive(set) &&
          (!set.isOfTemplate || set.isDeleting || set.name === facts.options.rolledBackFrom);
        const sets = facts.sets.filter(isFixed);
        for (const set of facts.sets.filter((one) => !isFixed(one))) {
          sets.splice(places.next().value ?? 0, 0, set);
        }
        const other = planMachineDeployment({ ...facts, sets }, now(cluster));
        expect(sorted(other)).toEqual(sorted(plan));
      });
    }),
    runs,
  );
});

function sorted(plan: Round['plan']) {
  const steps = plan.steps.map((step) => JSON.stringify(step)).toSorted();
  return { ...plan, steps };
}
