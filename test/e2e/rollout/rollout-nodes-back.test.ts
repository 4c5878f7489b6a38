/**
 * Nodes in a rollback: those of the release that is taken back are avoided, and all are kept from
 * the cluster autoscaler again.
 */
import { className } from '../support/manifests.ts';
import { holdInTheMiddle, none, oldOf, untilMarks } from '../support/rollout-nodes.ts';
import { useRollouts } from '../support/rollout-under-test.ts';

describe('Nodes', () => {
  const rollouts = useRollouts('nodes-back');

  test('are marked the other way round during a rollback, and not afterwards', async () => {
    const rollout = await rollouts.begin({ replicas: 4, maxSurge: 1 });
    await holdInTheMiddle(rollout);
    // For how long it is held is not known: the cluster autoscaler has the Nodes after a minute.
    await untilMarks(rollout, (all) => ({ avoided: oldOf(rollout, all), kept: [] }));
    // What comes now never joins, so that the rollback can be looked at.
    await rollout.scenario.cloud.addFault({ kind: 'neverJoin' });
    await rollout.patch({ rollbackTo: { revision: 1 } });
    await untilMarks(rollout, (all) => ({
      avoided: all.filter((name) => !rollout.firstMachines.includes(name)),
      kept: all,
    }));
    await rollout.scenario.cloud.clearFaults();
    // The machine that never joins is taken away by hand.
    for (const [name, phase] of Object.entries(await rollout.scenario.cluster.phases())) {
      const path = rollout.scenario.cluster.pathOf('machines', name);
      if (phase !== 'Running') await rollout.scenario.cluster.delete(path);
    }
    expect(await rollout.expectEnd({ class: className, replicas: 4 })).toHaveLength(4);
    await untilMarks(rollout, none);
    // It was replaced while it went away.
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 4, toleratedExtra: 1 });
  });
});
