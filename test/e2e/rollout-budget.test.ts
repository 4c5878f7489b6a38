/**
 * Option `millwright.dev/replacement-budget`: how many machines of a deployment are replaced at a
 * time.
 */
import { options } from '../../workflows/api/constants.ts';
import { eventually } from './support/eventually.ts';
import { createDeployment, deleteDeployment, untilRunning } from './support/machines.ts';
import { PhaseRecorder } from './support/rollout-phases.ts';
import { useScenario, type Scenario } from './support/scenario.ts';
import { className } from './support/manifests.ts';

const replicas = 4;
/** Enough to make all of them on a busy machine, and for what comes in their place to join. */
const creationTimeout = '15s';

/** Names of all VMs that were ever made. */
async function createdIn({ cloud }: Scenario): Promise<string[]> {
  const { createsPerName } = await cloud.calls();
  return Object.keys(createsPerName);
}

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
          spec: { class: { kind: 'MachineClass', name: className }, creationTimeout },
        },
      },
    });
    await eventually('all have been made', async () => {
      expect(await scenario.cloud.instances()).toHaveLength(replicas);
    });
    // What comes in their place joins.
    await scenario.cloud.clearFaults();
    await eventually('all have failed', () => {
      expect(phases.moments.map(({ Failed = 0 }) => Failed)).toContain(replicas);
    });
    await untilRunning(scenario, name, replicas);
    await phases.stop();
    const from = phases.moments.findIndex(({ Failed }) => Failed === replicas);
    const coming = phases.moments.slice(from).map(({ Pending = 0 }) => Pending);
    expect(Math.max(...coming)).toBe(1);
    expect(await createdIn(scenario)).toHaveLength(2 * replicas);
    await deleteDeployment(scenario, name);
  });
});
