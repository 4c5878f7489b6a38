/**
 * Creates and deletes that go on in the cloud: the workflow sleeps in between, and says what it
 * waits for.
 */
import type {
  CreateOutcome,
  DeleteOutcome,
  DriverRequest,
} from '../../../workflows/contracts/driver-contract.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const created: CreateOutcome = { outcome: 'created', instance };
const deleted: DeleteOutcome = { outcome: 'deleted', isFound: true, settleSeconds: 30 };
const pending = (message: string, checkpoint?: string) => ({
  outcome: 'pending' as const,
  message,
  pollAfterSeconds: 60,
  ...(checkpoint !== undefined && { checkpoint }),
});

/** Answers one after the other; the last one again and again. */
function answering<Answer>(...answers: [Answer, ...Answer[]]) {
  const asked: DriverRequest[] = [];
  const answer = async (request: DriverRequest): Promise<Answer> => {
    asked.push(request);
    return answers[Math.min(asked.length, answers.length) - 1] ?? answers[0];
  };
  return { asked, answer };
}

describe('a create that is pending', () => {
  test('is asked for again with its checkpoint, and is no failure', async () => {
    const cloud = answering<CreateOutcome>(
      pending('the disk is copied', 'op-1'),
      pending('the disk is copied', 'op-2'),
      created,
    );
    const world = await MachineWorld.create(temporal, { createInstance: cloud.answer });
    await world.run(async () => {
      await world.begin();
      await world.log.until('createInstance', 1);
      await temporal.skip(61);
      await world.log.until('createInstance', 2);
      await temporal.skip(61);
      await world.phase('Pending');
      expect(cloud.asked.map(({ checkpoint }) => checkpoint)).toEqual([undefined, 'op-1', 'op-2']);
      expect(new Set(cloud.asked.map(({ token }) => token)).size).toBe(1);
      expect(world.log.count('recordFailure')).toBe(0);
      expect((await world.state()).operation).toBeUndefined();
    });
  });

  test('is said once on the object, with the time since when', async () => {
    const cloud = answering<CreateOutcome>(pending('the disk is copied'));
    const world = await MachineWorld.create(temporal, { createInstance: cloud.answer });
    await world.run(async () => {
      await world.begin();
      await world.log.until('recordOperation');
      await temporal.skip(130);
      await world.log.until('createInstance', 3);
      expect(world.log.inputsOf('recordOperation')).toMatchObject([
        {
          operation: 'Create',
          description: expect.stringMatching(
            /^waits for the cloud: the disk is copied since \d\d:\d\d UTC$/,
          ),
        },
      ]);
      await world.requestDeletion();
      await resultOf(world.handle);
    });
  });

  test('ends when the machine is deleted: its deletion looks for what was made', async () => {
    const cloud = answering<CreateOutcome>(pending('the disk is copied', 'op-1'));
    const world = await MachineWorld.create(temporal, {
      createInstance: cloud.answer,
      describeInstance: async () => ({ outcome: 'found', instance }),
    });
    await world.run(async () => {
      await world.begin();
      await world.log.until('recordOperation');
      await world.requestDeletion();
      await resultOf(world.handle);
      expect(world.log.count('describeInstance')).toBeGreaterThan(0);
      expect(world.log.inputsOf('deleteInstance')[0]).not.toHaveProperty('checkpoint');
      expect(world.log.count('recordFailure')).toBe(0);
    });
  });

  test('ends at the creation timeout, and the machine is Failed', async () => {
    const cloud = answering<CreateOutcome>(pending('the disk is copied'));
    const world = await MachineWorld.create(temporal, { createInstance: cloud.answer });
    world.object.machineSet = 'pool';
    await world.run(async () => {
      await world.begin();
      await world.log.until('recordOperation');
      await temporal.skip(1_210);
      await world.phase('Failed');
      expect(world.log.count('recordTimeout')).toBe(1);
      expect(world.log.count('recordFailure')).toBe(0);
      // Once a minute before its 20 minutes are over.
      expect(cloud.asked).toHaveLength(20);
    });
  });

  test('does not wait for an API server that takes no status', async () => {
    const cloud = answering<CreateOutcome>(pending('the disk is copied'), created);
    const world = await MachineWorld.create(temporal, {
      createInstance: cloud.answer,
      recordOperation: () => Promise.reject(new Error('forbidden by a webhook')),
    });
    await world.run(async () => {
      await world.begin();
      await world.log.until('recordOperation');
      await temporal.skip(61);
      await world.phase('Pending');
      expect(world.log.count('recordFailure')).toBe(0);
    });
  });
});

test('a create whose activity never ends is given up at the creation timeout', async () => {
  const world = await MachineWorld.create(temporal, {
    createInstance: () => Promise.reject(new Error('the token Secret may not be read')),
  });
  world.object.machineSet = 'pool';
  await world.run(async () => {
    await world.begin();
    await world.log.until('createInstance');
    await temporal.skip(1_210);
    await world.phase('Failed');
    expect(world.log.count('recordTimeout')).toBe(1);
    expect(world.log.count('recordFailure')).toBe(0);
  });
});

test('a delete that is pending is asked for again until the instance is gone', async () => {
  const cloud = answering<DeleteOutcome>(
    pending('instance i-1 is shutting-down', 'op-1'),
    pending('instance i-1 is shutting-down', 'op-1'),
    deleted,
  );
  const world = await MachineWorld.create(temporal, { deleteInstance: cloud.answer });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await world.log.until('deleteInstance', 1);
    await world.log.until('recordOperation');
    await temporal.skip(61);
    await world.log.until('deleteInstance', 2);
    await temporal.skip(61);
    expect((await resultOf(world.handle)).reason).toBe('instance, Node and object are gone');
    expect(cloud.asked.map(({ checkpoint }) => checkpoint)).toEqual([undefined, 'op-1', 'op-1']);
    expect(world.log.inputsOf('recordOperation')).toMatchObject([{ operation: 'Delete' }]);
    expect(world.log.count('recordFailure')).toBe(0);
  });
});
