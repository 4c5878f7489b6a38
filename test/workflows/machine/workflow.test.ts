import { objectQuery } from '../../../workflows/contracts/messages.ts';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { contractVersion } from '../../../workflows/contracts/driver-activities.ts';
import type { RecordedCreateOutcome } from '../../../workflows/contracts/driver-activities.ts';
import type { MachineFailure } from '../../../workflows/plan/machine/facts.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { cluster, instance, MachineWorld, readyNode } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

/** More than this, and a machine costs more than the design says (docs/decisions). */
const eventsMax = 42;

test('a machine is launched, joined, drained and deleted in few events', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    // No queries here: the test server pays events for them, which the real one does not.
    await world.begin();
    await world.log.until('recordCreated');
    await world.joinNode();
    await world.log.until('recordJoined');
    await world.requestDeletion();
    const result = await resultOf(world.handle);
    expect(result).toMatchObject({ providerID: instance.providerID, nodeName: 'pool-a' });
    expect(world.log.names()).toEqual([
      'readAndClaimMachine',
      'createInstance',
      'recordCreated',
      'recordJoined',
      'beginTeardown',
      'drainNode',
      'deleteInstance',
      'finishTeardown',
    ]);
    const events = await world.eventCount();
    expect(events).toBeLessThanOrEqual(eventsMax);
  });
});

test('a create that has recorded its instance is followed by the join', async () => {
  const world = await MachineWorld.create(temporal, {
    createInstance: async (): Promise<RecordedCreateOutcome> => ({
      outcome: 'created',
      instance: { ...instance, nodeName: 'node-b' },
      isRecorded: true,
    }),
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.joinNode({ name: 'node-b' });
    await world.log.until('recordJoined');
    expect(world.log.names()).toEqual(['readAndClaimMachine', 'createInstance', 'recordJoined']);
  });
});

test('the create names the token of this life, and the join what was seen', async () => {
  const world = await MachineWorld.create(temporal);
  world.object.nodeTemplate = { labels: { pool: 'a' } };
  world.object.bootstrapTokenId = 'abc123';
  await world.run(async () => {
    await world.beginAndJoin();
    const machine = { ...world.ref, uid: 'uid-1' };
    expect(world.log.inputsOf('createInstance')).toEqual([
      {
        contractVersion,
        machine,
        cluster,
        className: 'small',
        provider: 'virtual',
        token: 'uid-1-0',
        bootstrapTokenId: 'abc123',
        nodeTemplate: { labels: { pool: 'a' } },
        isRetry: false,
      },
    ]);
    expect(world.log.inputsOf('recordJoined')).toEqual([
      {
        machine,
        node: { name: 'pool-a', uid: 'uid-of-node' },
        providerID: instance.providerID,
        className: 'small',
        bootstrapTokenId: 'abc123',
        nodeTemplate: { labels: { pool: 'a' } },
      },
    ]);
  });
});

test('an idle machine costs nothing: what it knows already is no event of its own', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    const calls = world.log.names();
    const before = await world.eventCount();
    await temporal.skip(3600);
    expect(await world.eventCount()).toBe(before);
    expect(world.log.names()).toEqual(calls);
  });
});

