/** A command is for the object that its sender saw, and for the moment. */
import { applyMachineCommand } from '../../../activities/machine/commands.ts';
import { applyRolloutCommand } from '../../../activities/machine-deployment/commands.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import { machineCommands, rolloutCommands } from '../../../workflows/contracts/commands.ts';
import { aMachine, aMachineDeployment } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { startResettingServer } from '../../support/resetting-temporal.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld } from '../../support/world.ts';
import { RolloutWorld } from '../../workflows/machine-deployment/rollout-world.ts';
import { hang, MachineWorld } from '../../workflows/machine/machine-world.ts';

const temporal = TemporalForTests.ofFile(startResettingServer);

const threeMinutes = 180_000;

/** Why commands were refused, on the object. */
async function refusalsIn({ control }: WorldOfTests, namespace: string): Promise<string[]> {
  const { items } = await control.list<{ reason: string; message: string }>(
    namespaced('events', namespace),
  );
  return items.filter(({ reason }) => reason === 'CommandRefused').map(({ message }) => message);
}

async function reasonOf(update: Promise<unknown>): Promise<string> {
  const error: unknown = await update.catch((failure: unknown) => failure);
  if (!(error instanceof Error)) throw new Error('it was not refused');
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** `late`: how much later than they were sent its commands are done, milliseconds. */
function aRollout({ late = 0 } = {}) {
  const rollout = new RolloutWorld(temporal, () => ({
    applyRolloutCommand: (input) =>
      applyRolloutCommand(kube, { ...input, now: (input.now ?? NaN) + late }),
  }));
  const { ref } = rollout.world;
  const kube = aWorld({ control: [aMachineDeployment({ metadata: { ...ref, uid: 'uid-1' } })] });
  const path = customResource('machinedeployments', ref.namespace, ref.name);
  return {
    rollout,
    handle: rollout.world.handle,
    refusals: () => refusalsIn(kube, ref.namespace),
    async has(replicas: number) {
      await eventually(`${replicas} replicas`, async () => {
        const { spec } = await kube.control.read<MachineDeployment>(path);
        return spec.replicas === replicas;
      });
    },
    async isRefused(count: number) {
      await eventually(`${count} refusals`, async () => {
        return (await refusalsIn(kube, ref.namespace)).length === count;
      });
    },
  };
}

const { setReplicas } = rolloutCommands;

test('a command for another generation of a deployment is refused', async () => {
  const { rollout, handle, has, isRefused, refusals } = aRollout();
  await rollout.run(async () => {
    await rollout.world.observe();
    await rollout.isComplete();
    await handle.signal(setReplicas.signal, { replicas: 2, ifGeneration: 1 });
    await has(2);
    await handle.signal(setReplicas.signal, { replicas: 3, ifGeneration: 1 });
    await isRefused(1);
    // What the run has not heard of yet is read.
    const late = handle.executeUpdate(setReplicas.update, {
      args: [{ replicas: 3, ifGeneration: 1 }],
    });
    const why =
      'ifGeneration: 1: the object has generation 2: see what has changed, and ask again if it is still wanted';
    expect(await reasonOf(late)).toBe(why);
    expect(await refusals()).toEqual([
      `"setReplicas replicas=3 ifGeneration=1" was not done: ${why}`,
    ]);
    await has(2);
    const args: [{ replicas: number; ifGeneration: number }] = [{ replicas: 3, ifGeneration: 2 }];
    expect(await handle.executeUpdate(setReplicas.update, { args })).toBe('Replicas set to 3');
    // An attempt whose answer was lost is no other command.
    expect(await handle.executeUpdate(setReplicas.update, { args })).toBe('Replicas set to 3');
    await rollout.world.observe({ generation: 3 });
    expect(
      await reasonOf(
        handle.executeUpdate(setReplicas.update, { args: [{ replicas: 1, ifGeneration: 2 }] }),
      ),
    ).toContain('the object has generation 3');
    // By the validator, so that nothing of it gets into the history.
    const { events } = await handle.fetchHistory();
    const accepted = (events ?? []).filter(
      (one) => one.workflowExecutionUpdateAcceptedEventAttributes,
    );
    expect(accepted).toHaveLength(3);
  });
});

test('a command for another generation of a machine is refused', async () => {
  const world = await MachineWorld.create(temporal, {
    applyMachineCommand: (input) => applyMachineCommand(kube, input),
    drainNode: hang,
    deleteInstance: hang,
  });
  const { ref } = world;
  const kube = aWorld({
    control: [aMachine({ metadata: { ...ref, uid: 'uid-1', generation: 4 } })],
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await world.log.until('drainNode');
    const { handle } = world;
    const { update } = machineCommands.skipDrain;
    const skip = (ifGeneration: number): Promise<string> =>
      handle.executeUpdate(update, { args: [{ ifGeneration }] });
    expect(await reasonOf(skip(3))).toContain('the object has generation 4');
    expect(await skip(4)).toBe('Drain skipped');
  });
});

test('a signal that waited for more than two minutes is refused, unless it names the generation', async () => {
  const { rollout, handle, has, isRefused, refusals } = aRollout({ late: threeMinutes });
  await rollout.run(async () => {
    await rollout.world.observe();
    await rollout.isComplete();
    await handle.signal(setReplicas.signal, { replicas: 2 });
    await isRefused(1);
    expect(await refusals()).toEqual([
      expect.stringMatching(
        /^"setReplicas replicas=2" was not done: no worker could do it within two minutes: ask again/,
      ),
    ]);
    await handle.signal(setReplicas.signal, { replicas: 4, ifGeneration: 1 });
    await has(4);
    // Who sends an update waits for its answer.
    expect(await handle.executeUpdate(setReplicas.update, { args: [{ replicas: 1 }] })).toBe(
      'Replicas set to 1',
    );
  });
});
