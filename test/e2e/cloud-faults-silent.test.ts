/** A create that gets no answer at all: the driver gives it up, and the next one makes the VM. */
import { casesOf, hangs, untilEachSays } from './support/cloud-fault-cases.ts';
import { createMachine, deleteMachine, untilPhase } from './support/machines.ts';
import { useScenario } from './support/scenario.ts';

describe('the creation of a machine', () => {
  const scenario = useScenario('faults-silent');
  const { cloud } = scenario;

  test('that hangs says so, and makes one VM when that is over', async () => {
    const cases = casesOf('create').filter(({ short }) => short === hangs);
    for (const { short, fault } of cases) {
      await cloud.addFault({ ...fault, match: scenario.named(short).name });
    }
    const name = await createMachine(scenario, hangs);
    await untilEachSays(scenario, cases, 'Create');
    expect(await cloud.instances()).toEqual([]);
    await cloud.clearFaults();
    await untilPhase(scenario, name, 'Running');
    expect((await cloud.calls()).createsPerName).toEqual({ [name]: 1 });
    await deleteMachine(scenario, name);
  });
});
