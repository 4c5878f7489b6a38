/**
 * A workflow whose code never comes back, in the worker's own sandbox: its task fails, all others
 * go on, and no worker dies.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { failedTasksOf } from '../support/histories.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const workers = ['worker-one', 'worker-two'] as const;
const { layout } = testStack();
const codePath = join(layout.stateDir, 'endless-workflow.js');
const fault = 'the code of the workflow did not come back within 5 s';

/** The present code, but the run of a Machine of this name never comes back. */
function writeBundle(): string {
  const code = readFileSync(layout.workflowBundle, 'utf8');
  const begin = 'async function machine(input) {';
  const [before, after] = code.split(begin);
  if (after === undefined) throw new Error('the bundle has another form');
  writeFileSync(
    codePath,
    `${before}${begin} if (input.ref.name.endsWith('-endless')) for (;;); ${after}`,
  );
  return codePath;
}

describe('a Machine whose workflow never comes back', () => {
  const scenario = useScenario('endless', {
    isDoubled: false,
    workers: workers.map((name) => ({ name, flags: [`--workflow-bundle=${writeBundle()}`] })),
    // The 4 s of the local stack end before the worker interrupts the code.
    flags: ['--workflow-task-timeout=10s'],
    causes: [
      /a task failed .*did not come back/,
      // Its run is terminated in the middle of a task (FORCE_CLOSE_COMMAND).
      /-endless: a task failed \(cause 17\)/,
      /machine\/.*-endless: TERMINATED/,
    ],
  });
  const { operator, workflows } = scenario;

  test('has a failed task, and other Machines live and go meanwhile', async () => {
    const endless = await createMachine(scenario, 'endless');
    const handle = workflows.handleOf('machine', endless);
    await eventually('its task failed', async () => {
      const { workflowId } = handle;
      const history = await handle.fetchHistory();
      expect(failedTasksOf({ workflowId, status: 'RUNNING', history })).toContainEqual(
        expect.stringContaining(fault),
      );
    });
    // Each worker is held up by it three times, for 5 s.
    for (const name of ['first', 'second', 'third']) {
      const other = await createMachine(scenario, name);
      await untilPhase(scenario, other, 'Running');
      await deleteMachine(scenario, other);
    }
    for (const worker of workers) expect(operator.startsOf(worker)).toBe(1);
    // It has no finalizer yet. Whatever is signalled after the run was ended would begin another.
    await deleteMachine(scenario, endless);
    await eventually('its run was told', async () => {
      const { events } = await workflows.historyOf('machine', endless);
      const signals = (events ?? []).map(
        ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName,
      );
      expect(signals).toContain('machineGone');
    });
    await workflows.terminate(handle.workflowId);
  });
});
