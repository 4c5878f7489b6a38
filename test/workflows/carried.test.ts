/**
 * What a run handed over to the next in the middle of its work, as the present code and each
 * release wrote it (`test/replay/carried`): today's code goes on with it.
 */
import { eventually } from '../support/eventually.ts';
import { resultOf } from '../support/result-of.ts';
import { TemporalForTests } from '../support/temporal.ts';
import { carriedPaths, readHistory } from '../replay/histories.ts';
import { machineObserved } from '../../workflows/contracts/messages.ts';
import { cluster, MachineWorld } from './machine/machine-world.ts';
import { aSet, theNewSet } from './plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from './machine-deployment/rollout-world.ts';
import { Machines, SetWorld } from './machine-set/set-world.ts';

const temporal = TemporalForTests.ofFile();
/** Than what the recorded runs had seen. */
const newer = '1000';

test.each(carriedPaths('machine'))(
  '%s: a create without an answer is searched for twice before its machine goes',
  async (path) => {
    const world = await MachineWorld.create(temporal, {
      deleteInstance: async () => ({ outcome: 'deleted', isFound: false, settleSeconds: 30 }),
    });
    world.object.isDeleting = true;
    await world.run(async () => {
      await temporal.client.workflow.signalWithStart('machine', {
        taskQueue: world.ref.namespace,
        workflowId: world.workflowId,
        args: [{ ref: world.ref, cluster, state: JSON.parse(readHistory(path)) }],
        signal: machineObserved.name,
        signalArgs: [world.snapshot({ resourceVersion: newer })],
      });
      await world.log.until('deleteInstance');
      expect(world.log.count('finishTeardown')).toBe(0);
      await temporal.skip(31);
      await resultOf(world.handle);
      expect(world.log.inputsOf('deleteInstance')).toMatchObject([{ token: 'uid-1-0' }, {}]);
    });
  },
);

test.each(carriedPaths('machineSet'))(
  '%s: the machines of the batch are made under their names, before anything is read',
  async (path) => {
    const state = JSON.parse(readHistory(path));
    const machines = new Machines(20);
    const world = new SetWorld(temporal, 'machineSet', machines.steps());
    await world.run(async () => {
      await world.observe({}, { args: [{ ref: world.ref, cluster, state }] });
      await eventually('20 machines', async () => machines.names.size === 20);
      const [first, second] = world.log.names();
      expect([first, second]).toEqual(['createMachines', 'observeMachineSet']);
      expect(world.log.inputsOf('createMachines')[0]).toMatchObject(state.batch);
    });
  },
);

test.each(carriedPaths('machineDeployment'))('%s: the rollout goes on to its end', async (path) => {
  const rollout = new RolloutWorld(temporal);
  rollout.facts.sets = [
    aSet({ name: 'pool-0', machines: 'AAA' }),
    theNewSet({ name: 'pool-1', machines: 'A' }),
  ];
  const { world } = rollout;
  const state = JSON.parse(readHistory(path));
  await rollout.run(async () => {
    await world.observe({}, { args: [{ ref: world.ref, cluster, state }] });
    await rollout.isComplete();
    expect(rollout.facts.sets.map(({ replicas }) => replicas)).toEqual([0, 3]);
  });
});

test('each kind that hands something over has its file', () => {
  const kinds = ['machine', 'machineSet', 'machineDeployment'];
  expect(kinds.flatMap(carriedPaths)).toEqual(
    expect.arrayContaining(kinds.map((kind) => `carried/${kind}.json`)),
  );
});
