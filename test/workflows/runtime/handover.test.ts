/**
 * What a run of a set or a deployment takes over from the run before, in the middle of its work.
 */
import { newState as newDeploymentState } from '../../../workflows/machine-deployment/state.ts';
import { newState as newSetState } from '../../../workflows/machine-set/state.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { cluster } from '../machine/machine-world.ts';
import { aSet, theNewSet } from '../plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from '../machine-deployment/rollout-world.ts';
import { Machines, SetWorld } from '../machine-set/set-world.ts';

const temporal = TemporalForTests.ofFile();

test('a set that continues as new in a batch makes the same machines, before it reads anything', async () => {
  const machines = new Machines(3);
  machines.names.add('pool-a');
  const world = new SetWorld(temporal, 'machineSet', machines.steps());
  const batch = { names: ['pool-a', 'pool-b'], basis: { generation: 1, replicas: 3 } };
  const state = { ...newSetState(), uid: 'uid-1', batch, batchSize: 2 };
  await world.run(async () => {
    await world.observe({}, { args: [{ ref: world.ref, cluster, state }] });
    await eventually('3 machines', async () => machines.names.size === 3);
    const [first, second] = world.log.names();
    expect([first, second]).toEqual(['createMachines', 'observeMachineSet']);
    expect(world.log.inputsOf('createMachines')[0]).toMatchObject(batch);
    expect([...machines.names]).toEqual(expect.arrayContaining(['pool-a', 'pool-b']));
  });
});

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
  const state = { ...newDeploymentState(), uid: 'uid-1', observed, hasRolled: true, refused };
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
