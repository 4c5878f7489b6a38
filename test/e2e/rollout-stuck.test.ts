/** New machines never join: the rollout stops at its bounds, says why, and is taken back. */
import { describe, expect, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { className } from './support/manifests.ts';
import { secondClass, useRollouts, type Rollout } from './support/rollout-under-test.ts';
import { untilCondition } from './support/rollouts.ts';

async function newSetOf(rollout: Rollout): Promise<string> {
  const revisions = await rollout.revisions();
  return revisions.at(-1)?.set ?? '';
}

async function expectOverdue(rollout: Rollout): Promise<void> {
  const { scenario, name } = rollout;
  const overdue = { status: 'False', reason: 'ProgressDeadlineExceeded' };
  const message = await untilCondition(scenario, name, overdue);
  const set = await newSetOf(rollout);
  expect(message).toBe(`MachineSet "${set}" has timed out progressing.`);
  await rollout.untilFound(
    `State="Blocked" and BlockedBy="MachineSet/${set}" and Attention="person"`,
  );
  await rollout.untilEvent('ProgressDeadlineExceeded | MachineSet');
}

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

  test('a rollout whose machines fail and are replaced again and again stops as well', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2, progressDeadlineSeconds: 10 });
    await cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass, { creationTimeout: '2s' });
    await expectOverdue(rollout);
    // Of the new set some were there and are gone.
    expect(rollout.recorder.machineNames.size).toBeGreaterThan(6);
    await cloud.clearFaults();
    expect(await rollout.update('rollback', {})).toBe('Rollback to the previous revision');
    const machines = await rollout.expectEnd({ class: className, replicas });
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
