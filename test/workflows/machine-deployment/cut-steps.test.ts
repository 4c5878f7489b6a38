/** Steps for which DisruptionPolicies had no room any more when they were to be done. */
import { TemporalForTests } from '../../support/temporal.ts';
import { aSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from './rollout-world.ts';

const temporal = TemporalForTests.ofFile();

test('they are planned anew after another read, which is no failure', async () => {
  let cut = 2;
  const rollout = new RolloutWorld(temporal, (own) => ({
    applyDeploymentSteps: async (input) => {
      cut -= 1;
      if (cut >= 0) return { written: [], isCut: true as const };
      return (await own.applyDeploymentSteps?.(input)) ?? { written: [] };
    },
  }));
  const { world, log, facts } = rollout;
  Object.assign(facts, { gate: {}, sets: [aSet({ name: 'pool-0', machines: 'AAA' })] });
  await rollout.run(async () => {
    await world.observe();
    await log.until('applyDeploymentSteps', 3);
    expect(log.count('observeMachineDeployment')).toBeGreaterThanOrEqual(3);
    await rollout.isComplete();
    expect(log.count('reportDeployment')).toBe(0);
    expect(facts.sets.map(({ replicas }) => replicas)).toEqual([0, 3]);
  });
});
