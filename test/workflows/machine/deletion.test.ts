import { EventEmitter, once } from 'node:events';
import { ApplicationFailure } from '@temporalio/common';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import type { DrainOutcome } from '../../../workflows/contracts/drain-activities.ts';
import type { PreparedMachine } from '../../../workflows/contracts/machine-activities.ts';
import type { MachineFailure } from '../../../workflows/plan/machine/facts.ts';
import { hang, instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

test('a deletion during a hanging create cancels the create, deletes, and searches again after the settle window', async () => {
  const world = await MachineWorld.create(temporal, {
    createInstance: hang,
    deleteInstance: async () => ({ outcome: 'deleted', isFound: false, settleSeconds: 30 }),
  });
  await world.run(async () => {
    await world.begin();
    await world.log.until('createInstance');
    await world.requestDeletion();
    await world.log.until('deleteInstance');
    expect(world.log.count('finishTeardown')).toBe(0);
    await temporal.skip(20);
    expect(world.log.count('finishTeardown')).toBe(0);
    await temporal.skip(15);
    await resultOf(world.handle);
    expect(world.log.names().slice(-6)).toEqual([
      'beginTeardown',
      'describeInstance',
      'deleteInstance',
      'describeInstance',
      'deleteInstance',
      'finishTeardown',
    ]);
  });
});

test('a deletion waits for the end of the create that it cancels, which may send something until then', async () => {
  const cloud = new EventEmitter();
  const world = await MachineWorld.create(temporal, {
    createInstance: async () => {
      try {
        return await hang();
      } finally {
        cloud.emit('heard');
        await once(cloud, 'over');
      }
    },
  });
  await world.run(async () => {
    await world.begin();
    await world.log.until('createInstance');
    const heard = once(cloud, 'heard');
    await world.requestDeletion();
    await heard;
    await temporal.skip(5);
    expect(world.log.count('describeInstance')).toBe(0);
    cloud.emit('over');
    await resultOf(world.handle);
    expect(world.log.count('deleteInstance')).toBe(1);
  });
});

test('an ambiguous create whose instance was found needs no settle window', async () => {
  const world = await MachineWorld.create(temporal, { createInstance: hang });
  await world.run(async () => {
    await world.begin();
    await world.log.until('createInstance');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.count('deleteInstance')).toBe(1);
  });
});

test('an instance that a create without an answer made is found, drained, and goes with its Node', async () => {
  const { providerID, nodeName } = instance;
  const world = await MachineWorld.create(temporal, {
    createInstance: hang,
    describeInstance: async () => ({ outcome: 'found', instance: { providerID, nodeName } }),
  });
  await world.run(async () => {
    await world.begin();
    await world.log.until('createInstance');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.names().slice(-5)).toEqual([
      'beginTeardown',
      'describeInstance',
      'drainNode',
      'deleteInstance',
      'finishTeardown',
    ]);
    expect(world.log.inputsOf('finishTeardown').at(-1)).toMatchObject({ nodeName, providerID });
  });
});

test.each([
  { says: 'a Node whose name no label can have', nodeName: `n.${'n'.repeat(70)}`, isDrained: true },
  { says: 'what is no name of a Node', nodeName: 'Not A Node', isDrained: false },
])('a driver that answers with $says holds up no deletion', async ({ nodeName, isDrained }) => {
  const { providerID } = instance;
  const world = await MachineWorld.create(temporal, {
    createInstance: async () => ({
      outcome: 'created',
      instance: { providerID, nodeName, isFound: false },
    }),
    describeInstance: async () => ({ outcome: 'found', instance: { providerID, nodeName } }),
    // @ts-expect-error A driver in another language says what it likes.
    deleteInstance: async () => ({ outcome: 'deleted', isFound: true }),
  });
  await world.run(async () => {
    await world.begin();
    await world.log.until('recordFailure');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.names().filter((name) => name === 'drainNode')).toHaveLength(
      isDrained ? 1 : 0,
    );
    expect(world.log.inputsOf('deleteInstance')).toMatchObject([{ providerID }]);
    expect(world.log.inputsOf('finishTeardown').at(-1)).toMatchObject({ providerID });
  });
});