describe('the creation timeout', () => {
  test('fails a machine whose Node did not come in 20 minutes, not earlier', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await temporal.skip(1190);
      expect(world.log.count('recordTimeout')).toBe(0);
      await temporal.skip(20);
      await world.phase('Failed');
      expect(world.log.count('recordTimeout')).toBe(1);
      expect(world.log.count('deleteInstance')).toBe(0);
    });
  });

  test('a machine that was given more time waits on', async () => {
    const world = await MachineWorld.create(temporal, {
      recordTimeout: async () => {
        const limits = { ...world.object.limits, creationTimeoutSeconds: 3600 };
        return { found: 'moreTime', machine: { ...world.read(), limits } };
      },
    });
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await temporal.skip(1210);
      await world.log.until('recordTimeout');
      await temporal.skip(2380);
      expect(world.log.count('recordTimeout')).toBe(1);
      await world.joinNode();
      await world.phase('Running');
    });
  });

  test('rings earlier for a machine whose timeout is shortened while it waits', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      const limits = { ...world.object.limits, creationTimeoutSeconds: 300 };
      world.object = { ...world.object, limits };
      await world.observe({ specDigest: 'spec-2' });
      await world.log.until('readAndClaimMachine', 2);
      await temporal.skip(310);
      await world.phase('Failed');
    });
    expect(world.log.count('recordTimeout')).toBe(1);
  });

  test('does not ring in an outage of an API server; after it a Node has five minutes to join', async () => {
    let isAway = true;
    const world = await MachineWorld.create(temporal, {
      recordTimeout: async ({ isAfterOutage }) => {
        if (isAway) return { found: 'outOfReach', reason: 'connection refused' };
        return isAfterOutage ? { found: 'moreTime', machine: world.read() } : { found: 'tooLate' };
      },
    });
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await temporal.skip(1800);
      expect((await world.state()).phase).toBe('Pending');
      expect(world.log.count('recordTimeout')).toBeGreaterThan(15);
      isAway = false;
      await temporal.skip(280);
      expect((await world.state()).phase).toBe('Pending');
      await temporal.skip(60);
      await world.phase('Failed');
    });
  });

  test('gives a machine without an instance five minutes from the first read after an outage', async () => {
    let isAway = true;
    const world = await MachineWorld.create(temporal, {
      createInstance: async () => ({ outcome: 'pending', message: 'queued', pollAfterSeconds: 30 }),
      recordTimeout: async () => {
        if (!isAway) return { found: 'tooLate' };
        isAway = false;
        return { found: 'outOfReach', reason: 'connection refused' };
      },
    });
    await world.run(async () => {
      await world.begin();
      await world.log.until('createInstance');
      await temporal.skip(1_230);
      await world.log.until('recordTimeout');
      await temporal.skip(330);
      await world.phase('Failed');
      const [first, second] = world.log.inputsOf('recordTimeout');
      expect(first).not.toHaveProperty('isAfterOutage');
      expect(second).not.toHaveProperty('isAfterOutage');
    });
  });

  test('names its Node and its own clock, and a Node that nobody told of makes it Running', async () => {
    const { nodeName: name, providerID } = instance;
    const world = await MachineWorld.create(temporal, {
      recordTimeout: async () => ({
        found: 'node',
        node: { ...readyNode, uid: 'uid-of-unseen' },
      }),
    });
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await temporal.skip(1210);
      await world.phase('Running');
      const [look] = world.log.inputsOf('recordTimeout');
      expect(look).toMatchObject({
        machine: { uid: 'uid-1' },
        instance: { nodeName: name, providerID },
      });
      expect(look?.now).toBeGreaterThanOrEqual(world.object.createdAt + 1200_000);
      expect(world.log.inputsOf('recordJoined')).toMatchObject([
        { node: { name, uid: 'uid-of-unseen' } },
      ]);
    });
  });

  test('of an object that is gone ends the life and leaves the instance alone', async () => {
    const world = await MachineWorld.create(temporal, {
      recordTimeout: async () => ({ found: 'nothing' }),
    });
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await temporal.skip(1210);
      expect((await resultOf(world.handle)).reason).toContain('lives on');
      expect(world.log.count('deleteInstance')).toBe(0);
    });
  });

  test('a Node that joins in time stops the clock', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.beginAndJoin();
      await temporal.skip(7200);
      expect(world.log.count('recordTimeout')).toBe(0);
    });
  });
});

function refusing(isSettled: boolean) {
  const failure: MachineFailure = { code: 'Internal', message: 'no luck', isSettled };
  let refusals = 2;
  return {
    createInstance: async () => {
      refusals -= 1;
      if (refusals >= 0) return { outcome: 'failed' as const, failure };
      return { outcome: 'created' as const, instance };
    },
  };
}

async function tokensOf(isSettled: boolean): Promise<string[]> {
  const world = await MachineWorld.create(temporal, refusing(isSettled));
  await world.run(async () => {
    await world.begin();
    for (const attempts of [1, 2]) {
      await world.log.until('recordFailure', attempts);
      await world.repairClass();
    }
    await world.phase('Pending');
  });
  return world.log.inputsOf('createInstance').map(({ token }) => token);
}

describe('a refused create', () => {
  test('gets a new token each time: the next request may differ', async () => {
    expect(await tokensOf(true)).toEqual(['uid-1-0', 'uid-1-1', 'uid-1-2']);
  });

  test('keeps its token while nobody knows what came of it', async () => {
    expect(await tokensOf(false)).toEqual(['uid-1-0', 'uid-1-0', 'uid-1-0']);
  });
});

