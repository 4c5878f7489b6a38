/** Option `millwright.dev/replacement-budget`: how many machines of a deployment are replaced at a time. */
import { describe, expect, test } from '@jest/globals';
import { options } from '../../workflows/api/constants.ts';
import { eventually } from './support/eventually.ts';
import { createDeployment, deleteDeployment, untilRunning } from './support/machines.ts';
import { PhaseRecorder } from './support/rollout-phases.ts';
import { useScenario } from './support/scenario.ts';
import { className } from './support/manifests.ts';

const replicas = 4;

describe('a deployment with a replacement budget of 1', () => {
  const scenario = useScenario('budget');

  test('replaces its failed machines one after the other', async () => {
    const phases = new PhaseRecorder(scenario);
    await phases.started();
    await scenario.cloud.addFault({ kind: 'neverJoin' });
    const metadata = { annotations: { [options.replacementBudget]: '1' } };
    const name = await createDeployment(scenario, 'pool', { replicas: 0 });
    await scenario.cluster.patch('machinedeployments', name, { metadata });
    await scenario.cluster.patch('machinedeployments', name, {
      spec: {
        replicas,
        template: {
          spec: { class: { kind: 'MachineClass', name: className }, creationTimeout: '3s' },
        },
      },
    });
    await eventually('all have been made', async () => {
      expect(await scenario.cloud.instances()).toHaveLength(replicas);
    });
    // What comes in their place joins.
    await scenario.cloud.clearFaults();
    await eventually('some have failed', () => {
      expect(phases.moments.filter(({ Failed = 0 }) => Failed > 1)).not.toEqual([]);
    });
    const from = phases.moments.findIndex(({ Failed = 0 }) => Failed > 0);
    await untilRunning(scenario, name, replicas);
    await phases.stop();
    // Those that never joined do not fail in one moment: what is still Pending then is not a replacement.
    const comingAtFirst = phases.moments[from]?.['Pending'] ?? 0;
    const coming = phases.moments.slice(from).map(({ Pending = 0 }) => Pending);
    expect(Math.max(...coming)).toBeLessThanOrEqual(Math.max(comingAtFirst, 1));
    const settled = phases.moments.findLastIndex(({ Failed = 0 }) => Failed === replicas - 1);
    expect(Math.max(...coming.slice(settled - from))).toBeLessThanOrEqual(1);
    await deleteDeployment(scenario, name);
  });
});
