/** The other strategies: Recreate, on delete, in place. */
import { options } from '../../../workflows/api/constants.ts';
import { deleteMachine } from '../support/machines.ts';
import { className } from '../support/manifests.ts';
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

  test('in place is refused with a condition and an Event, and nothing is touched', async () => {
    const inPlaceUpdate = { maxSurge: 1, maxUnavailable: 0, orchestrationType: 'Auto' } as const;
    const strategy = { type: 'InPlaceUpdate', inPlaceUpdate } as const;
    const rollout = await rollouts.begin({ replicas: 2, strategy });
    await rollout.changeClass(secondClass);
    const refused = { status: 'False', reason: 'InPlaceUpdateNotSupported' };
    const message = await untilCondition(rollout.scenario, rollout.name, refused);
    expect(message).toContain('InPlaceUpdate is not supported yet: nothing is touched');
    await rollout.untilEvent(`InPlaceUpdateNotSupported | ${message}`);
    await rollout.untilFound('State="Blocked" and BlockedBy="spec"');
    await rollout.expectStandstill();
    expect(await rollout.revisions()).toHaveLength(1);
    // Taken back, all is well, and the machines are the same.
    await rollout.changeClass(className);
    expect(await rollout.expectEnd({ class: className, replicas: 2 })).toEqual(
      rollout.firstMachines,
    );
    rollout.recorder.expectBounds({ maxTotal: 2, minAvailable: 2 });
  });
});
