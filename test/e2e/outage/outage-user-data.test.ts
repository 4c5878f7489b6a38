/** kill -9 of the virtual cloud while machines join by their user data. */
import { eventually } from '../../support/eventually.ts';
import { kill9 } from '../support/components.ts';
import { machinesOf, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';
import { createUserDataPool, creatorsOf, stackConfig, tokensOf } from '../support/user-data.ts';

const replicas = 4;
const scenario = useScenario('outage-user-data');
const { cloud } = scenario;

/** The moment must not pass unseen. */
const closely = { pollMilliseconds: 10 };

test('machines that were joining go on with key and certificate that they had', async () => {
  const pool = await createUserDataPool(scenario, 'pool', {
    profile: 'ubuntu-24.04',
    config: await stackConfig(scenario),
    replicas,
  });
  for (const joined of [0, 1, 2]) {
    await eventually(
      `${joined} have joined`,
      async () => {
        const instances = await cloud.instances();
        expect(instances.length).toBeGreaterThan(0);
        const running = instances.filter(({ state }) => state === 'running');
        expect(running.length).toBeGreaterThanOrEqual(joined);
      },
      closely,
    );
    await kill9(testStack().layout.stateDir, 'virtual-cloud');
    await eventually('the virtual cloud answers', () => cloud.instances());
  }
  const machines = await untilRunning(scenario, pool, replicas);
  for (const { metadata } of machines) {
    expect(creatorsOf(metadata.name)).toEqual([`system:node:${metadata.name}`]);
  }
  await eventually('their tokens are gone', async () => {
    expect(await tokensOf(scenario, await machinesOf(scenario, pool))).toEqual([]);
  });
});