test('a copy of a Machine goes without the instance and the Node of the original', async () => {
  const { providerID, nodeName } = instance;
  const world = await MachineWorld.create(temporal, {
    beginTeardown: async () => ({ machine: world.read(), heldBy: 'pool-0' }),
  });
  Object.assign(world.object, { providerID, nodeName, phase: 'Running', isDeleting: true });
  await world.run(async () => {
    await world.begin();
    await resultOf(world.handle);
    for (const step of ['drainNode', 'deleteInstance'] as const)
      expect(world.log.count(step)).toBe(0);
    expect(world.log.inputsOf('finishTeardown')).toEqual([
      expect.not.objectContaining({ nodeName: expect.anything() }),
    ]);
  });
});

const noKey = { code: 'Unauthenticated', message: 'no key', isSettled: false } as const;

const refuse = async () => ({ outcome: 'failed', failure: noKey }) as const;

/** Of a Machine whose class has no credentials. */
async function refusedWorld(
  failure: MachineFailure,
  changes: Partial<PreparedMachine> = {},
): Promise<MachineWorld> {
  const world = await MachineWorld.create(temporal, {
    createInstance: async () => ({ outcome: 'failed', failure }),
    describeInstance: refuse,
    deleteInstance: refuse,
  });
  Object.assign(world.object, changes);
  return world;
}

describe('credentials that the cloud refuses from the first create to the deletion', () => {
  test.each([
    { what: 'sent nothing', failure: { ...noKey, isUnsent: true } },
    { what: 'were refused', failure: { ...noKey, isSettled: true } },
  ])('keep no Machine whose creates $what', async ({ failure }) => {
    const world = await refusedWorld(failure);
    await world.run(async () => {
      await world.begin();
      await world.log.until('recordFailure', 2);
      await world.requestDeletion();
      await resultOf(world.handle);
      expect(world.log.names().slice(-2)).toEqual(['deleteInstance', 'finishTeardown']);
    });
  });

  test.each([
    { what: 'may have made an instance', failure: noKey, changes: {} },
    {
      what: 'of an earlier life may have',
      failure: { ...noKey, isUnsent: true },
      changes: { phase: 'CrashLoopBackOff' as const },
    },
    {
      what: 'were to find a known instance',
      failure: { ...noKey, isUnsent: true },
      changes: { providerID: instance.providerID },
    },
  ])('keep a Machine whose creates $what', async ({ failure, changes }) => {
    const world = await refusedWorld(failure, changes);
    await world.run(async () => {
      await world.begin();
      await world.log.until('recordFailure');
      const reports = world.log.count('recordFailure');
      await world.requestDeletion();
      await world.log.until('recordFailure', reports + 2);
      expect(world.log.count('finishTeardown')).toBe(0);
    });
  });
});

test('a class that was missing when the deletion began is asked for again', async () => {
  let isMissing = true;
  const failure = { code: 'InvalidArgument', message: 'no class', isSettled: true } as const;
  const world = await MachineWorld.create(temporal, {
    beginTeardown: async () => {
      const { provider: _unknown, ...machine } = world.read();
      return { machine };
    },
    readAndClaimMachine: async () => {
      const { provider: _unknown, ...machine } = world.read();
      return { found: true, machine, failure };
    },
    findProvider: async () =>
      isMissing ? { found: false, failure } : { found: true, provider: 'virtual' },
  });
  Object.assign(world.object, { providerID: instance.providerID, nodeName: instance.nodeName });
  await world.run(async () => {
    await world.begin();
    await world.requestDeletion();
    await world.log.until('recordFailure', 2);
    expect(world.log.count('deleteInstance')).toBe(0);
    isMissing = false;
    await temporal.skip(600);
    await resultOf(world.handle);
    expect(world.log.inputsOf('deleteInstance')).toMatchObject([{ provider: 'virtual' }]);
  });
});

