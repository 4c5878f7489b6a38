/** Hooks hold a deletion before its drain and before its instance, for as long as they stand. */
import { machineCommands } from '../../../workflows/contracts/commands.ts';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import type { MachineFailure } from '../../../workflows/plan/machine/facts.ts';
import { eventually } from '../../support/eventually.ts';
import { resultOf } from '../../support/result-of.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { hang, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const traffic = {
  annotation: 'pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic',
  owner: 'mesh',
};
const etcd = {
  annotation: 'suspend-instance-deletion.node.machine.sapcloud.io/etcd',
  owner: 'etcd-druid',
};
const dns = { ...etcd, annotation: etcd.annotation.replace('etcd', 'dns'), owner: '' };
const hour = 3_600;

async function says(world: MachineWorld, words: string): Promise<void> {
  await eventually(`the page says ${words}`, async () => {
    const { currentDetails } = await world.handle.query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    return currentDetails.includes(words);
  });
}

async function searchOf(world: MachineWorld) {
  const { typedSearchAttributes: found } = await world.handle.describe();
  return {
    state: found.get(keys.State),
    blockedBy: found.get(keys.BlockedBy),
    attention: found.get(keys.Attention),
    since: found.get(keys.WaitingSince)?.getTime(),
  };
}

const steps = (world: MachineWorld): string[] =>
  world.log.names().filter((name) => !['readAndClaimMachine', 'recordJoined'].includes(name));

test('a hook before the drain, then one before the instance, each for as long as it stands', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    world.putHooks({ drain: [traffic], instance: [etcd] });
    await world.requestDeletion();
    await says(world, 'The drain waits for traffic (mesh)');
    const before = await world.eventCount();
    await temporal.skip(100 * hour);
    expect(await world.eventCount()).toBe(before);
    expect(world.log.count('drainNode')).toBe(0);
    expect(await searchOf(world)).toEqual({
      state: 'Terminating',
      blockedBy: 'Hook/traffic',
      attention: 'external',
      since: world.object.heldSince,
    });
    await world.hook({ instance: [etcd] });
    await says(world, 'The deletion of the instance waits for etcd (etcd-druid)');
    expect(world.log.count('drainNode')).toBe(1);
    expect(world.log.inputsOf('drainNode')[0]).not.toHaveProperty('removal');
    expect((await searchOf(world)).blockedBy).toBe('Hook/etcd');
    await temporal.skip(100 * hour);
    expect(world.log.count('deleteInstance')).toBe(0);
    await world.hook();
    await resultOf(world.handle);
    expect(steps(world).slice(-7)).toEqual([
      'checkHooks',
      'checkHooks',
      'drainNode',
      'checkHooks',
      'checkHooks',
      'deleteInstance',
      'finishTeardown',
    ]);
    const { blockedBy, attention, since } = await searchOf(world);
    expect({ blockedBy, attention, since }).toEqual({ attention: 'none' });
  });
});

test('the time of a hook before the drain is not time of the drain', async () => {
  const world = await MachineWorld.create(temporal, { drainNode: hang });
  await world.run(async () => {
    await world.beginAndJoin();
    world.putHooks({ drain: [traffic] });
    await world.requestDeletion();
    await says(world, 'The drain waits for');
    await temporal.skip(10 * hour);
    await world.hook();
    await world.log.until('drainNode');
    const { drainHeldUntil = 0, deletionRequestedAt = 0 } = world.object;
    expect(drainHeldUntil).toBeGreaterThanOrEqual(deletionRequestedAt + 10 * hour * 1_000);
    expect(world.log.inputsOf('drainNode')[0]).toMatchObject({
      countsFrom: drainHeldUntil,
      deadline: drainHeldUntil + 2 * hour * 1_000,
    });
  });
});

test('one of two hooks goes, another comes: each change is said, and the last one counts', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    world.putHooks({ instance: [dns, etcd] });
    await world.requestDeletion();
    await says(world, 'dns (no owner), etcd (etcd-druid)');
    await world.hook({ instance: [etcd] });
    await says(world, 'waits for etcd (etcd-druid)');
    expect((await searchOf(world)).blockedBy).toBe('Hook/etcd');
    await world.hook({ instance: [dns] });
    await says(world, 'waits for dns (no owner)');
    expect(world.log.count('deleteInstance')).toBe(0);
    await world.hook();
    await resultOf(world.handle);
    expect(world.log.count('drainNode')).toBe(1);
  });
});

test('a hook that only the drain found, before its signal', async () => {
  const held: MachineWorld = await MachineWorld.create(temporal, {
    beginTeardown: async () => {
      const machine = held.read();
      held.putHooks({ drain: [traffic] });
      return { machine };
    },
    drainNode: async ({ asksHooks }) => ({
      evictedPods: 0,
      isForced: false,
      ...(asksHooks && held.object.hooks?.drain && { isHeld: true }),
    }),
  });
  await held.run(async () => {
    await held.beginAndJoin();
    await held.requestDeletion();
    await says(held, 'The drain waits for traffic (mesh)');
    expect(held.log.count('deleteInstance')).toBe(0);
    await held.hook();
    await resultOf(held.handle);
    expect(held.log.count('drainNode')).toBe(2);
  });
});

const refusal: MachineFailure = { code: 'Unavailable', message: 'held', isSettled: false };

