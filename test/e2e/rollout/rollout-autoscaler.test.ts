/** The cluster autoscaler: what it may do during a rollout, and which machines it wants gone. */
import { annotations } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { className } from '../support/manifests.ts';
import { holdInTheMiddle, none, oldOf, untilMarks } from '../support/rollout-nodes.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';

describe('Nodes without --autoscaler-scaledown-annotation-during-rollout', () => {
  const workerFlags = ['--autoscaler-scaledown-annotation-during-rollout=false'];
  const rollouts = useRollouts('unkept', { workerFlags });

  test('are not kept from the cluster autoscaler, but avoided', async () => {
    const rollout = await rollouts.begin({ replicas: 4, maxSurge: 1 });
    await holdInTheMiddle(rollout);
    await untilMarks(rollout, (all) => ({ avoided: oldOf(rollout, all), kept: [] }));
    await rollout.signal('resume', {});
    expect(await rollout.expectEnd({ class: secondClass, replicas: 4 })).toHaveLength(4);
    await untilMarks(rollout, none);
  });
});

describe('the cluster autoscaler', () => {
  const rollouts = useRollouts('autoscaler');
  const { cluster } = rollouts.scenario;

  test('names the machines that go when it lowers the number', async () => {
    const rollout = await rollouts.begin({ replicas: 5 });
    const time = new Date().toISOString().replace(/\.\d+Z/, 'Z');
    const [first = '', second = '', third = '', ...others] = rollout.firstMachines;
    const trigger = (names: string[]): object => ({
      [annotations.triggerDeletion]: names.map((name) => `${name}~${time}`).join(),
      [annotations.lastScaledByAutoscaler]: time,
    });
    const scaleDown = async (names: string[], replicas: number): Promise<void> => {
      const patch = { metadata: { annotations: trigger(names) }, spec: { replicas } };
      await cluster.patch('machinedeployments', rollout.name, patch);
    };
    await scaleDown([second], 4);
    expect(await rollout.expectEnd({ class: className, replicas: 4 })).toEqual(
      [first, third, ...others].toSorted(),
    );
    await scaleDown([first, third, 'nobody'], 2);
    expect(await rollout.expectEnd({ class: className, replicas: 2 })).toEqual(others);
    await eventually('nothing is named any more', async () => {
      const { metadata } = await rollout.deployment();
      expect(metadata.annotations).not.toHaveProperty([annotations.triggerDeletion]);
    });
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 2 });
    expect(rollout.recorder.machineNames.size).toBe(5);
  });
});