describe('a Machine whose class never existed, and whose first attempt wrote that and was lost', () => {
  const failure = { code: 'InvalidArgument', message: 'no class', isSettled: true } as const;

  /** Until it has done what comes `next`. */
  async function deleted(
    hadFinalizer: boolean,
    next: 'findProvider' | 'finishTeardown',
    copied: { nodeName?: string } = {},
  ): Promise<MachineWorld> {
    const world = await MachineWorld.create(temporal, {
      readAndClaimMachine: async () => {
        const { provider: _unknown, ...machine } = world.read();
        return { found: true, machine, failure };
      },
      beginTeardown: async () => {
        const { provider: _unknown, ...machine } = world.read();
        return { machine };
      },
      findProvider: async () => ({ found: false, failure }),
    });
    Object.assign(world.object, { phase: 'CrashLoopBackOff', ...copied });
    await world.run(async () => {
      await world.begin({ hasFinalizer: hadFinalizer });
      await world.log.until('recordFailure');
      await world.requestDeletion();
      await world.log.until(next);
    });
    return world;
  }

  test('goes when the run saw it before anybody had claimed it: nothing was made', async () => {
    const world = await deleted(false, 'finishTeardown');
    expect(world.log.count('findProvider')).toBe(0);
  });

  test('waits for its class when an earlier life may have made an instance', async () => {
    const world = await deleted(true, 'findProvider');
    expect(world.log.count('finishTeardown')).toBe(0);
  });

  test('waits for its class when it names a Node: it is the copy of one that had an instance', async () => {
    const world = await deleted(false, 'findProvider', { nodeName: instance.nodeName });
    expect(world.log.count('finishTeardown')).toBe(0);
  });
});

test('a failed deletion is reported and tried again', async () => {
  let failures = 1;
  const world = await MachineWorld.create(temporal, {
    deleteInstance: async () => {
      failures -= 1;
      const failure = { code: 'Unavailable', message: 'later', isSettled: true } as const;
      if (failures >= 0) return { outcome: 'failed', failure };
      return { outcome: 'deleted', isFound: true, settleSeconds: 30 };
    },
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await world.log.until('recordFailure');
    expect(world.log.inputsOf('recordFailure')).toMatchObject([
      { operation: 'Delete', phase: 'Terminating' },
    ]);
    await temporal.skip(3);
    await resultOf(world.handle);
    expect(world.log.count('deleteInstance')).toBe(2);
  });
});

test('the drain ends at an absolute time, counted from the deletion', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await resultOf(world.handle);
    const requestedAt = world.object.deletionRequestedAt ?? 0;
    expect(world.log.inputsOf('drainNode')).toMatchObject([
      { nodeName: 'pool-a', deadline: requestedAt + 7200_000, isForced: false },
    ]);
  });
});

test('a life that begins with the deletion names its UID and deletes what the object knows', async () => {
  const world = await MachineWorld.create(temporal);
  const { providerID, nodeName } = instance;
  world.object = { ...world.object, phase: 'Running', providerID, nodeName, isDeleting: true };
  await world.run(async () => {
    await world.begin();
    await resultOf(world.handle);
    expect(world.log.inputsOf('deleteInstance')).toMatchObject([{ providerID }]);
    expect(world.log.inputsOf('beginTeardown')).toMatchObject([{ machine: { uid: 'uid-1' } }]);
  });
});

test('a run that begins with the deletion searches twice for an instance without providerID', async () => {
  const world = await MachineWorld.create(temporal, {
    deleteInstance: async () => ({ outcome: 'deleted', isFound: false, settleSeconds: 30 }),
  });
  world.object.isDeleting = true;
  await world.run(async () => {
    await world.begin();
    await world.log.until('deleteInstance');
    expect(world.log.count('finishTeardown')).toBe(0);
    await temporal.skip(31);
    await resultOf(world.handle);
    expect(world.log.count('deleteInstance')).toBe(2);
    expect(world.log.inputsOf('deleteInstance')).toMatchObject([{ token: 'uid-1-0' }, {}]);
  });
});

async function isForcedInEachDrain(world: MachineWorld): Promise<boolean[]> {
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await world.log.until('drainNode');
    await world.observe({ forceDeletion: true });
    await resultOf(world.handle);
  });
  return world.log.inputsOf('drainNode').map(({ isForced }) => isForced);
}

const blocked = (): never => {
  throw ApplicationFailure.create({ type: 'DrainBlocked', nextRetryDelay: '20s' });
};

describe('the label force-deletion', () => {
  test.each<{ name: string; drain: () => Promise<never> | never }>([
    { name: 'that hangs', drain: hang },
    { name: 'that waits for its next pass', drain: blocked },
  ])('forces a drain $name', async ({ drain }) => {
    const world = await MachineWorld.create(temporal, {
      drainNode: async ({ isForced }) => (isForced ? { evictedPods: 0, isForced } : await drain()),
    });
    expect(await isForcedInEachDrain(world)).toEqual([false, true]);
  });
});

