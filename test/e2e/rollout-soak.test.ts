/** Options of a rollout that let new machines prove themselves before old ones go. */
import { options } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { machinesOf } from './support/machines.ts';
import { secondClass, useRollouts, type Rollout } from './support/rollout-under-test.ts';

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
  const rollouts = useRollouts('patient');

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
    const went = rollout.recorder.timeOf('the first is to go', ({ sets }) => {
      return (sets[rollout.firstSet]?.wanted ?? 0) < 2;
    });
    expect(went - ran).toBeGreaterThanOrEqual(4_000);
  });
});
