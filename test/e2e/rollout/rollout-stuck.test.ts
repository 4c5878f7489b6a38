/** New machines never join: the rollout stops at its bounds, says why, and is taken back. */
import { eventually } from '../../support/eventually.ts';
import { className } from '../support/manifests.ts';
import { expectOverdue, newSetOf } from '../support/overdue.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';

describe('a rollout whose machines never join', () => {
  const rollouts = useRollouts('stuck');
  const { cloud, workflows } = rollouts.scenario;
  const replicas = 4;

  test('stops when all room is taken, says so, and is rolled back', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2, progressDeadlineSeconds: 5 });
    await cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass);
    await rollout.recorder.markWhen('all room is taken', ({ total }) => total === 6);
    await expectOverdue(rollout);
    const set = await newSetOf(rollout);
    await eventually('its page says what it waits for', async () => {
      const { details } = await workflows.pageOf('machineDeployment', rollout.name);
      expect(details).toContain(`waits for 2 machines of MachineSet ${set} to become available`);
      expect(details).toContain('no room for more, at most 6 machines');
      expect(details).toContain('no progress within the deadline');
      expect(details).toContain(`**Blocked by:** MachineSet/${set}`);
    });
    expect(rollout.sizes).toEqual({ old: 4, new: 2 });
    await cloud.clearFaults();
    await rollout.patch({ rollbackTo: {} });
    const machines = await rollout.expectEnd({ class: className, replicas });
    expect(machines).toEqual(rollout.firstMachines);
    rollout.recorder.expectBounds({ maxTotal: 6, minAvailable: 4 });
  });
});