describe('a stripped finalizer', () => {
  test('leaves the instance alone', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.beginAndJoin();
      await world.observe({ isDeleting: true, hasFinalizer: false });
      await world.vanish();
      expect(await resultOf(world.handle)).toMatchObject({
        reason: expect.stringContaining('lives on'),
      });
      expect(world.log.count('deleteInstance')).toBe(0);
      expect(world.log.count('drainNode')).toBe(0);
    });
  });
});

/** Until something tells the new Machine what it waits for. */
async function replaceInDrain(world: MachineWorld): Promise<void> {
  await world.beginAndJoin();
  await world.requestDeletion();
  await world.log.until('drainNode');
  world.object = { ...world.object, uid: 'uid-2', isDeleting: false };
  await world.observe();
  await world.log.until('recordOperation');
}

/** Until `finished` is emitted. */
function drainOnDemand() {
  const drain = new EventEmitter();
  const drained = once(drain, 'finished');
  const drainNode = async (): Promise<DrainOutcome> => {
    await drained;
    return { evictedPods: 1, isForced: false };
  };
  return { drain, drainNode };
}

describe('another UID under the same name', () => {
  test('starts a new life, which adopts', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.beginAndJoin();
      const { providerID, nodeName } = instance;
      world.object = { ...world.object, uid: 'uid-2', phase: 'Running', providerID, nodeName };
      await world.observe();
      await world.log.until('readAndClaimMachine', 2);
      await world.phase('Running');
      expect((await world.state()).object.uid).toBe('uid-2');
      expect(world.log.count('deleteInstance')).toBe(0);
      expect(world.log.count('createInstance')).toBe(1);
    });
  });

  test('waits until a teardown that began is finished', async () => {
    const { drain, drainNode } = drainOnDemand();
    const world = await MachineWorld.create(temporal, { drainNode });
    await world.run(async () => {
      await replaceInDrain(world);
      expect((await world.state()).object.uid).toBe('uid-1');
      drain.emit('finished');
      await world.log.until('recordCreated', 2);
      const description = `Waits for the deletion of an earlier Machine of this name: Node ${instance.nodeName} is being drained`;
      expect(world.log.inputsOf('recordOperation')).toEqual([
        { machine: { ...world.ref, uid: 'uid-2' }, operation: 'Create', description },
      ]);
      const uids = world.log.inputsOf('finishTeardown').map(({ machine }) => machine.uid);
      expect(uids).toEqual(['uid-1']);
      expect(world.log.inputsOf('createInstance').at(-1)).toMatchObject({ token: 'uid-2-0' });
    });
  });

  test('holds up no teardown where it cannot be told what it waits for', async () => {
    const { drain, drainNode } = drainOnDemand();
    const world = await MachineWorld.create(temporal, {
      drainNode,
      recordOperation: async () => {
        throw ApplicationFailure.nonRetryable('a policy denied it');
      },
    });
    await world.run(async () => {
      await replaceInDrain(world);
      drain.emit('finished');
      await world.log.until('recordCreated', 2);
      expect(world.log.inputsOf('createInstance').at(-1)).toMatchObject({ token: 'uid-2-0' });
    });
  });

  test('is told what it waits for again, after half a minute at most, where that was refused', async () => {
    let isRefused = true;
    const world = await MachineWorld.create(temporal, {
      drainNode: async () => {
        throw ApplicationFailure.retryable('blocked');
      },
      recordOperation: async () => {
        if (isRefused) throw ApplicationFailure.nonRetryable('a policy denied it');
      },
    });
    await world.run(async () => {
      await replaceInDrain(world);
      isRefused = false;
      const refused = world.log.count('recordOperation');
      await temporal.skip(31);
      await world.log.until('recordOperation', refused + 1);
      expect((await world.state()).object.toldSuccessor).toBe('uid-2');
    });
  });
});

test('a cancel from outside is ignored', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    await world.handle.cancel();
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.count('deleteInstance')).toBe(1);
  });
});

