/** What a drain reports, and how its workflow shows it. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { createActivityInterceptor } from '../../../activities/interceptor.ts';
import { reportProgress } from '../../../activities/runtime/heartbeat-details.ts';
import type { DrainReport } from '../../../workflows/contracts/drain-activities.ts';
import { drainQuery, drainReport } from '../../../workflows/contracts/messages.ts';
import { machineCommands } from '../../../workflows/contracts/commands.ts';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { drainOptionsOf } from '../../../workflows/machine/deadlines.ts';
import { observeDrain } from '../../../workflows/machine/drain.ts';
import { factsOf } from '../../../workflows/machine/facts.ts';
import { observeMachine } from '../../../workflows/machine/object.ts';
import type { MachineState } from '../../../workflows/machine/state.ts';
import { newMachineState } from '../../../workflows/machine/state.ts';
import { enterTeardown } from '../../../workflows/machine/teardown.ts';
import { hang, instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

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
    phase: found.get(keys.State),
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

test('while a drain is blocked the search, the query and the page say by what', async () => {
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
    const forGood = blocked.blockers.map((blocker) => ({ ...blocker, isHopeless: true }));
    await world.handle.signal(drainReport, { ...blocked, blockers: forGood });
    await eventually('a person has to act', async () => {
      return (await attributesOf(world)).attention === 'person';
    });
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
    await resultOf(world.handle);
    expect(world.log.inputsOf('drainNode').map(({ earlier }) => earlier)).toEqual([
      undefined,
      blocked,
    ]);
    expect(world.log.inputsOf('finishTeardown').at(-1)).toMatchObject({ mustDetachVolumes: true });
    expect((await attributesOf(world)).phase).toBe('Terminating');
  });
});

test('annotations that change during a drain replace it, and those that stay do not', async () => {
  const world = await MachineWorld.create(temporal, { drainNode: hang });
  await world.run(async () => {
    await beginDrain(world);
    const deadline = (world.object.deletionRequestedAt ?? 0) + 7_200_000;
    await world.observe({ drain: {} });
    const until = deadline + 60_000;
    await world.observe({ drain: { until } });
    await world.log.until('drainNode', 2);
    await world.observe({ drain: { until, skipsVolumeWait: true } });
    await world.log.until('drainNode', 3);
    await world.observe({ drain: { until, skipsVolumeWait: true } });
    // One of a watcher of an earlier version, which knows nothing of them.
    await world.observe();
    await world.observe({ drain: {} });
    await world.log.until('drainNode', 4);
    await world.observe({ drain: { isSkipped: true } });
    await resultOf(world.handle);
    expect(world.log.inputsOf('drainNode')).toMatchObject([
      { deadline },
      { deadline: until },
      { deadline: until, skipsVolumeWait: true },
      { deadline },
    ]);
    expect(world.log.inputsOf('drainNode')[3]).not.toHaveProperty('skipsVolumeWait');
    expect(world.log.inputsOf('finishTeardown').at(-1)).toMatchObject({ mustDetachVolumes: true });
  });
});

test('a command replaces the drain once, though its annotation is seen as well', async () => {
  const world = await MachineWorld.create(temporal, { drainNode: hang });
  await world.run(async () => {
    await beginDrain(world);
    const args: [{ minutes: number }] = [{ minutes: 30 }];
    await world.handle.executeUpdate(machineCommands.extendDrain.update, { args });
    await world.log.until('drainNode', 2);
    const deadline = (world.object.deletionRequestedAt ?? 0) + 7_200_000 + 1_800_000;
    // As the annotation says it.
    const until = Math.floor(deadline / 1_000) * 1_000;
    await world.observe({ drain: { until } });
    await world.observe({ drain: { until }, forceDeletion: true });
    await world.log.until('drainNode', 3);
    expect(world.log.inputsOf('drainNode')).toMatchObject([
      { isForced: false },
      { isForced: false, deadline },
      { isForced: true, deadline: until },
    ]);
  });
});

test('the drain annotations that were seen last hold, whatever was read before', async () => {
  const world = await MachineWorld.create(temporal);
  const prepared = { ...world.read(), drain: { skipsVolumeWait: true } };
  const object = { isGone: false, isStale: false, prepared };
  const creation = { stage: 'recorded', generation: 0, instance } as const;
  const state: MachineState = { ...newMachineState(0), object, creation };
  expect(drainOptionsOf(state)).toEqual({ skipsVolumeWait: true });
  observeMachine(state, world.snapshot());
  expect(drainOptionsOf(state)).toEqual({ skipsVolumeWait: true });
  const seen = world.snapshot({ drain: { isSkipped: true } });
  observeMachine(state, seen);
  enterTeardown(state, prepared);
  expect(state.teardown).toMatchObject({ stage: 'deleting', wasForced: true });
  observeMachine(state, { ...seen, resourceVersion: '1', drain: {} });
  expect(drainOptionsOf(state)).toEqual({ isSkipped: true });
});

test('a drain that reports has its worker: none is waited for any more', () => {
  const object = { isGone: false, isStale: false, uid: 'uid-1' };
  const teardown = { stage: 'draining', startedAt: 0 } as const;
  const state: MachineState = { ...newMachineState(0), object, teardown };
  const untaken = { message: 'all slots for drains are taken', waitsFor: 'a worker' } as const;
  state.operation = { ...untaken, name: 'Delete', token: 'uid-1-0', since: 0 };
  const running = { name: 'drain', isCancelRequested: false, isForced: false } as const;
  expect(factsOf(state, running).operation).toMatchObject(untaken);
  expect(observeDrain(state, blocked)).toBe(true);
  expect(factsOf(state, running).operation).toBeUndefined();
});

test('the progress of an attempt survives a slow attempt that fails before it reports anything', async () => {
  const found: unknown[] = [];
  const progress = { refusals: { 'uid-of-pod': { since: 1 } } };
  const world = await MachineWorld.create(temporal, {
    drainNode: async () => {
      const context = Context.current();
      const { attempt, heartbeatDetails } = context.info;
      found.push(heartbeatDetails);
      if (attempt === 1) {
        reportProgress(context, progress);
        // The SDK sends it a moment later.
        await context.sleep(300);
        throw retriedAfter(200, '1 pod left');
      }
      // Longer than it takes until the periodic heartbeat.
      if (attempt === 2) {
        await context.sleep(2_500);
        throw retriedAfter(200, 'GET /api/v1/pods: Unreachable');
      }
      return { evictedPods: 0, isForced: false };
    },
  });
  world.interceptors.push(createActivityInterceptor());
  await world.run(async () => {
    await beginDrain(world);
    await world.log.until('finishTeardown');
  });
  expect(found).toEqual([undefined, progress, progress]);
});

function retriedAfter(nextRetryDelay: number, message: string): ApplicationFailure {
  return ApplicationFailure.create({ message, nextRetryDelay });
}