test('a Node of another instance under the same name is not taken for ours', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.joinNode({ providerID: 'local:///zone-1/i-2' });
    await world.joinNode({ isReady: false, uid: 'uid-of-next-node' });
    await world.joinNode({ uid: 'uid-of-next-node' });
    await world.phase('Running');
    expect(world.log.inputsOf('recordJoined').map(({ node }) => node.uid)).toEqual([
      'uid-of-next-node',
    ]);
  });
});

test('a signal that came during a read wins over the read', async () => {
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => {
      // The loop hears signals only beside the regular form.
      if (Context.current().info.isLocal) throw new Error('not now');
      const machine = world.read();
      await world.requestDeletion();
      await eventually('the signal', async () => {
        return (await world.state()).object.observed?.isDeleting ?? false;
      });
      return { found: true, machine };
    },
  });
  await world.run(async () => {
    await world.begin();
    await resultOf(world.handle);
    expect(world.log.count('createInstance')).toBe(0);
    expect(world.log.count('beginTeardown')).toBe(1);
  });
});

test('a step that fails as a local activity goes on in the regular form', async () => {
  const localAttempts: number[] = [];
  const world = await MachineWorld.create(temporal, {
    readAndClaimMachine: async () => {
      const { isLocal, attempt } = Context.current().info;
      if (!isLocal) return { found: true, machine: world.read() };
      localAttempts.push(attempt);
      throw new Error('not now');
    },
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    // The SDK cannot try again: the time limit of the attempt before would go on.
    expect(new Set(localAttempts)).toEqual(new Set([1]));
  });
});

test('a machine says which object it stands for', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    expect(await world.handle.query(objectQuery)).toEqual({ uid: 'uid-1', isGone: false });
  });
});

test('a signal of another cluster is refused', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    await world.observe({ cluster: 'elsewhere', isDeleting: true });
    await world.observe();
    const { observed } = (await world.state()).object;
    expect(observed?.isDeleting).toBe(false);
    expect(world.log.count('beginTeardown')).toBe(0);
  });
});

test('an old snapshot is ignored, one of a later leader is taken', async () => {
  const world = await MachineWorld.create(temporal);
  await world.run(async () => {
    await world.beginAndJoin();
    const { observed } = (await world.state()).object;
    await world.observe({ resourceVersion: '1', isDeleting: true });
    expect((await world.state()).object.observed).toEqual(observed);
    await world.observe({ resourceVersion: '1', epoch: 2 });
    expect((await world.state()).object.observed).toMatchObject({ epoch: 2 });
  });
});

test('a machine that runs already is adopted: nothing is created or joined, its Node is looked at', async () => {
  const world = await MachineWorld.create(temporal);
  const { providerID, nodeName } = instance;
  world.object = { ...world.object, phase: 'Running', providerID, nodeName };
  await world.run(async () => {
    await world.begin();
    await world.phase('Running');
    await world.log.until('syncNode');
    expect(world.log.names()).toEqual(['readAndClaimMachine', 'checkHealth', 'syncNode']);
    expect((await world.state()).creation).toMatchObject({ instance: { providerID, nodeName } });
  });
});

test('without a target cluster a machine with its instance is Available', async () => {
  const world = await MachineWorld.create(temporal);
  world.object.usesTarget = false;
  await world.run(async () => {
    await world.begin();
    await world.phase('Available');
    expect(world.log.inputsOf('recordCreated')).toMatchObject([{ usesTarget: false }]);
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.count('drainNode')).toBe(0);
    expect(world.log.count('deleteInstance')).toBe(1);
  });
});

test.each([
  ['TypeScript', 'NotFoundError', 'createInstance is not registered on this Worker'],
  [
    'Java',
    'java.lang.IllegalArgumentException',
    'Activity Type "createInstance" is not registered with a worker. Known types are: ',
  ],
])('a driver in %s that does not serve it: the Machine says so', async (_in, type, message) => {
  const createInstance = () => Promise.reject(ApplicationFailure.create({ type, message }));
  const world = await MachineWorld.create(temporal, { createInstance });
  await world.run(async () => {
    await world.begin();
    await world.log.until('recordFailure');
    const [recorded] = world.log.inputsOf('recordFailure');
    expect(JSON.stringify(recorded)).toContain(
      'the driver of provider \\"virtual\\" does not serve createInstance',
    );
  });
});