test('the Node of an instance that is gone, and that no run ever knew, goes by the ids on the Machine', async () => {
  const { providerID, nodeName } = instance;
  const failure = { code: 'InvalidArgument', message: 'no class', isSettled: true } as const;
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => ({ found: true, machine: world.read(), failure }),
    describeInstance: async () => ({ outcome: 'missing', settleSeconds: 0 }),
  });
  world.object = { ...world.object, providerID, nodeName };
  await world.run(async () => {
    await world.begin();
    await world.log.until('recordFailure');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.inputsOf('finishTeardown').at(-1)).toMatchObject({ nodeName, providerID });
  });
});

describe('a drain that removes the machine as well', () => {
  const drained = { evictedPods: 0, isForced: false } as const;
  const deleted = { outcome: 'deleted', isFound: true, settleSeconds: 30 } as const;
  const pending = {
    outcome: 'pending',
    message: 'instance i-1 is shutting-down',
    pollAfterSeconds: 60,
    checkpoint: 'operation-1',
  } as const;
  const refusal = { code: 'PermissionDenied', message: 'no', isSettled: true } as const;
  type Removal = NonNullable<DrainOutcome['removal']>;

  /** The steps of a Running machine from its deletion on, when its drain ends so. */
  async function stepsAfter(removal: Removal, skipSeconds = 0): Promise<MachineWorld> {
    const world = await MachineWorld.create(temporal, {
      drainNode: async () => ({ ...drained, removal }),
    });
    await world.run(async () => {
      await world.beginAndJoin();
      await world.requestDeletion();
      await world.log.until('drainNode');
      if (skipSeconds > 0) await temporal.skip(skipSeconds);
      await resultOf(world.handle);
    });
    return world;
  }

  test('ends the workflow', async () => {
    const world = await stepsAfter({ deletion: deleted, finish: {} });
    expect(world.log.names().slice(-2)).toEqual(['beginTeardown', 'drainNode']);
    const { providerID, nodeName } = instance;
    expect(world.log.inputsOf('drainNode')).toMatchObject([
      {
        removal: {
          deletion: { providerID, provider: 'virtual' },
          finish: { nodeName, providerID },
        },
      },
    ]);
  });

  test.each<[what: string, removal: Removal]>([
    ['Node and finalizer', { deletion: deleted }],
    [
      'the Node',
      { deletion: deleted, finish: { failure: { ...refusal, during: 'nodeDeletion' } } },
    ],
  ])('leaves the rest to the next steps: %s', async (_what, removal) => {
    const world = await stepsAfter(removal, 60);
    expect(world.log.count('deleteInstance')).toBe(0);
    expect(world.log.names().at(-1)).toBe('finishTeardown');
    expect(world.log.count('recordFailure')).toBe(removal.finish ? 1 : 0);
  });

  test('leaves a deletion that goes on in the cloud to the queue of the driver, with its checkpoint, when it wants to be asked', async () => {
    const world = await MachineWorld.create(temporal, {
      drainNode: async () => ({ ...drained, removal: { deletion: pending } }),
    });
    await world.run(async () => {
      await world.beginAndJoin();
      await world.requestDeletion();
      await world.log.until('recordOperation');
      expect(world.log.inputsOf('recordOperation')).toMatchObject([
        { description: expect.stringContaining('instance i-1 is shutting-down') },
      ]);
      await temporal.skip(30);
      expect(world.log.count('deleteInstance')).toBe(0);
      await temporal.skip(31);
      await resultOf(world.handle);
      expect(world.log.inputsOf('deleteInstance')).toMatchObject([{ checkpoint: 'operation-1' }]);
    });
  });

  test('reports a deletion that failed, and the queue of the driver is asked later', async () => {
    const world = await stepsAfter({ deletion: { outcome: 'failed', failure: refusal } }, 60);
    expect(world.log.names().slice(-3)).toEqual([
      'recordFailure',
      'deleteInstance',
      'finishTeardown',
    ]);
  });
});

test.each([{ isOfOthers: false }, { isOfOthers: true }])(
  'a Node is deleted without a look only where it does not say that it is of another namespace: %j',
  async ({ isOfOthers }) => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await world.joinNode({ isReady: false, isOfOthers });
      await world.log.until('syncNode');
      await world.requestDeletion();
      await resultOf(world.handle);
      const { nodeUid } = world.log.inputsOf('finishTeardown').at(-1) ?? {};
      expect(nodeUid).toBe(isOfOthers ? undefined : 'uid-of-node');
    });
  },
);
