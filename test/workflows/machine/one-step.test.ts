/**
 * The steps that do what several do where nothing has to be found out: the launch of a new machine,
 * and the drain that begins the teardown of one that runs.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { RecordedCreateOutcome } from '../../../workflows/contracts/driver-activities.ts';
import type { LaunchOutcome } from '../../../workflows/contracts/launch-activities.ts';
import type { NodeSnapshot } from '../../../workflows/contracts/snapshots.ts';
import { resultOf } from '../../support/result-of.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { cluster, hang, instance, MachineWorld, readyNode } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const node: NodeSnapshot = {
  ...readyNode,
  cluster,
  epoch: 1,
  exists: true,
  conditionsDigest: 'ready',
};
const recorded: RecordedCreateOutcome = { outcome: 'created', instance, isRecorded: true };
const joined: RecordedCreateOutcome = { ...recorded, joined: { node } };

type Overrides = Parameters<typeof MachineWorld.create>[1];

/** A Machine that the watcher of a process with its driver has seen first. */
async function newMachine(
  launch: (world: MachineWorld) => Promise<LaunchOutcome>,
  overrides: Overrides = {},
): Promise<MachineWorld> {
  const world: MachineWorld = await MachineWorld.create(temporal, {
    ...overrides,
    launchMachine: () => launch(world),
  });
  world.launch = { provider: 'virtual', deadline: (await temporal.now()) + 1_200_000 };
  world.saysSince = true;
  return world;
}

const launchedAs = (created?: LaunchOutcome['created']) => async (world: MachineWorld) => ({
  read: { found: true as const, machine: world.read() },
  ...(created && { created }),
});

describe('the launch of a new machine', () => {
  test('takes one step to Running, and its deletion another', async () => {
    const world = await newMachine(launchedAs(joined), {
      drainNode: async ({ removal }) => ({
        evictedPods: 0,
        isForced: false,
        ...(removal && {
          removal: {
            deletion: { outcome: 'deleted', isFound: true, settleSeconds: 0 },
            finish: {},
          },
        }),
      }),
    });
    await world.run(async () => {
      await world.begin({ hasFinalizer: false });
      await world.phase('Running');
      expect(world.log.inputsOf('launchMachine')).toEqual([
        {
          machine: { ...world.ref, uid: 'uid-1' },
          cluster,
          provider: 'virtual',
          resourceVersion: expect.any(String),
        },
      ]);
      await world.requestDeletion();
      expect(await resultOf(world.handle)).toMatchObject({ providerID: instance.providerID });
      expect(world.log.names()).toEqual(['launchMachine', 'drainNode']);
      expect(world.log.inputsOf('drainNode')).toMatchObject([{ begins: true }]);
    });
  });

  test('that may have asked the cloud is followed by a create with the same token', async () => {
    const world = await newMachine(launchedAs({ outcome: 'unknown' }));
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      expect(world.log.names()).toEqual(['launchMachine', 'createInstance', 'recordCreated']);
      expect(world.log.inputsOf('createInstance')).toMatchObject([{ token: 'uid-1-0' }]);
    });
  });

  test('that recorded an instance, and did not answer, asks the driver for its Node', async () => {
    const world = await newMachine(async (made) => {
      const { providerID } = instance;
      const labelled = { providerID, nodeName: 'a-mistake', phase: 'Pending' } as const;
      made.object = { ...made.object, ...labelled };
      return { read: { found: true, machine: made.object }, created: { outcome: 'unknown' } };
    });
    await world.run(async () => {
      await world.begin();
      await world.log.until('recordCreated');
      expect(world.log.names()).toEqual(['launchMachine', 'createInstance', 'recordCreated']);
      expect(world.log.inputsOf('recordCreated')).toMatchObject([{ instance }]);
    });
  });

  test('that is not joined with the create waits for its Node', async () => {
    const world = await newMachine(launchedAs(recorded));
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await world.joinNode();
      await world.phase('Running');
      expect(world.log.names()).toEqual(['launchMachine', 'recordJoined']);
    });
  });

  test('that asked no cloud goes on with what was read', async () => {
    const world = await newMachine(launchedAs());
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      expect(world.log.names()).toEqual(['launchMachine', 'createInstance', 'recordCreated']);
    });
  });

  test('with a fault of the class says so on the Machine, as its read does', async () => {
    const failure = { code: 'InvalidArgument', message: 'no such size', isSettled: true } as const;
    const world = await newMachine(async ({ object }) => ({
      read: { found: true, machine: object, failure },
    }));
    await world.run(async () => {
      await world.begin();
      await world.log.until('recordFailure');
      expect(world.log.inputsOf('recordFailure')).toMatchObject([{ failure }]);
      expect(world.log.count('createInstance')).toBe(0);
    });
  });

  test('whose cloud is at work on it asks again with what it knows', async () => {
    const pending = { outcome: 'pending', message: 'boots', pollAfterSeconds: 1 } as const;
    const world = await newMachine(launchedAs({ ...pending, checkpoint: 'order-1' }));
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      expect(world.log.inputsOf('createInstance')).toMatchObject([
        { checkpoint: 'order-1', token: 'uid-1-0' },
      ]);
    });
  });

  test.each<[string, () => Promise<never>]>([
    [
      'a worker without the core',
      async () => {
        throw ApplicationFailure.nonRetryable('this worker does not serve the core');
      },
    ],
    [
      'a stop',
      async () => {
        throw ApplicationFailure.create({ message: 'stopped', type: 'Stopped' });
      },
    ],
  ])('that %s refuses goes on step by step, and nothing is searched for', async (_who, refuse) => {
    const world = await newMachine(refuse);
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      const { creation } = await world.state();
      expect(creation).not.toHaveProperty('unsettled');
      expect(world.log.names()).toEqual([
        'launchMachine',
        'readAndClaimMachine',
        'createInstance',
        'recordCreated',
      ]);
    });
  });

  test('that never answers is searched for when the Machine goes', async () => {
    const world = await newMachine(hang);
    await world.run(async () => {
      await world.begin();
      await world.log.until('launchMachine');
      await world.requestDeletion();
      await resultOf(world.handle);
      expect(world.log.names()).toContain('describeInstance');
    });
  });

  test.each<[string, (world: MachineWorld) => Promise<void>]>([
    [
      'an earlier watcher began',
      async (world) => {
        world.launch = undefined;
        await world.begin();
      },
    ],
    ['is to be preserved', (world) => world.begin({ preservation: { preserve: 'now' } })],
    [
      'is past its creation timeout',
      async (world) => {
        world.launch = { provider: 'virtual', deadline: (await temporal.now()) - 1 };
        await world.begin();
      },
    ],
  ])('of one that %s begins with a read', async (_what, begin) => {
    const world = await newMachine(launchedAs(joined));
    await world.run(async () => {
      await begin(world);
      await world.log.until('createInstance');
      expect(world.log.names()[0]).toBe('readAndClaimMachine');
      expect(world.log.count('launchMachine')).toBe(0);
    });
  });
});