test('a hook that only the driver of the drain found is no failure', async () => {
  const world = await MachineWorld.create(temporal, {
    drainNode: async () => {
      world.putHooks({ instance: [etcd] });
      const deletion = { outcome: 'failed', failure: refusal, isHeld: true } as const;
      return { evictedPods: 1, isForced: false, removal: { deletion } };
    },
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await says(world, 'waits for etcd');
    expect([world.log.count('recordFailure'), world.log.count('deleteInstance')]).toEqual([0, 0]);
    await world.hook();
    await resultOf(world.handle);
    expect(world.log.count('drainNode')).toBe(1);
  });
});

test('a hook that the driver found on its queue, and that is gone by the next read', async () => {
  let refusals = 0;
  const world = await MachineWorld.create(temporal, {
    deleteInstance: async () => {
      refusals += 1;
      return refusals === 1
        ? { outcome: 'failed', failure: refusal, isHeld: true }
        : { outcome: 'deleted', isFound: true, settleSeconds: 30 };
    },
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.count('recordFailure')).toBe(0);
    expect(steps(world).slice(-4)).toEqual([
      'deleteInstance',
      'checkHooks',
      'deleteInstance',
      'finishTeardown',
    ]);
  });
});

test('the core asks before it schedules the call of another program, and after a failure again', async () => {
  let tries = 0;
  const world = await MachineWorld.create(temporal, {
    deleteInstance: async () => {
      tries += 1;
      world.putHooks({ instance: [etcd] });
      return tries === 1
        ? { outcome: 'failed', failure: { ...refusal, message: 'the cloud is away' } }
        : { outcome: 'deleted', isFound: true, settleSeconds: 30 };
    },
  });
  world.object = { ...world.object, hasExternalDriver: true };
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await says(world, 'waits for etcd');
    expect(tries).toBe(1);
    expect(steps(world).slice(-4)).toEqual([
      'checkHooks',
      'deleteInstance',
      'recordFailure',
      'checkHooks',
    ]);
    await world.hook();
    await resultOf(world.handle);
    expect(tries).toBe(2);
  });
});

test('while the Machine cannot be read, no driver of another program is asked', async () => {
  let isAway = true;
  const world: MachineWorld = await MachineWorld.create(temporal, {
    checkHooks: async () => {
      if (isAway) throw new Error('the control cluster is away');
      return { machine: world.read() };
    },
  });
  world.object = { ...world.object, hasExternalDriver: true };
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await world.log.until('checkHooks', 3);
    expect(world.log.count('deleteInstance')).toBe(0);
    isAway = false;
    await resultOf(world.handle);
    expect(world.log.count('deleteInstance')).toBe(1);
  });
});

test('neither force nor a skipped drain passes a hook, also where there is no drain then', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    world.putHooks({ drain: [traffic] });
    await world.requestDeletion();
    await says(world, 'The drain waits for');
    await world.observe({ forceDeletion: true });
    await world.handle.executeUpdate(machineCommands.skipDrain.update, { args: [{}] });
    await says(world, 'The drain waits for');
    expect([world.log.count('drainNode'), world.log.count('deleteInstance')]).toEqual([0, 0]);
    await world.hook();
    await resultOf(world.handle);
    expect([world.log.count('drainNode'), world.log.count('deleteInstance')]).toEqual([0, 1]);
  });
});

test('a drain that waits for hooks cannot be extended, and a retry reads the hooks', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    world.putHooks({ drain: [traffic] });
    await world.requestDeletion();
    await says(world, 'The drain waits for');
    await expect(
      world.handle.executeUpdate(machineCommands.extendDrain.update, { args: [{ minutes: 30 }] }),
    ).rejects.toThrow('Workflow Update failed');
    // A watcher of an earlier version does not signal that it is gone.
    world.putHooks();
    await world.handle.executeUpdate(machineCommands.retryNow.update, { args: [{}] });
    await resultOf(world.handle);
  });
});

test('a signal of a watcher of an earlier version, without the hooks, lets nothing pass', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    world.putHooks({ drain: [traffic] });
    await world.requestDeletion();
    await says(world, 'The drain waits for');
    const { hooks: _unknown, ...signal } = world.snapshot({ specDigest: 'spec-1' });
    const checks = world.log.count('checkHooks');
    await world.handle.signal('machineObserved', { ...signal, forceDeletion: true });
    await world.log.until('checkHooks', checks + 1);
    await says(world, 'The drain waits for');
    expect(world.log.count('drainNode')).toBe(0);
  });
});

test('an object that goes while hooks hold its deletion leaves its instance', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    world.putHooks({ instance: [etcd] });
    await world.requestDeletion();
    await says(world, 'waits for etcd');
    await world.vanish();
    expect((await resultOf(world.handle)).reason).toContain('its instance lives on');
    expect(world.log.count('deleteInstance')).toBe(0);
  });
});

test('a run that knows nothing takes up what the object says of hooks, and clears it', async () => {
  const world = await MachineWorld.create(temporal);
  const now = await temporal.now();
  world.object = {
    ...world.object,
    isDeleting: true,
    phase: 'Terminating',
    providerID: 'local:///zone-1/i-1',
    nodeName: 'pool-a',
    deletionRequestedAt: now,
    heldSince: now,
    hooks: { instance: [etcd] },
  };
  await world.run(async () => {
    await world.begin();
    await says(world, 'waits for etcd');
    expect(world.log.count('drainNode')).toBe(1);
    await world.hook();
    await resultOf(world.handle);
    expect(world.object.heldSince).toBeUndefined();
  });
  const late = await MachineWorld.create(temporal);
  late.object = { ...world.object, heldSince: now };
  await late.run(async () => {
    await late.begin();
    await resultOf(late.handle);
    expect(late.log.count('checkHooks')).toBe(1);
    expect(late.object.heldSince).toBeUndefined();
  });
});
