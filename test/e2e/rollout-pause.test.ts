/** A rollout stands still while it is paused, whoever paused it how, and goes on afterwards. */
import { describe, expect, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { secondClass, useRollouts, type Rollout } from './support/rollout-under-test.ts';
import { untilCondition } from './support/rollouts.ts';

const replicas = 5;

async function expectPaused(rollout: Rollout): Promise<void> {
  const { scenario, name } = rollout;
  const expected = { status: 'Unknown', reason: 'DeploymentPaused' };
  expect(await untilCondition(scenario, name, expected)).toBe('Deployment is paused');
  await rollout.untilFound('State="Paused" and BlockedBy="paused"');
  expect((await rollout.deployment()).spec.paused).toBe(true);
  await rollout.expectStandstill();
  // In the middle indeed.
  const { sizes } = rollout;
  expect(sizes.old).toBeGreaterThan(0);
  expect(sizes.new).toBeGreaterThan(0);
}

describe('a rollout', () => {
  const rollouts = useRollouts('pause');

  test('is paused and resumed in the middle by its spec', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2, maxUnavailable: 1 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    await rollout.patch({ paused: true });
    await expectPaused(rollout);
    await rollout.patch({ paused: false });
    expect(await rollout.expectEnd({ class: secondClass, replicas })).toHaveLength(replicas);
    rollout.recorder.expectBounds({ maxTotal: 7, minAvailable: 4 });
  });

  test('is paused and resumed in the middle by signals, and Events say so', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2, maxUnavailable: 1 });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    await rollout.signal('pause', { by: 'ann' });
    await expectPaused(rollout);
    const { workflows, namespace } = rollout.scenario;
    await eventually('its page says that it is paused', async () => {
      const { details } = await workflows.pageOf('machineDeployment', rollout.name);
      expect(details).toContain(': Paused');
      expect(details).toContain('Deployment is paused');
      expect(details).toContain(`- **old** \`machineSet/${namespace}/${rollout.firstSet}\``);
      expect(details).toContain('- **new** `machineSet/');
    });
    await rollout.signal('resume', { by: 'ann' });
    await rollout.expectEnd({ class: secondClass, replicas });
    expect((await rollout.deployment()).spec.paused).toBeUndefined();
    expect(await rollout.events()).toEqual(
      expect.arrayContaining([
        expect.stringContaining('DeploymentPaused | Paused, asked for through Temporal by "ann"'),
        expect.stringContaining('DeploymentResumed | Resumed, asked for through Temporal by "ann"'),
      ]),
    );
    rollout.recorder.expectBounds({ maxTotal: 7, minAvailable: 4 });
  });

  test('a rollout that is paused before the template changes makes no set until it is resumed', async () => {
    const rollout = await rollouts.begin({ replicas: 2 });
    expect(await rollout.update('pause', {})).toBe('Paused');
    await rollout.changeClass(secondClass);
    await rollout.untilFound('State="Paused"');
    await rollout.expectStandstill();
    expect(await rollout.revisions()).toHaveLength(1);
    // Scaling goes on: the only set follows.
    await rollout.scenario.cluster.scale(rollout.name, 3);
    await rollout.recorder.markWhen('3 old machines', ({ available }) => available === 3);
    expect(await rollout.update('resume', {})).toBe('Resumed');
    await rollout.expectEnd({ class: secondClass, replicas: 3 });
    rollout.recorder.expectBounds({ maxTotal: 4, minAvailable: 2 });
  });
});
