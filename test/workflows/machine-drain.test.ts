/** What a drain reports, and how its workflow shows it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DrainReport } from '../../workflows/activities.ts';
import { drainQuery, drainReport, keys } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { TemporalForTests } from '../support/temporal.ts';
import { hang, MachineWorld } from './machine-world.ts';

let temporal: TemporalForTests;
beforeAll(async () => {
  temporal = await TemporalForTests.start();
}, 60_000);
afterAll(() => temporal.stop());

const blocked: DrainReport = {
  uid: 'uid-1',
  podsLeft: 3,
  blockerCount: 1,
  blockers: [
    {
      blockedBy: 'PodDisruptionBudget/default/web',
      pod: 'default/web-0',
      podUid: 'uid-of-pod',
      since: 1_700_000_000_000,
      why: 'no',
      nextTryAt: 1_700_000_005_000,
    },
  ],
};

async function beginDrain(world: MachineWorld): Promise<void> {
  await world.beginAndJoin();
  await world.requestDeletion();
  await world.log.until('drainNode');
}

async function attributesOf(world: MachineWorld) {
  const { typedSearchAttributes: found } = await world.handle.describe();
  return {
    phase: found.get(keys.MachinePhase),
    blockedBy: found.get(keys.BlockedBy),
    attention: found.get(keys.Attention),
    since: found.get(keys.WaitingSince)?.getTime(),
    deadline: found.get(keys.Deadline)?.getTime(),
  };
}

async function searchSays(world: MachineWorld, wanted: string): Promise<void> {
  await eventually(`the search says ${wanted}`, async () => {
    return (await attributesOf(world)).phase === wanted;
  });
}

test('while something is in the way the search, the query and the page say what', async () => {
  const world = await MachineWorld.create(temporal, { drainNode: hang });
  await world.run(async () => {
    await beginDrain(world);
    await world.handle.signal(drainReport, blocked);
    const deadline = (world.object.deletionRequestedAt ?? 0) + 7_200_000;
    await searchSays(world, 'DrainBlocked');
    expect(await attributesOf(world)).toEqual({
      phase: 'DrainBlocked',
      blockedBy: 'PodDisruptionBudget/default/web',
      attention: 'external',
      since: 1_700_000_000_000,
      deadline,
    });
    expect(await world.handle.query(drainQuery)).toMatchObject({
      isBlocked: true,
      podsLeft: 3,
      deadline,
    });
    const { currentDetails } = await world.handle.query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain(
      '`default/web-0` since 2023-11-14T22:13:20Z, blocked by `PodDisruptionBudget/default/web`: no',
    );
    // The same once more, as after a crash, and that of another life change nothing.
    await world.handle.signal(drainReport, { ...blocked, uid: 'uid-2', blockers: [] });
    await world.handle.signal(drainReport, blocked);
    expect((await attributesOf(world)).phase).toBe('DrainBlocked');
    await world.handle.signal(drainReport, { ...blocked, blockers: [], blockerCount: 0 });
    await searchSays(world, 'Terminating');
    const { blockedBy, attention } = await attributesOf(world);
    expect({ blockedBy, attention }).toEqual({ attention: 'none' });
  });
});

test('a drain that is begun again knows what was reported, and its end clears the search', async () => {
  const world = await MachineWorld.create(temporal, {
    drainNode: async ({ isForced }) => (isForced ? { evictedPods: 3, isForced } : await hang()),
  });
  await world.run(async () => {
    await beginDrain(world);
    await world.handle.signal(drainReport, blocked);
    await world.observe({ forceDeletion: true });
    await world.handle.result();
    expect(world.log.inputsOf('drainNode').map(({ earlier }) => earlier)).toEqual([
      undefined,
      blocked,
    ]);
    expect(world.log.inputsOf('finishTeardown')).toMatchObject([{ mustDetachVolumes: true }]);
    expect((await attributesOf(world)).phase).toBe('Terminating');
  });
});
