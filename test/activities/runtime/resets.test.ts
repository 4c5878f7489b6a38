/** A reset begins a run again at an event of its history: what was done is not repeated. */
import { applyMachineCommand } from '../../../activities/machine/commands.ts';
import { applyRolloutCommand } from '../../../activities/machine-deployment/commands.ts';
import { createMachines } from '../../../activities/machine-set/batches.ts';
import { deleteMachines } from '../../../activities/machine-set/deletions.ts';
import { observeMachineSet } from '../../../activities/machine-set/observe.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { machineCommands, rolloutCommands } from '../../../workflows/contracts/commands.ts';
import { aMachine, aMachineDeployment, aMachineSet } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import type { Reapply } from '../../support/reset-run.ts';
import { resetToEach, startResettingServer } from '../../support/resetting-temporal.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld } from '../../support/world.ts';
import { RolloutWorld } from '../../workflows/machine-deployment/rollout-world.ts';
import { SetWorld } from '../../workflows/machine-set/set-world.ts';
import { hang, MachineWorld } from '../../workflows/machine/machine-world.ts';

const temporal = TemporalForTests.ofFile(startResettingServer);

const reapplies: Reapply[] = ['all', 'none'];

/** Reasons of the Events so far, of refusals apart. */
async function eventsOf({ control }: WorldOfTests, namespace: string): Promise<string[]> {
  interface Event {
    reason: string;
    message: string;
  }
  const { items } = await control.list<Event>(namespaced('events', namespace));
  return items.map(({ reason, message }) => `${reason}: ${message}`).toSorted();
}

const isRefusal = (event: string): boolean => event.startsWith('CommandRefused: ');

test.each(reapplies)('no reset of a deployment repeats a command (reapply %s)', async (reapply) => {
  const rollout = new RolloutWorld(temporal, () => ({
    applyRolloutCommand: (input) => applyRolloutCommand(kube, input),
  }));
  const { ref, workflowId } = rollout.world;
  const object = aMachineDeployment({ metadata: { ...ref, uid: 'uid-1' } });
  const kube = aWorld({ control: [object] });
  const path = customResource('machinedeployments', ref.namespace, ref.name);
  const spec = async () => (await kube.control.read<MachineDeployment>(path)).spec;
  await rollout.run(async () => {
    await rollout.world.observe();
    await rollout.isComplete();
    const { handle } = rollout.world;
    await handle.signal(rolloutCommands.setReplicas.signal, { replicas: 2 });
    await eventually('2 replicas', async () => (await spec()).replicas === 2);
    const args: [{ replicas: number }] = [{ replicas: 1 }];
    await handle.executeUpdate(rolloutCommands.setReplicas.update, { args });
    await handle.signal(rolloutCommands.pause.signal, {});
    await handle.executeUpdate(rolloutCommands.resume.update, { args: [{}] });
    await handle.executeUpdate(rolloutCommands.rollback.update, { args: [{}] });
    await kube.control.patch(path, 'merge', { spec: { replicas: 5, rollbackTo: null } });
    const [before, done] = [await spec(), await eventsOf(kube, ref.namespace)];
    expect(done).toHaveLength(5);
    await resetToEach(temporal, { workflowId, reapply }, async (at) => {
      const events = await eventsOf(kube, ref.namespace);
      expect({ at, events: events.filter((event) => !isRefusal(event)) }).toEqual({
        at,
        events: done,
      });
      expect(await spec()).toEqual(before);
    });
    expect(await eventsOf(kube, ref.namespace)).toContainEqual(
      expect.stringMatching(
        /^CommandRefused: "setReplicas replicas=2" was not done: it was asked for before the run was reset/,
      ),
    );
    expect(await handle.executeUpdate(rolloutCommands.setReplicas.update, { args })).toBe(
      'Replicas set to 1',
    );
  });
});

test.each(reapplies)('no reset of a machine repeats a command (reapply %s)', async (reapply) => {
  const world = await MachineWorld.create(temporal, {
    applyMachineCommand: (input) => applyMachineCommand(kube, input),
    drainNode: hang,
    deleteInstance: hang,
  });
  const { ref, workflowId } = world;
  const kube = aWorld({ control: [aMachine({ metadata: { ...ref, uid: 'uid-1' } })] });
  const path = customResource('machines', ref.namespace, ref.name);
  const metadata = async () => (await kube.control.read<Machine>(path)).metadata;
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await world.log.until('drainNode');
    const { handle } = world;
    const args: [{ minutes: number }] = [{ minutes: 30 }];
    await handle.executeUpdate(machineCommands.extendDrain.update, { args });
    await handle.signal(machineCommands.skipVolumeWait.signal, {});
    await handle.executeUpdate(machineCommands.retryNow.update, { args: [{}] });
    await handle.signal(machineCommands.forceDelete.signal, {});
    await eventually('all four', async () => (await eventsOf(kube, ref.namespace)).length === 4);
    const notes = { annotations: null, labels: null };
    await kube.control.patch(path, 'merge', { metadata: notes });
    const done = await eventsOf(kube, ref.namespace);
    const before = await metadata();
    const hanging = ['drainNode', 'deleteInstance'];
    await resetToEach(temporal, { workflowId, reapply, hanging }, async (at) => {
      const events = await eventsOf(kube, ref.namespace);
      expect({ at, events: events.filter((event) => !isRefusal(event)) }).toEqual({
        at,
        events: done,
      });
      expect(await metadata()).toEqual(before);
    });
    expect(await handle.executeUpdate(machineCommands.skipDrain.update, { args: [{}] })).toBe(
      'Drain skipped',
    );
  });
});

test.each(reapplies)(
  'no reset of a set makes or deletes a machine (reapply %s)',
  async (reapply) => {
    const set = new SetWorld(temporal, 'machineSet', {
      observeMachineSet: (input) => observeMachineSet(kube, input),
      createMachines: (input) => createMachines(kube, input, progress),
      deleteMachines: (input) => deleteMachines(kube, input),
    });
    const { ref, workflowId } = set;
    const progress = { done: [], report() {}, made() {}, isSuperseded: () => false };
    const object = aMachineSet({ metadata: { ...ref, uid: 'uid-1' }, spec: { replicas: 7 } });
    const kube = aWorld({ control: [object] });
    const path = customResource('machines', ref.namespace);
    const machines = async (): Promise<string[]> => {
      const { items } = await kube.control.list<Machine>(path);
      return items.map(({ metadata }) => metadata.name).toSorted();
    };
    const writes = (): string[] => kube.control.writes().filter((call) => call.includes(path));
    await set.run(async () => {
      await set.observe();
      await eventually('three batches', async () => (await machines()).length === 7);
      const reads = set.log.inputsOf('observeMachineSet').length;
      await set.changeMachines();
      await set.log.until('observeMachineSet', reads + 1);
      const [before, made] = [await machines(), writes()];
      await resetToEach(temporal, { workflowId, reapply }, async (at) => {
        expect({ at, machines: await machines(), writes: writes() }).toEqual({
          at,
          machines: before,
          writes: made,
        });
      });
    });
  },
);
