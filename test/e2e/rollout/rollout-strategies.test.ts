/** The other strategies: Recreate, on delete. In place: `test/e2e/in-place`. */
import { options } from '../../../workflows/api/constants.ts';
import { deleteMachine } from '../support/machines.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import { untilCondition } from '../support/rollouts.ts';

describe('a rollout', () => {
  const rollouts = useRollouts('strategies');

  test('by Recreate never has machines of both generations', async () => {
    const rollout = await rollouts.begin({ replicas: 5, strategy: { type: 'Recreate' } });
    await rollout.changeClass(secondClass);
    await rollout.expectEnd({ class: secondClass, replicas: 5 });
    const mixed = rollout.recorder.states.filter(({ sets }) => {
      const generations = Object.values(sets).filter(({ total }) => total > 0);
      return generations.length > 1;
    });
    expect(mixed).toEqual([]);
    rollout.recorder.expectBounds({ maxTotal: 5 });
    expect(rollout.recorder.extremes()).toEqual({ maxTotal: 5, minAvailable: 0 });
  });

  test('on delete replaces the machines that somebody deletes, and no other', async () => {
    const rollout = await rollouts.begin({ replicas: 3 });
    await rollout.annotate({ [options.onDelete]: 'true' });
    await rollout.changeClass(secondClass);
    await rollout.untilFound('State="Paused" and BlockedBy="onDelete"');
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 3, new: 0 });
    const held = { status: 'Unknown', reason: 'DeploymentPaused' };
    expect(await untilCondition(rollout.scenario, rollout.name, held)).toBe(
      'OnDelete: 3 machines of old sets left',
    );
    const [first = '', ...others] = rollout.firstMachines;
    await deleteMachine(rollout.scenario, first);
    await rollout.recorder.markWhen('it is replaced', ({ sets, available }) => {
      return available === 3 && sets[rollout.firstSet]?.total === 2;
    });
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 2, new: 1 });
    for (const name of others) await deleteMachine(rollout.scenario, name);
    await rollout.expectEnd({ class: secondClass, replicas: 3 });
    rollout.recorder.expectBounds({ maxTotal: 3 });
  });
});
