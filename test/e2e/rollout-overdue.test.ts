/** Rollouts past their deadline: machines are replaced meanwhile, or join in the end. */
import { eventually } from './support/eventually.ts';
import { className } from './support/manifests.ts';
import { expectOverdue } from './support/overdue.ts';
import { secondClass, useRollouts } from './support/rollout-under-test.ts';

describe('a rollout whose machines do not join in time', () => {
  const rollouts = useRollouts('overdue');
  const { cloud } = rollouts.scenario;

  test('stops as well where they fail and are replaced again and again', async () => {
    const rollout = await rollouts.begin({
      replicas: 4,
      maxSurge: 2,
      progressDeadlineSeconds: 10,
    });
    await cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass, { creationTimeout: '2s' });
    await expectOverdue(rollout);
    // Of the new set some were there and are gone.
    await eventually('one was replaced', () =>
      expect(rollout.recorder.machineNames.size).toBeGreaterThan(6),
    );
    await cloud.clearFaults();
    expect(await rollout.update('rollback', {})).toBe('Rollback to the previous revision');
    const machines = await rollout.expectEnd({ class: className, replicas: 4 });
    expect(machines).toEqual(rollout.firstMachines);
    // A failed machine is replaced while it goes away.
    rollout.recorder.expectBounds({ maxTotal: 6, minAvailable: 4, toleratedExtra: 2 });
  });

  test('goes on by itself when they join after all', async () => {
    const rollout = await rollouts.begin({ replicas: 2, progressDeadlineSeconds: 4 });
    await cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass, { creationTimeout: '12s' });
    await expectOverdue(rollout);
    await cloud.clearFaults();
    // The one that never joined fails and is replaced.
    expect(await rollout.expectEnd({ class: secondClass, replicas: 2 })).toHaveLength(2);
    rollout.recorder.expectBounds({ maxTotal: 3, minAvailable: 2, toleratedExtra: 1 });
  });
});
