/** A machine that is kept for a look at it: when its workflow looks, drains, and stops. */
import { EventEmitter, once } from 'node:events';
import { ApplicationFailure } from '@temporalio/common';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import { machineCommands } from '../../../workflows/contracts/commands.ts';
import { drainReport } from '../../../workflows/contracts/messages.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { annotate, beginFailed, echo, Kept, minutes } from './kept-machine.ts';
import { hang, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

async function create(): Promise<{ world: MachineWorld; kept: Kept }> {
  const kept = new Kept();
  const world = await MachineWorld.create(temporal, {
    preserveMachine: kept.look,
    drainNode: kept.drainNode,
    checkHealth: kept.checkHealth,
  });
  return { kept, world };
}

test('a machine without a wish to preserve it never runs preserveMachine', async () => {
  const { world } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await world.observe({ specDigest: 'spec-2' });
    await temporal.skip(24 * 60 * minutes);
    expect(world.log.count('preserveMachine')).toBe(0);
    expect(await world.state()).not.toHaveProperty('preservation');
  });
});

test('preserveMachine runs for a wish, not for its own echo, and again when the time is over', async () => {
  const { world, kept } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await annotate(world, kept, { preserve: 'now' });
    await world.log.until('preserveMachine');
    await echo(world, kept);
    await world.joinNode();
    await temporal.skip(9 * minutes);
    expect(world.log.count('preserveMachine')).toBe(1);
    const { typedSearchAttributes } = await world.handle.describe();
    expect(typedSearchAttributes.get(keys.Deadline)?.toISOString()).toBe(kept.notes.expiry);
    await temporal.skip(2 * minutes);
    await world.log.until('preserveMachine', 2);
    expect(kept.notes).toEqual({});
    await echo(world, kept);
    await temporal.skip(60 * minutes);
    expect(world.log.count('preserveMachine')).toBe(2);
    expect(await world.state()).not.toHaveProperty('preservation');
  });
});

test('an expiry of a preservation that was moved moves the timer', async () => {
  const { world, kept } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await annotate(world, kept, { preserve: 'now' });
    await world.log.until('preserveMachine');
    const expiry = new Date((await temporal.now()) + 30 * minutes * 1000).toISOString();
    await annotate(world, kept, { expiry });
    await world.log.until('preserveMachine', 2);
    await temporal.skip(29 * minutes);
    expect(kept.notes).toMatchObject({ expiry });
    await temporal.skip(2 * minutes);
    await world.log.until('preserveMachine', 3);
    expect(kept.notes).toEqual({});
  });
});

test('the preserve annotation of a Node takes effect', async () => {
  const { world } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await world.joinNode({ preserve: 'when-failed' });
    await world.log.until('preserveMachine');
    await world.joinNode({ preserve: 'when-failed' });
    await temporal.skip(minutes);
    expect(world.log.count('preserveMachine')).toBe(1);
  });
});

test('the Node of a preserved Failed machine is drained and stays, and says how that ended', async () => {
  const { world, kept } = await create();
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('preserveMachine', 2);
    expect(world.log.inputsOf('drainNode')).toMatchObject([
      { nodeName: 'pool-a', keepsNode: true, isForced: false },
    ]);
    const looks = world.log.inputsOf('preserveMachine').map(({ drain }) => drain);
    expect(looks).toEqual([undefined, {}]);
    const { currentDetails } = await world.handle.query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain('**Preserved until**');
    expect(currentDetails).toContain('its Node is drained');
  });
});

test('a drain of a preserved Node that fails is reported and tried again, later each time', async () => {
  const { world, kept } = await create();
  const refused = ApplicationFailure.nonRetryable('2 pods could not be deleted', 'Undrained');
  kept.drain = () => Promise.reject(refused);
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('drainNode');
    await temporal.skip(3 * minutes);
    const attempts = world.log.count('drainNode');
    expect(attempts).toBeGreaterThan(3);
    expect(attempts).toBeLessThan(10);
    await world.handle.signal(machineCommands.retryNow.signal, {});
    await world.log.until('drainNode', attempts + 1);
    const errors = world.log.inputsOf('preserveMachine').map(({ drain }) => drain?.error);
    expect(errors).toEqual([undefined, '2 pods could not be deleted']);
    kept.drain = async () => undefined;
    await temporal.skip(4 * minutes);
    expect(world.log.inputsOf('preserveMachine').at(-1)).toMatchObject({ drain: {} });
  });
});

