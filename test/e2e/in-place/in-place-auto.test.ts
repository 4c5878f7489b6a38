/** Machines are updated in place: they stay the machines that they were. */
import { labels } from '../../../workflows/api/constants.ts';
import { operatorWrites } from '../support/audit.ts';
import { useInPlace } from '../support/in-place.ts';

/** To a machine, its Node and about both: docs/internals/budgets.md. Two more for conflicts. */
const writesMax = 24;

const order = [
  'CandidateForUpdate',
  'SelectedForUpdate',
  'DrainSuccessful',
  'ReadyForUpdate',
  'UpdateSuccessful',
] as const;

async function writesOf(names: readonly string[]): Promise<Record<string, number>> {
  const counts = names.map(async (name) => [name, (await operatorWrites(name)).length] as const);
  return Object.fromEntries(await Promise.all(counts));
}

describe('an update in place', () => {
  const inPlaces = useInPlace('in-place-auto');

  test.each([
    { replicas: 3, maxSurge: 0, maxUnavailable: 1 },
    { replicas: 4, maxSurge: 0, maxUnavailable: 2 },
    { replicas: 3, maxSurge: 1, maxUnavailable: 1 },
  ])(
    'of $replicas machines with maxSurge $maxSurge and maxUnavailable $maxUnavailable',
    async ({ replicas, maxSurge, maxUnavailable }) => {
      const inPlace = await inPlaces.begin({ replicas, maxSurge, maxUnavailable });
      const { rollout, nodes, names } = inPlace;
      const before = await writesOf(names);
      await inPlace.changeTemplate('two');
      const after = await inPlace.expectUpdated({ made: maxSurge });
      // No call of a driver but for the machine above the number, and the one that it replaces.
      const kept = names.filter((name) => after.includes(name));
      expect(kept).toHaveLength(replicas - maxSurge);
      expect(await inPlace.deleted()).toEqual(names.filter((name) => !kept.includes(name)));
      expect(rollout.recorder.machineNames.size).toBe(replicas + maxSurge);
      nodes.expectBounds({
        minInService: replicas - maxUnavailable,
        maxSelected: maxUnavailable + maxSurge,
      });
      // It takes the room that it has.
      expect(nodes.mostSelected).toBeGreaterThanOrEqual(maxUnavailable);
      rollout.recorder.expectBounds({
        maxTotal: replicas + maxSurge,
        minAvailable: replicas - maxUnavailable,
      });
      const writes = await writesOf(kept);
      const costs = kept.map((name) => (writes[name] ?? 0) - (before[name] ?? 0));
      expect(costs.filter((count) => count > writesMax)).toEqual([]);
      for (const name of kept) {
        const reasons = nodes.reasons.get(name) ?? [];
        // A write that follows at once may say the next reason.
        expect(reasons).toEqual(order.filter((reason) => reasons.includes(reason)));
        expect(reasons.slice(-2)).toEqual(['ReadyForUpdate', 'UpdateSuccessful']);
      }
      await expectClosed(inPlace);
    },
  );

  /** The set before makes no machines any more, and wants none. */
  async function expectClosed({ rollout }: Awaited<ReturnType<typeof inPlaces.begin>>) {
    const [first, second] = await rollout.revisions();
    expect(first).toMatchObject({ set: rollout.firstSet, wanted: 0, replicas: 0 });
    expect(second).toMatchObject({
      revision: 2,
      wanted: (await rollout.deployment()).spec.replicas,
    });
    const sets = await rollout.scenario.cluster.sets();
    const closed = sets.filter(
      ({ metadata }) => metadata.labels?.[labels.scaleUpDisabled] === 'true',
    );
    expect(closed.map(({ metadata }) => metadata.name)).toEqual([rollout.firstSet]);
  }
});
