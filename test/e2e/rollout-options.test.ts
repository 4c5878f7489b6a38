/** Options of a rollout: annotations `millwright.dev/...` of the MachineDeployment. */
import { describe, expect, test } from '@jest/globals';
import { options } from '../../workflows/api/constants.ts';
import type { State } from './support/bounds.ts';
import { className } from './support/manifests.ts';
import { secondClass, useRollouts, type Rollout } from './support/rollout-under-test.ts';
import { untilCondition } from './support/rollouts.ts';

/** When it became so, milliseconds. */
function timeOf({ recorder }: Rollout, what: string, holds: (state: State) => boolean): number {
  const found = recorder.states.find(holds);
  if (found === undefined) throw new Error(`never: ${what}. ${recorder.summary()}`);
  return found.at.getTime();
}

describe('a rollout', () => {
  const rollouts = useRollouts('options');

  const patient: [string, Record<string, string>][] = [
    ['a soak', { [options.soak]: '4s' }],
    [
      'minReadySeconds, which count where an annotation says so',
      { [options.honorMinReadySeconds]: 'true' },
    ],
  ];

  test.each(patient)('with %s takes no old machine before', async (_words, annotations) => {
    const rollout = await rollouts.begin({ replicas: 2, maxSurge: 1, minReadySeconds: 4 });
    await rollout.annotate(annotations);
    await rollout.changeClass(secondClass);
    await rollout.expectEnd({ class: secondClass, replicas: 2 });
    rollout.recorder.expectBounds({ maxTotal: 3, minAvailable: 2 });
    const ran = timeOf(rollout, '3 are Running', ({ available }) => available === 3);
    const went = timeOf(rollout, 'the first is to go', ({ sets }) => {
      return (sets[rollout.firstSet]?.wanted ?? 0) < 2;
    });
    // Times of Kubernetes are whole seconds.
    expect(went - ran).toBeGreaterThanOrEqual(3_000);
  });

  test('waits until its time has come', async () => {
    const rollout = await rollouts.begin({ replicas: 2, maxSurge: 1 });
    const at = Math.ceil(Date.now() / 1_000 + 5) * 1_000;
    const time = new Date(at).toISOString();
    await rollout.annotate({ [options.rolloutAfter]: time });
    await rollout.changeClass(secondClass);
    const { scenario, name } = rollout;
    const held = { status: 'Unknown', reason: 'DeploymentPaused' };
    expect(await untilCondition(scenario, name, held)).toBe(`The rollout waits until ${time}`);
    await rollout.untilFound('RolloutState="Paused" and BlockedBy="rolloutAfter"');
    await rollout.expectEnd({ class: secondClass, replicas: 2 });
    rollout.recorder.expectBounds({ maxTotal: 3, minAvailable: 2 });
    const began = timeOf(rollout, 'two sets', ({ sets }) => {
      return Object.keys(sets).some(
        (set) => set.startsWith(`${name}-`) && set !== rollout.firstSet,
      );
    });
    expect(began).toBeGreaterThanOrEqual(at);
  });

  test('is asked for without a change of the template, by a restart', async () => {
    const rollout = await rollouts.begin({ replicas: 4, maxSurge: 2 });
    await rollout.annotate({ [options.restart]: 'monday' });
    await rollout.recorder.markWhen('the rollout has begun', ({ total }) => total > 4);
    const second = await rollout.expectEnd({ class: className, replicas: 4 });
    expect(second.filter((name) => rollout.firstMachines.includes(name))).toEqual([]);
    await rollout.annotate({ [options.restart]: 'tuesday' });
    await rollout.recorder.markWhen('it has begun again', ({ total }) => total > 4);
    const third = await rollout.expectEnd({ class: className, replicas: 4 });
    expect(third.filter((name) => second.includes(name))).toEqual([]);
    rollout.recorder.expectBounds({ maxTotal: 6, minAvailable: 4 });
  });

  test('stands still while an option cannot be read, and goes on when it is mended', async () => {
    const rollout = await rollouts.begin({ replicas: 1 });
    await rollout.annotate({ [options.canary]: 'some' });
    await rollout.changeClass(secondClass);
    await rollout.untilFound('RolloutState="Paused" and BlockedBy="options"');
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
