/** What people and programs ask of a drain, by signal and by update. */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { errorOf } from '../../../workflows/machine/commands.ts';
import type { TeardownState } from '../../../workflows/machine/state.ts';
import { newMachineState } from '../../../workflows/machine/state.ts';
import type { MachineCommand } from '../../../workflows/contracts/commands.ts';
import { machineCommands } from '../../../workflows/contracts/commands.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { candidateState } from './candidate-state.ts';
import { hang, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const teardown: TeardownState = { stage: 'draining', startedAt: 0 };
const deleting: TeardownState = { ...teardown, stage: 'deleting' };
const running = newMachineState(0);
const draining = { ...running, teardown };

/** As it comes over the wire: nobody checked its types. */
function command(text: string): MachineCommand {
  return JSON.parse(text);
}

test.each([
  { text: '{"verb":"skipDrain"}', state: draining, fault: undefined },
  { text: '{"verb":"skipDrain","by":"Ada"}', state: draining, fault: undefined },
  { text: '{"verb":"skipDrain","by":7}', state: draining, fault: 'by: must be a text' },
  {
    text: '{"verb":"skipDrain"}',
    state: running,
    fault: 'the machine is not being drained: delete it first',
  },
  {
    text: '{"verb":"forceDelete"}',
    state: { ...running, teardown: deleting },
    fault: 'the machine is not being drained: delete it first',
  },
  { text: '{"verb":"retryNow"}', state: draining, fault: undefined },
  {
    text: '{"verb":"retryNow"}',
    state: running,
    fault: 'the machine waits for nothing that can be tried again',
  },
  { text: '{"verb":"extendDrain","minutes":30}', state: draining, fault: undefined },
  {
    text: '{"verb":"extendDrain"}',
    state: draining,
    fault: 'minutes: undefined: must be a number above 0, and at most 10080',
  },
  {
    text: '{"verb":"extendDrain","minutes":-1}',
    state: draining,
    fault: 'minutes: -1: must be a number above 0, and at most 10080',
  },
  { text: '{"verb":"selectForUpdate"}', state: candidateState(), fault: undefined },
  {
    text: '{"verb":"selectForUpdate"}',
    state: candidateState({ isSelected: true }),
    fault: 'its Node is selected for an update in place already',
  },
  {
    text: '{"verb":"selectForUpdate"}',
    state: candidateState({ reason: 'UpdateFailed' }),
    fault: 'its Node is no candidate for an update in place',
  },
  {
    text: '{"verb":"selectForUpdate"}',
    state: draining,
    fault: 'its Node is no candidate for an update in place',
  },
])(
  'the command $text to a machine is checked before it is queued: $fault',
  ({ text, state, fault }) => {
    expect(errorOf(command(text), state)).toBe(fault);
  },
);

async function beginDrain(world: MachineWorld): Promise<number> {
  await world.beginAndJoin();
  await world.requestDeletion();
  await world.log.until('drainNode');
  return (world.object.deletionRequestedAt ?? 0) + 7_200_000;
}

describe('while a drain runs', () => {
  test('a command schedules the drain again with what was asked for', async () => {
    const world = await MachineWorld.create(temporal, {
      drainNode: async ({ isForced }) => (isForced ? { evictedPods: 1, isForced } : await hang()),
    });
    world.object.limits.maxEvictRetries = 360;
    await world.run(async () => {
      const deadline = await beginDrain(world);
      const args: [{ minutes: number; by: string }] = [{ minutes: 30, by: 'Ada' }];
      expect(await world.handle.executeUpdate(machineCommands.extendDrain.update, { args })).toBe(
        'done: extendDrain',
      );
      await world.log.until('drainNode', 2);
      await world.handle.signal(machineCommands.extendDrain.signal, { minutes: 30 });
      await world.log.until('drainNode', 3);
      await world.handle.executeUpdate(machineCommands.skipVolumeWait.update, { args: [{}] });
      await world.log.until('drainNode', 4);
      await world.handle.executeUpdate(machineCommands.retryNow.update, { args: [{}] });
      await world.log.until('drainNode', 5);
      await world.handle.executeUpdate(machineCommands.forceDelete.update, { args: [{}] });
      await resultOf(world.handle);
      const half = 1_800_000;
      expect(world.log.inputsOf('drainNode')).toMatchObject([
        { deadline, isForced: false, maxEvictRetries: 360 },
        // Each 20 s of an extension are one eviction more.
        { deadline: deadline + half, maxEvictRetries: 450 },
        { deadline: deadline + 2 * half, maxEvictRetries: 540 },
        { deadline: deadline + 2 * half, maxEvictRetries: 540, skipsVolumeWait: true },
        { skipsVolumeWait: true, isForced: false },
        { isForced: true },
      ]);
      expect(world.log.inputsOf('applyMachineCommand')).toMatchObject([
        { command: { by: 'Ada' }, until: deadline + half, machine: { uid: 'uid-1' } },
        { until: deadline + 2 * half },
        {},
        {},
        {},
      ]);
    });
  });

  test('skipDrain lets the instance go with its pods, and frees their volumes', async () => {
    const world = await MachineWorld.create(temporal, { drainNode: hang });
    await world.run(async () => {
      await beginDrain(world);
      await world.handle.executeUpdate(machineCommands.skipDrain.update, { args: [{}] });
      await resultOf(world.handle);
      expect(world.log.count('drainNode')).toBe(1);
      expect(world.log.inputsOf('finishTeardown').at(-1)).toMatchObject({
        mustDetachVolumes: true,
      });
    });
  });
});

test('an update that makes no sense is refused before anything is written', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    const asked = world.handle.executeUpdate(machineCommands.skipDrain.update, { args: [{}] });
    await expect(asked).rejects.toThrow(WorkflowUpdateFailedError);
    expect(world.log.count('applyMachineCommand')).toBe(0);
  });
});

