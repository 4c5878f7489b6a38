/** A driver in another language beside workers that encrypt payloads, with the keys and without. */
import { createClass } from '../support/classes.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { writePayloadKeys } from '../support/payload-keys.ts';
import type { PythonDriver } from '../support/python-driver.ts';
import { pythonProvider as provider, startPythonDriver } from '../support/python-driver.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const machineClass = { kind: 'MachineClass', name: 'python' };

describe('the driver in Python beside workers that encrypt', () => {
  const keys = writePayloadKeys('shared');
  const scenario = useScenario('python-keys', { payloadKeys: keys.path });
  const { cluster, workflows } = scenario;
  let driver: PythonDriver;
  const start = async (env: Record<string, string>): Promise<void> => {
    driver = await startPythonDriver(scenario, testStack().virtualCloud, env);
  };

  beforeAll(async () => {
    await start({});
    await createClass(scenario, 'python', { provider });
  });
  // Before the scenario ends: it deletes what is left, which needs the driver.
  afterAll(async () => {
    await cluster.delete(cluster.pathOf('machineclasses', 'python'));
    await driver.stop();
    keys.remove();
  });

  test('says that it lacks the keys, and goes on when it has them', async () => {
    const name = await createMachine(scenario, 'snake', { class: machineClass });
    await eventually('its create fails with what to do', async () => {
      const { raw } = await workflows.handleOf('machine', name).describe();
      const [failure] = (raw.pendingActivities ?? []).map(({ lastFailure }) => lastFailure);
      expect(failure?.cause?.message).toBe(
        "a payload is encrypted with the key 'shared', and this driver has no key: name the file that watcher and worker have in MILLWRIGHT_PAYLOAD_KEYS",
      );
    });
    await driver.stop();
    await start({ MILLWRIGHT_PAYLOAD_KEYS: keys.path });
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
  });
});
