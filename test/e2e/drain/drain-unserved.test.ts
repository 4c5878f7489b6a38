/** Deletions in an install without a worker that serves drains. */
import type { Machine } from '../../../workflows/api/machine.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

describe('without a worker that serves drains', () => {
  const scenario = useScenario('undrained', {
    isDoubled: false,
    workers: [
      { name: 'worker-core', flags: ['--serve=core'] },
      { name: 'worker-driver', flags: ['--serve=driver:virtual'] },
    ],
  });
  const { cluster, operator } = scenario;

  test('a Machine that is deleted says what it waits for, and goes once there is one', async () => {
    const name = await createMachine(scenario, 'left');
    await untilPhase(scenario, name, 'Running');
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    await eventually('the Machine says it', async () => {
      const machine = await cluster.find<Machine>(path);
      expect(machine?.status?.lastOperation).toMatchObject({
        type: 'Delete',
        state: 'Processing',
        description: expect.stringMatching(
          /^waits for a worker: no worker serves drains, start one with --serve=drain since \d\d:\d\d UTC$/,
        ),
      });
    });
    operator.startAgain('worker-c');
    await untilGone(scenario, path);
  });
});