describe('a command that comes with the deletion, as to a worker that was away', () => {
  test('is done once the teardown has begun', async () => {
    const { log } = await deletedWith('forceDelete by=ada');
    expect(log.names().slice(-3)).toEqual(['beginTeardown', 'applyMachineCommand', 'drainNode']);
    expect(log.inputsOf('drainNode')).toMatchObject([{ isForced: true }]);
  });

  test('extends the drain by a time that counts from the deletion', async () => {
    const { log, object } = await deletedWith('extendDrain minutes=30');
    const deadline = (object.deletionRequestedAt ?? 0) + 7_200_000 + 1_800_000;
    expect(log.inputsOf('drainNode')).toMatchObject([{ deadline }]);
  });
});

test('a command that cannot be done any more when its turn comes is refused', async () => {
  const world = await MachineWorld.create(temporal);
  world.object = { ...world.object, usesTarget: false };
  await world.run(async () => {
    await world.begin();
    await world.phase('Available');
    world.object = { ...world.object, isDeleting: true };
    await world.observe({ command: 'skipDrain' });
    await resultOf(world.handle);
    expect(world.log.count('applyMachineCommand')).toBe(0);
    expect(world.log.inputsOf('refuseCommand')).toMatchObject([{ written: 'skipDrain' }]);
  });
});

describe('a command that stands on the Machine', () => {
  test('is done as one that was sent, and names its annotation', async () => {
    const world = await MachineWorld.create(temporal, { drainNode: hang });
    await world.run(async () => {
      await beginDrain(world);
      await world.observe({ command: 'skipDrain by=ada' });
      await resultOf(world.handle);
      expect(world.log.inputsOf('applyMachineCommand')).toMatchObject([
        { command: { verb: 'skipDrain', by: 'ada' }, written: 'skipDrain by=ada' },
      ]);
      expect(world.log.count('refuseCommand')).toBe(0);
    });
  });

  test('that cannot be done now is refused, and nothing else happens', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.beginAndJoin();
      await world.observe({ command: 'skipDrain' });
      await world.log.until('refuseCommand');
      expect(world.log.inputsOf('refuseCommand')).toMatchObject([
        {
          object: { kind: 'Machine', uid: 'uid-1' },
          written: 'skipDrain',
          fault: 'the machine is not being drained: delete it first',
        },
      ]);
      expect(world.log.count('applyMachineCommand')).toBe(0);
    });
  });

  test('that the worker refuses is taken off as well', async () => {
    const world = await MachineWorld.create(temporal, {
      drainNode: hang,
      applyMachineCommand: async () => {
        throw ApplicationFailure.nonRetryable('--commands-by=none', 'Refused');
      },
    });
    await world.run(async () => {
      await beginDrain(world);
      await world.observe({ command: 'retryNow' });
      await world.log.until('refuseCommand');
      expect(world.log.inputsOf('refuseCommand')).toMatchObject([
        { written: 'retryNow', fault: expect.stringContaining('--commands-by=none') },
      ]);
    });
  });
});

test('a retry whose annotation went with an attempt that had no answer in time is done all the same', async () => {
  const failure = { code: 'ResourceExhausted', message: 'no room', isSettled: true } as const;
  const world = await MachineWorld.create(temporal, {
    createInstance: async () => ({ outcome: 'failed', failure }),
    applyMachineCommand: async () => ({ words: 'done before', isStale: true }),
  });
  await world.run(async () => {
    await world.begin();
    await world.log.until('recordFailure');
    await world.observe({ command: 'retryNow' });
    await world.log.until('createInstance', 2);
    const { observed } = (await world.state()).object;
    // The next run is not to do it once more.
    expect(observed).not.toHaveProperty('command');
  });
});

test('a deletion with the annotation skip-drain skips its drain after everything else was lost', async () => {
  const world = await MachineWorld.create(temporal);
  world.object = { ...world.object, drain: { isSkipped: true } };
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.count('drainNode')).toBe(0);
    expect(world.log.count('deleteInstance')).toBe(1);
  });
});

/** Until the drain of its deletion has begun. */
async function deletedWith(written: string): Promise<MachineWorld> {
  const world = await MachineWorld.create(temporal, { drainNode: hang });
  await world.run(async () => {
    await world.beginAndJoin();
    const deletionRequestedAt = await temporal.now();
    world.object = { ...world.object, isDeleting: true, deletionRequestedAt };
    await world.observe({ command: written });
    await world.log.until('drainNode');
  });
  return world;
}
