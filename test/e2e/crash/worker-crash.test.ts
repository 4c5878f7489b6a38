/** kill -9 of the worker while machines are made: always the right end, one VM per token. */
import { createDeployment, deleteDeployment, untilRunning } from '../support/machines.ts';
import {
  createCounts,
  momentsOfCreation,
  nameOf,
  onceEach,
  replicas,
  untilMoment,
} from '../support/moments.ts';
import { useScenario } from '../support/scenario.ts';

describe.each([
  { program: 'the worker', name: 'worker-crash', isInOne: false },
  { program: 'the worker with the watcher in it', name: 'in-one-crash', isInOne: true },
])('kill -9 of $program', ({ name, isInOne }) => {
  const scenario = useScenario(name, { isDoubled: false, isInOne });

  test.each(momentsOfCreation)('when %s, during creation', async (...moment) => {
    const pool = await createDeployment(scenario, nameOf(moment), { replicas });
    await untilMoment(scenario, pool, moment);
    await scenario.operator.kill9('worker');
    await untilRunning(scenario, pool, replicas);
    expect(await createCounts(scenario, pool)).toEqual(onceEach);
    await deleteDeployment(scenario, pool);
  });
});
