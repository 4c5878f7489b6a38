/** kill -9 of the worker at bad moments: always the right end, one VM per token. */
import { describe, expect, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import {
  createDeployment,
  deleteDeployment,
  machinesOf,
  untilGone,
  untilRunning,
} from './support/machines.ts';
import {
  createCounts,
  momentsOfCreation,
  momentsOfDeletion,
  nameOf,
  onceEach,
  replicas,
  untilMoment,
} from './support/moments.ts';
import { useScenario } from './support/scenario.ts';

describe('kill -9 of the worker', () => {
  const scenario = useScenario('worker-crash', { isDoubled: false });

  test.each(momentsOfCreation)('when %s, during creation', async (...moment) => {
    const pool = await createDeployment(scenario, nameOf('up', moment), { replicas });
    await untilMoment(scenario, pool, moment);
    await scenario.operator.kill9('worker');
    await untilRunning(scenario, pool, replicas);
    expect(await createCounts(scenario, pool)).toEqual(onceEach);
    await deleteDeployment(scenario, pool);
  });

  test.each(momentsOfDeletion)('when %s, during deletion', async (...moment) => {
    const pool = await createDeployment(scenario, nameOf('down', moment), { replicas });
    await untilRunning(scenario, pool, replicas);
    const path = scenario.cluster.pathOf('machinedeployments', pool);
    await scenario.cluster.delete(path);
    await untilMoment(scenario, pool, moment);
    await scenario.operator.kill9('worker');
    await untilGone(scenario, path);
    await eventually('nothing is left', async () => {
      expect(await machinesOf(scenario, pool)).toEqual([]);
      expect(await scenario.cloud.instances()).toEqual([]);
      expect(await scenario.cluster.nodes()).toEqual([]);
    });
  });
});
