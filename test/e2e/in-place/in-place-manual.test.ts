/** With orchestrationType Manual a person chooses whose turn it is. */
import { untilCondition } from '../support/rollouts.ts';
import { Workloads } from '../support/workloads.ts';
import { labels } from '../../../workflows/api/constants.ts';
import { useInPlace } from '../support/in-place.ts';

describe('an update in place by hand', () => {
  const inPlaces = useInPlace('in-place-manual');
  const workloads = new Workloads(inPlaces.scenario);

  test('updates the Nodes that a person labels, and no other', async () => {
    const inPlace = await inPlaces.begin({
      replicas: 3,
      maxUnavailable: 1,
      orchestrationType: 'Manual',
    });
    const { rollout, nodes, names } = inPlace;
    const [first = '', second = '', third = ''] = names;
    await inPlace.changeTemplate('two');
    await inPlace.untilSome(3, 'CandidateForUpdate');
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 3, new: 0 });
    await inPlace.select(second);
    await inPlace.untilMoved([second]);
    await inPlace.untilSome(2, 'CandidateForUpdate');
    // The last step, after the sizes have followed the move.
    await rollout.untilEvent('UpdatedInPlace | ');
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 2, new: 1 });
    // Both at once: a person may know better than maxUnavailable.
    await inPlace.select(first);
    await inPlace.select(third);
    await inPlace.expectUpdated();
    expect(await inPlace.deleted()).toEqual([]);
    nodes.expectBounds({ minInService: 1, maxSelected: 2 });
    await untilCondition(inPlaces.scenario, rollout.name, {
      status: 'True',
      reason: 'NewMachineSetAvailable',
    });
  });

  test('a Node whose label is taken back before its drain is done stays what it was', async () => {
    const inPlace = await inPlaces.begin({ replicas: 2, orchestrationType: 'Manual' });
    const [first = '', second = ''] = inPlace.names;
    await workloads.start({ app: 'web', nodeName: first, tolerates: 'dedicated' });
    await workloads.guard('web', { app: 'web', maxUnavailable: 0 });
    await inPlace.changeTemplate('two');
    await inPlace.untilSome(2, 'CandidateForUpdate');
    await inPlace.select(first);
    await inPlace.untilReason(first, 'SelectedForUpdate');
    await inPlace.mark(first, { labels: { [labels.selectedForUpdate]: null } });
    await inPlace.untilReason(first, 'CandidateForUpdate');
    await inPlace.select(second);
    await inPlace.untilMoved([second]);
    expect(await workloads.podsOn(first, 'web')).toHaveLength(1);
    await inPlaces.scenario.cluster.delete(workloads.budgets('web'));
    await inPlace.select(first);
    await inPlace.expectUpdated();
    expect(await inPlace.deleted()).toEqual([]);
    await workloads.end('web');
  });
});
