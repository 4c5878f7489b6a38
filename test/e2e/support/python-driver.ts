/** deploy/examples/driver-python as a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import { preparedPython } from '../../../deploy/local/prepare/python.ts';
import { driverCalls } from '../../../workflows/contracts/driver-activities.ts';
import { driverQueueOf } from '../../../workflows/contracts/task-queues.ts';
import { createClass } from './classes.ts';
import type { Scenario } from './scenario.ts';
import { logFolderOf, testStack } from './test-stack.ts';

export const pythonProvider = 'python-example';
const folder = join(repository, 'deploy', 'examples', 'driver-python');

export interface PythonDriver {
  stop(): Promise<void>;
}

/** `cloud`: address of the virtual cloud, or of a relay in front of it. `env`: more variables. */
export async function startPythonDriver(
  scenario: Scenario,
  cloud: string,
  env: Readonly<Record<string, string>> = {},
): Promise<PythonDriver> {
  const { namespace } = scenario;
  const taskQueue = await scenario.taskQueue();
  const queues = driverCalls.map((call) => driverQueueOf(taskQueue, pythonProvider, call));
  const python = await preparedPython('driver-python');
  const stack = testStack();
  const log = openSync(join(logFolderOf(stack, namespace), 'driver-python.log'), 'a');
  // The shell waits on our pipe: the driver must not outlive a killed test run.
  const script = '"$0" driver.py & driver=$!; cat; kill "$driver"; wait "$driver"';
  const child = spawn('sh', ['-c', script, python], {
    cwd: folder,
    stdio: ['pipe', log, log],
    env: {
      ...process.env,
      KUBECONFIG: stack.layout.kubeconfigOf('millwright-external'),
      TEMPORAL_ADDRESS: stack.temporalAddress,
      MILLWRIGHT_VIRTUAL_CLOUD: cloud,
      MILLWRIGHT_DRIVER_QUEUES: queues.join(' '),
      PYTHONDONTWRITEBYTECODE: '1',
      ...env,
    },
  });
  closeSync(log);
  return {
    async stop() {
      const ended = once(child, 'exit');
      child.stdin?.end();
      await ended;
    },
  };
}

/** The same, with a MachineClass `python` of it, which goes before it stops. */
export async function startPythonClass(scenario: Scenario, cloud: string): Promise<PythonDriver> {
  const driver = await startPythonDriver(scenario, cloud);
  const providerSpec = { size: 'medium', zone: 'c' };
  await createClass(scenario, 'python', { provider: pythonProvider, providerSpec });
  return {
    async stop() {
      await scenario.cluster.delete(scenario.cluster.pathOf('machineclasses', 'python'));
      await driver.stop();
    },
  };
}
