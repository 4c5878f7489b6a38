/** `replicas` are served, whatever holds a rollout. */
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { playRound } from '../../../../support/simulate.ts';
import type { Round } from '../../../../support/simulate.ts';
import type { Cluster } from '../../../../support/simulated-cluster.ts';
import { isGoing } from '../../../../support/simulated-cluster.ts';
import { ceilingOf, certainOf, floorOf } from './bounds.ts';
import { anyCluster, anyEvents } from './random-cluster.ts';

const runs = { numRuns: 300 };

/** Until the deployment has had nothing to do for longer than the slowest status takes. */
function settle(cluster: Cluster): Round {
  let last = playRound(cluster);
  let quiet = 0;
  const most = 30 * (cluster.deployment.replicas + 10);
  for (let round = 0; quiet < 12 && round < most; round += 1) {
    last = playRound(cluster);
    quiet = last.plan.steps.length === 0 && !isUnderWay(cluster) ? quiet + 1 : 0;
  }
  return last;
}

/** Machines that never join come and go for ever: of them only the sizes settle. */
function isUnderWay({ sets, broken }: Cluster): boolean {
  return sets.some(
    ({ machines, template, replicas, isDeleting, isClosed }) =>
      isDeleting ||
      (!broken.has(template) &&
        (machines.some(isGoing) || (!isClosed && machines.length < replicas))),
  );
}

test('with any options and after any events the sizes reach what is wanted, and stay within the surge', () => {
  fc.assert(
    fc.property(anyCluster, anyEvents, (make, events) => {
      const cluster = make();
      for (const { wait, happen } of events) {
        for (let left = wait; left > 0; left -= 1) playRound(cluster);
        happen(cluster);
      }
      const { plan, facts } = settle(cluster);
      const { replicas } = cluster.deployment;
      const sizes = cluster.sets.reduce((sum, set) => sum + set.replicas, 0);
      // While a rollout stands still no set is made: without any there is nobody to serve.
      const least = cluster.sets.length === 0 ? 0 : replicas;
      const told = {
        state: plan.state,
        reason: plan.reason,
        replicas,
        sets: cluster.sets.map((set) => `${set.name}: ${set.replicas}`),
      };
      // Machines of too low a priority stand before those that do not run, and are needed.
      const { strategy } = cluster.deployment;
      const floor = strategy === 'Recreate' ? replicas : floorOf(cluster);
      const isNeeded = certainOf(facts.sets) <= floor;
      const isWithin = sizes <= ceilingOf(cluster) || isNeeded;
      expect({ ...told, isServed: sizes >= least, isWithin }).toEqual({
        ...told,
        isServed: true,
        isWithin: true,
      });
      expect({ ...told, steps: plan.steps }).toEqual({ ...told, steps: [] });
      const joining = cluster.sets.filter(({ template }) => !cluster.broken.has(template));
      const present = joining.map((set) => ({
        name: set.name,
        isClosed: set.isClosed,
        machines: set.machines.filter((machine) => !isGoing(machine)).length,
      }));
      expect({ ...told, present }).toEqual({
        ...told,
        present: joining.map(({ name, isClosed, replicas: machines }) => ({
          name,
          isClosed,
          machines,
        })),
      });
    }),
    runs,
  );
});
