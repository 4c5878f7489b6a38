/** A rollout is paused and resumed by signals. */
import { eventually } from './support/eventually.ts';
import { expectPaused } from './support/paused.ts';
import { secondClass, useRollouts } from './support/rollout-under-test.ts';

const replicas = 5;

describe('a rollout', () => {
  const rollouts = useRollouts('pause-signals');

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
    await rollout.untilEvent('DeploymentPaused | Paused, asked for through Temporal by "ann"');
    await rollout.untilEvent('DeploymentResumed | Resumed, asked for through Temporal by "ann"');
    rollout.recorder.expectBounds({ maxTotal: 7, minAvailable: 4 });
  });
});
