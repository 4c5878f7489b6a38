/** kill -9 of the watcher at bad moments: nothing that happened meanwhile is missed. */
import {
  createDeployment,
  deleteDeployment,
  untilGone,
  untilRunning,
} from '../support/machines.ts';
import {
  createCounts,
  momentsOfCreation,
  nameOf,
  onceEach,
  replicas,
  untilMoment,
} from '../support/moments.ts';
import { useScenario } from '../support/scenario.ts';

describe('kill -9 of the watcher', () => {
  const scenario = useScenario('watcher-crash', { isDoubled: false });

  test.each(momentsOfCreation)('when %s, during creation', async (...moment) => {
    const pool = await createDeployment(scenario, nameOf(moment), { replicas });
    await untilMoment(scenario, pool, moment);
    await scenario.operator.kill9('watcher');
    await untilRunning(scenario, pool, replicas);
    expect(await createCounts(scenario, pool)).toEqual(onceEach);
    await deleteDeployment(scenario, pool);
  });

  test('kill -9 of the watcher and of the worker together, during deletion', async () => {
    const pool = await createDeployment(scenario, 'both', { replicas });
    await untilRunning(scenario, pool, replicas);
    const path = scenario.cluster.pathOf('machinedeployments', pool);
    await scenario.cluster.delete(path);
    await Promise.all([scenario.operator.kill9('watcher'), scenario.operator.kill9('worker')]);
    await untilGone(scenario, path);
    expect(await createCounts(scenario, pool)).toEqual(onceEach);
  });
});