async function aMachine(overrides: Overrides = {}): Promise<MachineWorld> {
  const world = await MachineWorld.create(temporal, overrides);
  world.saysSince = true;
  return world;
}

describe('the deletion of a machine that runs', () => {
  test('begins with the drain, whose timeout counts from the deletion on', async () => {
    const world = await aMachine();
    await world.run(async () => {
      await world.beginAndJoin();
      await world.requestDeletion();
      await resultOf(world.handle);
      expect(world.log.count('beginTeardown')).toBe(0);
      const { deletionRequestedAt: countsFrom = 0 } = world.object;
      expect(world.log.inputsOf('drainNode')).toMatchObject([
        { begins: true, countsFrom, deadline: countsFrom + 7_200_000 },
      ]);
    });
  });

  test('begins with a read where the drain found something else', async () => {
    const world = await aMachine({
      drainNode: async ({ begins }) => ({
        evictedPods: 0,
        isForced: false,
        ...(begins && { isNotBegun: true }),
      }),
    });
    await world.run(async () => {
      await world.beginAndJoin();
      await world.requestDeletion();
      await resultOf(world.handle);
      expect(world.log.names().slice(4, 7)).toEqual(['drainNode', 'beginTeardown', 'drainNode']);
    });
  });

  test('leaves the instance of a Machine that went before', async () => {
    const world = await aMachine({
      drainNode: async () => ({ evictedPods: 0, isForced: false, isNotBegun: true }),
      beginTeardown: async () => ({}),
    });
    await world.run(async () => {
      await world.beginAndJoin();
      await world.requestDeletion();
      expect(await resultOf(world.handle)).toMatchObject({
        reason: 'the object went without a teardown: its instance lives on',
      });
      expect(world.log.count('deleteInstance')).toBe(0);
    });
  });

  test.each<[string, (world: MachineWorld) => Promise<void>]>([
    ['without a word of when', async (world) => void (world.saysSince = false)],
    ['with hooks', async (world) => world.putHooks({ drain: [{ annotation: 'a', owner: 'b' }] })],
    ['without its drain', async (world) => world.observe({ drain: { isSkipped: true } })],
    [
      'of another driver',
      async (world) => {
        world.object = { ...world.object, hasExternalDriver: true };
        await world.observe({ specDigest: 'spec-2' });
        await world.log.until('readAndClaimMachine', 2);
      },
    ],
  ])('%s begins with a read', async (_what, change) => {
    const world = await aMachine();
    await world.run(async () => {
      await world.beginAndJoin();
      await change(world);
      await world.requestDeletion();
      await world.log.until('beginTeardown');
      expect(world.log.names().find((name) => /Teardown|drain/.test(name))).toBe('beginTeardown');
    });
  });
});
