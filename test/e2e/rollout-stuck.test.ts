/** New machines never join: the rollout stops at its bounds, says why, and is taken back. */
import { describe, expect, test } from '@jest/globals';
import { options } from '../../workflows/api/constants.ts';
import { className } from './support/manifests.ts';
import { secondClass, thirdClass, useRollouts, type Rollout } from './support/rollout.ts';
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
    `RolloutState="Blocked" and BlockedBy="MachineSet/${set}" and Attention="person"`,
  );
  await rollout.untilEvent('ProgressDeadlineExceeded | MachineSet');
}

describe('a rollout whose machines never join', () => {
  const rollouts = useRollouts('stuck');
  const { cloud, workflows } = rollouts.scenario;
  const replicas = 6;

  test('stops when all room is taken, says so, and is rolled back', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2, progressDeadlineSeconds: 5 });
    await cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass);
    await rollout.recorder.markWhen('all room is taken', ({ total }) => total === 8);
    await expectOverdue(rollout);
    const { details } = await workflows.pageOf('machineDeployment', rollout.name);
    const set = await newSetOf(rollout);
    expect(details).toContain(`waits for 2 machines of MachineSet ${set} to become available`);
    expect(details).toContain('no room for more, at most 8 machines');
    expect(details).toContain('no progress within the deadline');
    expect(details).toContain(`**Blocked by:** MachineSet/${set}`);
    expect(rollout.sizes).toEqual({ old: 6, new: 2 });
    await cloud.clearFaults();
    await rollout.patch({ rollbackTo: {} });
    const machines = await rollout.expectEnd({ class: className, replicas });
    expect(machines).toEqual(rollout.firstMachines);
    rollout.recorder.expectBounds({ maxTotal: 8, minAvailable: 6 });
  });

  test('that fail and are replaced again and again stops as well', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2, progressDeadlineSeconds: 10 });
    await cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass, { creationTimeout: '2s' });
    await expectOverdue(rollout);
    // Of the new set some were there and are gone.
    expect(rollout.recorder.machineNames.size).toBeGreaterThan(8);
    await cloud.clearFaults();
    expect(await rollout.update('rollback', {})).toBe('Rollback to the previous revision');
    const machines = await rollout.expectEnd({ class: className, replicas });
    expect(machines).toEqual(rollout.firstMachines);
    // A failed machine is replaced while it goes away.
    rollout.recorder.expectBounds({ maxTotal: 8, minAvailable: 6, toleratedExtra: 2 });
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

describe('a rollout with automatic rollback whose machines never join', () => {
  const rollouts = useRollouts('giveup');
  const { scenario } = rollouts;
  const replicas = 4;

  test('goes back to the set before until the template changes', async () => {
    const rollout = await rollouts.begin({
      replicas,
      maxSurge: 1,
      maxUnavailable: 1,
      progressDeadlineSeconds: 6,
    });
    await rollout.annotate({ [options.autoRollback]: 'true' });
    await scenario.cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass);
    await rollout.recorder.markWhen('old machines are missing', (state) => {
      const old = state.sets[rollout.firstSet]?.total ?? 0;
      return old === 3 && state.total === 5;
    });
    // The old set can have its machines back.
    await scenario.cloud.clearFaults();
    const failed = await newSetOf(rollout);
    await rollout.untilEvent(
      `AutomaticRollback | MachineSet ${failed} made no progress within the deadline: back to ${rollout.firstSet}`,
    );
    await rollout.recorder.markWhen('only old machines', ({ sets, total }) => {
      const { available = 0 } = sets[rollout.firstSet] ?? {};
      return available === replicas && total === replicas;
    });
    await rollout.untilFound(`RolloutState="Blocked" and BlockedBy="MachineSet/${failed}"`);
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 4, new: 0 });
    const { metadata, spec } = await rollout.deployment();
    expect(spec.template.spec?.class?.name).toBe(secondClass);
    expect(metadata.annotations?.[options.rolledBackFrom]).toBe(failed);
    const overdue = { status: 'False', reason: 'ProgressDeadlineExceeded' };
    expect(await untilCondition(scenario, rollout.name, overdue)).toContain(
      `rolled back to "${rollout.firstSet}" until the template changes`,
    );
    await rollout.changeClass(thirdClass);
    await rollout.expectEnd({ class: thirdClass, replicas });
    expect((await rollout.deployment()).metadata.annotations).not.toHaveProperty([
      options.rolledBackFrom,
    ]);
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 3 });
  });
});