test('a Failed machine whose drain was blocked needs a person as before', async () => {
  const { world, kept } = await create();
  const drain = new EventEmitter();
  const drained = once(drain, 'finished');
  kept.drain = async () => {
    await drained;
  };
  const shown = async () => {
    const { typedSearchAttributes: found } = await world.handle.describe();
    return [found.get(keys.State), found.get(keys.Attention)];
  };
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('drainNode');
    expect(await shown()).toEqual(['Failed', 'person']);
    const pod = { pod: 'apps/web', podUid: 'uid-of-web', since: 0, why: 'allows none' };
    const blockers = [{ ...pod, blockedBy: 'PodDisruptionBudget/apps/web' }];
    await world.handle.signal(drainReport, {
      uid: 'uid-1',
      podsLeft: 1,
      blockers,
      blockerCount: 1,
    });
    await eventually('it is blocked', async () => (await shown())[0] === 'DrainBlocked');
    drain.emit('finished');
    await eventually('it is drained', async () => (await shown())[0] === 'Failed');
    expect(await shown()).toEqual(['Failed', 'person']);
  });
});

test('a deletion ends the drain of a preserved Node and goes on', async () => {
  const { world, kept } = await create();
  kept.drain = ({ keepsNode }) => (keepsNode ? hang() : Promise.resolve());
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('drainNode');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.inputsOf('drainNode').map(({ keepsNode }) => keepsNode)).toEqual([
      true,
      undefined,
    ]);
  });
});

test('the drain of a Failed machine ends when its preservation is withdrawn', async () => {
  const { world, kept } = await create();
  kept.drain = hang;
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('drainNode');
    await annotate(world, kept, { preserve: 'false' });
    await world.log.until('preserveMachine', 2);
    await temporal.skip(60);
    expect(await world.handle.query('state')).not.toHaveProperty('running');
    expect(world.log.count('drainNode')).toBe(1);
  });
});

test('label force-drain ends a drain that asks, and begins one that does not', async () => {
  const { world, kept } = await create();
  kept.drain = ({ isForced }) => (isForced ? Promise.resolve() : hang());
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('drainNode');
    await annotate(world, kept, { forcesDrain: true });
    await world.log.until('drainNode', 2);
    const [first, second] = world.log.inputsOf('drainNode');
    expect(second).toMatchObject({ isForced: true, deadline: first?.deadline });
  });
});

test('preserveMachine waits longer each time while an API server is out of reach, and a deletion does not wait for it', async () => {
  const { world, kept } = await create();
  kept.isOutOfReach = true;
  await world.run(async () => {
    await world.beginAndJoin();
    await annotate(world, kept, { preserve: 'now' });
    await world.log.until('preserveMachine');
    await temporal.skip(10 * minutes);
    const looks = world.log.count('preserveMachine');
    expect(looks).toBeGreaterThan(4);
    expect(looks).toBeLessThan(15);
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.count('preserveMachine')).toBeLessThanOrEqual(looks + 1);
  });
});

test('a machine that is gone is not looked at over and over', async () => {
  const world = await MachineWorld.create(temporal, {
    preserveMachine: async () => ({ found: 'nothing' }),
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.joinNode({ preserve: 'now' });
    await world.log.until('preserveMachine');
    await temporal.skip(minutes);
    expect(world.log.count('preserveMachine')).toBe(1);
  });
});

test('a preservation that is refused keeps no deletion waiting, and is tried again', async () => {
  const world = await MachineWorld.create(temporal, {
    preserveMachine: async () => ({ found: 'refused', reason: 'not yours' }),
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.observe({ preservation: { preserve: 'now' } });
    await world.log.until('preserveMachine');
    await temporal.skip(3);
    await world.log.until('preserveMachine', 2);
    await world.requestDeletion();
    expect((await resultOf(world.handle)).reason).toBe('instance, Node and object are gone');
  });
});
