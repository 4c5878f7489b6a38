/**
 * Nodes in a rollout: old ones are avoided by new pods, and the cluster autoscaler leaves all of
 * them alone. `rollout-nodes-back` takes a rollout back, by night.
 */
import { holdInTheMiddle, none, oldOf, untilMarks } from './support/rollout-nodes.ts';
import { secondClass, useRollouts } from './support/rollout-under-test.ts';

describe('Nodes', () => {
  const rollouts = useRollouts('nodes');

  test('are marked during a rollout, and not afterwards', async () => {
    const rollout = await rollouts.begin({ replicas: 4, maxSurge: 1 });
    await untilMarks(rollout, none);
    await holdInTheMiddle(rollout);
    await untilMarks(rollout, (all) => ({ avoided: oldOf(rollout, all), kept: all }));
    await rollout.signal('resume', {});
    expect(await rollout.expectEnd({ class: secondClass, replicas: 4 })).toHaveLength(4);
    await untilMarks(rollout, none);
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 4 });
  });
});
