/** Option `millwright.dev/canary` in waves: those with a time go on by themselves. */
import { options } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { machinesOf } from '../support/machines.ts';
import { secondClass, useRollouts, type Rollout } from '../support/rollout-under-test.ts';

async function noteOf(rollout: Rollout, key: string): Promise<string | undefined> {
  return (await rollout.deployment()).metadata.annotations?.[key];
}

async function untilWave(rollout: Rollout, passed: string): Promise<string> {
  return await eventually(`the wave after ${passed} has its time`, async () => {
    const since = (await noteOf(rollout, options.canarySince)) ?? '';
    expect(since).toMatch(new RegExp(`^${passed} .* \\d+ `));
    return since;
  });
}

describe('a rollout in waves', () => {
  const rollouts = useRollouts('waves', { isDoubled: false });
  const { operator, cluster } = rollouts.scenario;

  test('goes on by itself when all went well, also where the worker dies meanwhile', async () => {
    const rollout = await rollouts.begin({ replicas: 6, maxSurge: 1 });
    await rollout.annotate({ [options.canary]: '1 for 5s, 50% for 45s' });
    await rollout.changeClass(secondClass);
    await rollout.untilFound('State="Paused" and BlockedBy="canary" and Attention="none"');
    const since = await untilWave(rollout, '2:1');
    expect(rollout.sizes).toEqual({ old: 3, new: 3 });
    await operator.kill9('worker');
    await rollout.expectEnd({ class: secondClass, replicas: 6 });
    expect(await noteOf(rollout, options.canaryPassed)).toBe('2:2');
    const events = await rollout.events();
    expect(events.filter((text) => text.startsWith('CanaryPassed | '))).toHaveLength(2);
    const grownAt = rollout.recorder.timeOf('more machines than the wave has', ({ sets }) =>
      Object.entries(sets).some(([name, set]) => name !== rollout.firstSet && (set.wanted ?? 0) > 3),
    );
    expect(grownAt - Date.parse(since.split(' ')[1] ?? '')).toBeGreaterThanOrEqual(45_000);
    rollout.recorder.expectBounds({ maxTotal: 7, minAvailable: 6 });
  });

  test('waits for a person where a new machine was lost, who lets that wave pass and no other', async () => {
    const rollout = await rollouts.begin({ replicas: 6, maxSurge: 1 });
    await rollout.annotate({ [options.canary]: '1 for 1h, 2 for 1h, 3 for 5s' });
    await rollout.changeClass(secondClass);
    await untilWave(rollout, '2:0');
    const machines = await machinesOf(rollouts.scenario, rollout.name);
    const [lost] = machines.filter(({ spec }) => spec.class?.name === secondClass);
    await cluster.delete(cluster.pathOf('machines', lost?.metadata.name ?? ''));
    await rollout.untilFound('BlockedBy="canary" and Attention="person"');
    expect(await noteOf(rollout, options.canarySince)).toMatch(/^2:0 .* failed$/);
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 5, new: 1 });
    expect(await rollout.update('resume', {})).toBe('Resumed, past wave 1 of revision 2');
    await untilWave(rollout, '2:1');
    await rollout.expectStandstill();
    expect(rollout.sizes).toEqual({ old: 4, new: 2 });
    expect(await rollout.update('resume', {})).toBe('Resumed, past wave 2 of revision 2');
    await rollout.expectEnd({ class: secondClass, replicas: 6 });
    rollout.recorder.expectBounds({ maxTotal: 7, minAvailable: 5, toleratedExtra: 1 });
  });
});
