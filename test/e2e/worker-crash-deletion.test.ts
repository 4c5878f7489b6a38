/** kill -9 of the worker while machines go: nothing is left behind. */
import { eventually } from './support/eventually.ts';
import { createDeployment, machinesOf, untilGone, untilRunning } from './support/machines.ts';
import { momentsOfDeletion, nameOf, replicas, untilMoment } from './support/moments.ts';
import { useScenario } from './support/scenario.ts';

describe('kill -9 of the worker', () => {
  const scenario = useScenario('crash-down', { isDoubled: false });

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
