/** What a run of a deployment takes over from the run before, in the middle of its work. */
import { newState, toCarried } from '../../../workflows/machine-deployment/state.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { cluster } from '../machine/machine-world.ts';
import { aSet, theNewSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from '../machine-deployment/rollout-world.ts';

const temporal = TemporalForTests.ofFile();

test('a deployment that continues as new in a rollout ends it, and backs off from what was refused', async () => {
  const rollout = new RolloutWorld(temporal);
  rollout.facts.sets = [
    aSet({ name: 'pool-0', machines: 'AA' }),
    theNewSet({ name: 'pool-1', machines: 'A' }),
  ];
  const refused = {
    names: ['Machine/a'],
    reason: 'FailedUpdate' as const,
    message: 'kept for forensics',
    failures: 3,
    retryAt: (await temporal.now()) + 3_600_000,
  };
  const observed = {
    cluster,
    epoch: 1,
    resourceVersion: '100',
    uid: 'uid-1',
    generation: 1,
    isDeleting: false,
    hasFinalizer: true,
    metadataDigest: 'm',
  };
  const state = { ...toCarried(newState()), uid: 'uid-1', observed, hasRolled: true, refused };
  const { world, log } = rollout;
  await rollout.run(async () => {
    await world.observe({}, { args: [{ ref: world.ref, cluster, state }] });
    await eventually('the old set is empty', async () => {
      await world.changeSets();
      return rollout.facts.sets[0]?.replicas === 0 && rollout.facts.sets[1]?.replicas === 3;
    });
    expect(log.inputsOf('observeMachineDeployment')[0]).toMatchObject({
      passOver: ['Machine/a'],
      refusal: 'kept for forensics',
    });
  });
});
