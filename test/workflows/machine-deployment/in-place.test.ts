/** Steps of an update in place on Nodes, as the workflow of a deployment has them done. */
import { TemporalForTests } from '../../support/temporal.ts';
import { aSet, updates } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import type { InPlaceMachines } from '../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { RolloutWorld } from './rollout-world.ts';

const temporal = TemporalForTests.ofFile();

function updating(inPlace: Partial<InPlaceMachines>): RolloutWorld {
  const rollout = new RolloutWorld(temporal, () => ({
    updateRolloutNodes: async () => ({ protectedNodes: [] }),
  }));
  put(rollout, inPlace);
  return rollout;
}

function put({ facts }: RolloutWorld, inPlace: Partial<InPlaceMachines>): void {
  const old = aSet({ name: 'pool-0', machines: 'AAA', isClosed: true, isTainted: true });
  const next = aSet({
    name: 'pool-1',
    revision: 2,
    isOfTemplate: true,
    replicas: 0,
    machines: '',
  });
  Object.assign(facts, {
    strategy: 'InPlaceUpdate',
    hasNodes: true,
    maxSurge: 0,
    maxUnavailable: 1,
    sets: [
      { ...old, inPlace: updates(inPlace) },
      { ...next, inPlace: updates() },
    ],
  });
}

const stepsOf = ({ log }: RolloutWorld): string[] =>
  log.inputsOf('updateRolloutNodes').map(({ step }) => step.action);

test('a step that Machines have yet to show is done once more after five seconds', async () => {
  const rollout = updating({ unmarked: ['a'] });
  await rollout.run(async () => {
    await rollout.world.observe();
    await rollout.log.until('updateRolloutNodes', 1);
    await rollout.planned();
    await temporal.skip(3);
    expect(stepsOf(rollout)).toEqual(['markCandidates']);
    await temporal.skip(3);
    await rollout.log.until('updateRolloutNodes', 2);
    expect(stepsOf(rollout)).toEqual(['markCandidates', 'markCandidates']);
  });
});

test('another step need not wait', async () => {
  const rollout = updating({ unmarked: ['a'] });
  await rollout.run(async () => {
    await rollout.world.observe();
    await rollout.log.until('updateRolloutNodes', 1);
    await rollout.planned();
    put(rollout, { ready: ['a', 'b', 'c'] });
    await rollout.world.changeSets();
    await rollout.log.until('updateRolloutNodes', 2);
    expect(stepsOf(rollout)).toEqual(['markCandidates', 'selectForUpdate']);
    put(rollout, { selected: ['a'], ready: ['b', 'c'] });
    await rollout.world.changeSets();
    await rollout.planned();
    const looks = rollout.log.count('observeMachineDeployment');
    await temporal.skip(600);
    expect(rollout.log.count('observeMachineDeployment')).toBeLessThanOrEqual(looks + 1);
    expect(stepsOf(rollout)).toHaveLength(2);
  });
});
