/** A machine that is ill for as long as a person wants. */
import { createMachine, deleteMachine, untilPhase } from './support/machines.ts';
import { setReady } from './support/node-health.ts';
import { useScenario } from './support/scenario.ts';

describe('the health of a machine', () => {
  const scenario = useScenario('patient');
  const { cluster } = scenario;

  test('disableHealthTimeout keeps it Unknown until it is taken back', async () => {
    const spec = { healthTimeout: '2s', disableHealthTimeout: true };
    const name = await createMachine(scenario, 'patient', spec);
    await untilPhase(scenario, name, 'Running');
    await setReady(scenario, name, false);
    await untilPhase(scenario, name, 'Unknown');
    const other = await createMachine(scenario, 'impatient', { healthTimeout: '2s' });
    await untilPhase(scenario, other, 'Running');
    await setReady(scenario, other, false);
    await untilPhase(scenario, other, 'Failed');
    expect((await cluster.phases())[name]).toBe('Unknown');
    await cluster.patch('machines', name, { spec: { disableHealthTimeout: false } });
    await untilPhase(scenario, name, 'Failed');
    await setReady(scenario, name, true);
    await untilPhase(scenario, name, 'Running');
    for (const machine of [name, other]) await deleteMachine(scenario, machine);
  });
});
