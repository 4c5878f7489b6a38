/** Options of a rollout: annotations `millwright.dev/...` of the MachineDeployment. */
import { options } from '../../../workflows/api/constants.ts';
import { className } from '../support/manifests.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import { untilCondition } from '../support/rollouts.ts';

const timeIn = (seconds: number): string =>
  new Date(Math.ceil(Date.now() / 1_000 + seconds) * 1_000).toISOString();

describe('a rollout', () => {
  const rollouts = useRollouts('options');

  test('waits until its time has come', async () => {
    const rollout = await rollouts.begin({ replicas: 2, maxSurge: 1 });
    // So late that it is seen to wait, however busy the machine is.
    const time = timeIn(3_600);
    await rollout.annotate({ [options.rolloutAfter]: time });
    await rollout.changeClass(secondClass);
    const { scenario, name } = rollout;
    const held = { status: 'Unknown', reason: 'DeploymentPaused' };
    expect(await untilCondition(scenario, name, held)).toBe(`The rollout waits until ${time}`);
    await rollout.untilFound('State="Paused" and BlockedBy="rolloutAfter"');
    const soon = timeIn(5);
    await rollout.annotate({ [options.rolloutAfter]: soon });
    await rollout.expectEnd({ class: secondClass, replicas: 2 });
    rollout.recorder.expectBounds({ maxTotal: 3, minAvailable: 2 });
    const began = rollout.recorder.timeOf('two sets', ({ sets }) => {
      return Object.keys(sets).some(
        (set) => set.startsWith(`${name}-`) && set !== rollout.firstSet,
      );
    });
    expect(began).toBeGreaterThanOrEqual(Date.parse(soon));
  });

  test('is asked for without a change of the template, by a restart', async () => {
    const rollout = await rollouts.begin({ replicas: 3, maxSurge: 2 });
    await rollout.annotate({ [options.restart]: 'monday' });
    await rollout.recorder.markWhen('the rollout has begun', ({ total }) => total > 3);
    const second = await rollout.expectEnd({ class: className, replicas: 3 });
    expect(second.filter((name) => rollout.firstMachines.includes(name))).toEqual([]);
    await rollout.annotate({ [options.restart]: 'tuesday' });
    await rollout.recorder.markWhen('it has begun again', ({ total }) => total > 3);
    const third = await rollout.expectEnd({ class: className, replicas: 3 });
    expect(third.filter((name) => second.includes(name))).toEqual([]);
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 3 });
  });

  test('stands still while an option cannot be read, and goes on when it is mended', async () => {
    const rollout = await rollouts.begin({ replicas: 1 });
    await rollout.annotate({ [options.canary]: 'some' });
    await rollout.changeClass(secondClass);
    await rollout.untilFound('State="Paused" and BlockedBy="options"');
    const { scenario, name } = rollout;
    const held = { status: 'Unknown', reason: 'DeploymentPaused' };
    expect(await untilCondition(scenario, name, held)).toContain(
      'annotation millwright.dev/canary: Invalid value: "some": must be a number',
    );
    await rollout.annotate({ [options.canary]: null });
    await rollout.expectEnd({ class: secondClass, replicas: 1 });
    rollout.recorder.expectBounds({ maxTotal: 2, minAvailable: 1 });
  });
});
