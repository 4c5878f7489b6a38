/** Options of a rollout: annotations `millwright.dev/...` of the MachineDeployment. */
import { describe, expect, test } from 'vitest';
import { options } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { State } from './support/states.ts';
import { machinesOf } from './support/machines.ts';
import { className } from './support/manifests.ts';
import { secondClass, useRollouts, type Rollout } from './support/rollout-under-test.ts';
import { untilCondition } from './support/rollouts.ts';

/** When it became so, milliseconds. */
function timeOf({ recorder }: Rollout, what: string, holds: (state: State) => boolean): number {
  const found = recorder.states.find(holds);
  if (found === undefined) throw new Error(`never: ${what}. ${recorder.summary()}`);
  return found.at.getTime();
}

async function newMachinesOf({ scenario, name, firstMachines }: Rollout): Promise<Machine[]> {
  const machines = await machinesOf(scenario, name);
  return machines.filter(({ metadata }) => !firstMachines.includes(metadata.name));
}

/**
 * Milliseconds, as its object says it: the recorder may see it later. The time is cut to the
 * second, so that it may have been as late as at the end of that.
 */
function runningSince({ metadata, status }: Machine): number {
  const time = status?.currentStatus?.lastUpdateTime;
  if (time === undefined) throw new Error(`${metadata.name} does not say since when it runs`);
  return Date.parse(time) + 1_000;
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
    const ran = Math.min(...(await newMachinesOf(rollout)).map(runningSince));
    const went = timeOf(rollout, 'the first is to go', ({ sets }) => {
      return (sets[rollout.firstSet]?.wanted ?? 0) < 2;
    });
    expect(went - ran).toBeGreaterThanOrEqual(4_000);
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
    await rollout.untilFound('State="Paused" and BlockedBy="rolloutAfter"');
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
