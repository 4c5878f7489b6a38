/** A console that a cloud does not answer about. */
import { annotations } from '../../workflows/api/constants.ts';
import { untilEvent } from './support/events.ts';
import { createMachine, deleteMachine, timeOutOnceBooted, untilPhase } from './support/machines.ts';
import { useScenario } from './support/scenario.ts';

describe('the console of a VM that never joined', () => {
  const scenario = useScenario('console-silent');
  const { cloud } = scenario;

  test('is waited for some seconds, and the machine turns Failed', async () => {
    const { name } = scenario.named('silent');
    for (const fault of [{ operation: 'console', kind: 'hang' }, { kind: 'neverJoin' }]) {
      await cloud.addFault({ match: name, ...fault });
    }
    await createMachine(scenario, 'silent');
    await timeOutOnceBooted(scenario, name);
    const { metadata } = await untilPhase(scenario, name, 'Failed');
    expect(metadata.annotations ?? {}).not.toHaveProperty([annotations.consoleOutput]);
    const message = expect.stringMatching(/was not read: DeadlineExceeded: no answer within 8 s$/);
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'NeverJoined', message });
    await deleteMachine(scenario, name);
  });
});
