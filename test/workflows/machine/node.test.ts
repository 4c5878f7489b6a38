import { ApplicationFailure } from '@temporalio/common';
import { stopped } from '../../../activities/runtime/failures.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { hang, instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const taint = (key: string) => ({ key, effect: 'NoSchedule' });

describe('the Node of a machine that is Pending', () => {
  const ofNode = { isReady: false, conditionsDigest: 'not ready' };

  test('is brought in step as soon as it appears, and again when its conditions change', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await world.joinNode(ofNode);
      await world.log.until('syncNode');
      await world.joinNode({ ...ofNode, conditionsDigest: 'still not ready' });
      await world.log.until('syncNode', 2);
      expect(world.log.inputsOf('syncNode')).toMatchObject([
        { joining: { uid: 'uid-of-node', isFresh: true } },
        { joining: { uid: 'uid-of-node', isFresh: false } },
      ]);
      expect((await world.state()).phase).toBe('Pending');
      await world.joinNode();
      await world.phase('Running');
      expect(world.log.inputsOf('recordJoined')).toMatchObject([{ isEquipped: true }]);
    });
  });

  test('takes its Machine along when it is deleted', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await world.joinNode(ofNode);
      await world.log.until('syncNode');
      await world.joinNode({ ...ofNode, exists: false });
      await world.log.until('deleteWithNode');
      const { providerID, nodeName } = instance;
      expect(world.log.inputsOf('deleteWithNode')).toEqual([
        { machine: { ...world.ref, uid: 'uid-1' }, instance: { providerID, nodeName } },
      ]);
    });
  });
});

test('a machine whose deletion with its Node is refused fails when its time is over', async () => {
  const refused = ApplicationFailure.nonRetryable('denied by a policy', 'Refused');
  const world = await MachineWorld.create(temporal, {
    deleteWithNode: async () => await Promise.reject(refused),
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.joinNode({ exists: false });
    await world.log.until('deleteWithNode', 3);
    expect(world.log.count('recordTimeout')).toBe(0);
    await temporal.skip(1_300);
    await world.phase('Failed');
    expect(world.log.count('recordTimeout')).toBe(1);
  });
});

test('a machine whose Node went during a stop joins by the next one, and hears of its own deletion', async () => {
  const world = await MachineWorld.create(temporal, {
    deleteWithNode: async () => await Promise.reject(stopped('stopped by a person')),
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.joinNode({ exists: false });
    await world.log.until('deleteWithNode', 3);
    await world.joinNode({ uid: 'uid-of-next-node' });
    await world.phase('Running');
    await world.requestDeletion();
    expect(await resultOf(world.handle)).toMatchObject({ providerID: instance.providerID });
  });
});

describe('the Node of a machine that runs', () => {
  const { providerID, nodeName } = instance;

  test('follows an edited spec, which is read once; nothing is joined again', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.beginAndJoin();
      world.object.nodeTemplate = { labels: { pool: 'b' } };
      await world.observe({ specDigest: 'spec-2' });
      await world.log.until('syncNode');
      await world.observe({ specDigest: 'spec-2', forceDeletion: true });
      expect((await world.state()).node.behind).toBeUndefined();
      expect(world.log.count('readAndClaimMachine')).toBe(2);
      expect(world.log.count('recordJoined')).toBe(1);
      expect(world.log.inputsOf('syncNode')).toEqual([
        {
          machine: { ...world.ref, uid: 'uid-1' },
          instance: { providerID, nodeName },
          nodeUid: 'uid-of-node',
          className: 'small',
          nodeTemplate: { labels: { pool: 'b' } },
        },
      ]);
    });
  });

  test('loses what was last applied as the workflow knows it, and after a failure all that may have been', async () => {
    // As a local activity, and in its regular form.
    let refusals = 2;
    const world = await MachineWorld.create(temporal, {
      recordJoined: async () => ({ hasJoined: true, isApplied: true }),
      syncNode: async () => {
        refusals -= 1;
        if (refusals < 0) return { isApplied: true };
        throw ApplicationFailure.nonRetryable('no');
      },
    });
    world.object.nodeTemplate = { labels: { a: '1' }, taints: [taint('a')] };
    await world.run(async () => {
      await world.beginAndJoin();
      world.object.nodeTemplate = { labels: { b: '1' }, taints: [taint('b')] };
      await world.observe({ specDigest: 'spec-2' });
      await world.log.until('syncNode', 2);
      await temporal.skip(60);
      await world.log.until('syncNode', 3);
      delete world.object.nodeTemplate;
      await world.observe({ specDigest: 'spec-3' });
      await world.log.until('syncNode', 4);
      expect(
        world.log
          .inputsOf('syncNode')
          .slice(1)
          .map(({ applied }) => applied),
      ).toMatchObject([
        { labels: { a: '1' }, taints: [taint('a')] },
        { labels: { a: '1', b: '1' }, taints: [taint('a'), taint('b')] },
        { labels: { b: '1' }, taints: [taint('b')] },
      ]);
    });
  });

  test('follows its class; an edit that comes meanwhile is not lost', async () => {
    let edits = 0;
    const world = await MachineWorld.create(temporal, {
      syncNode: async () => {
        edits += 1;
        if (edits === 1) await world.observe({ specDigest: 'spec-2' });
      },
    });
    await world.run(async () => {
      await world.beginAndJoin();
      await world.repairClass({ resourceVersion: '4711' });
      await world.log.until('syncNode', 2);
      expect(world.log.inputsOf('syncNode')[0]).toMatchObject({ classAtLeast: '4711' });
      expect(world.log.count('readAndClaimMachine')).toBe(2);
    });
  });

  test('that registers anew gets what the Machine says of it, which went with the one before', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.beginAndJoin();
      await world.joinNode({ exists: false, isStripped: true });
      await world.log.until('checkHealth');
      expect(world.log.count('syncNode')).toBe(0);
      await world.joinNode({ uid: 'uid-of-the-next' });
      await world.log.until('syncNode');
      await world.joinNode({ uid: 'uid-of-the-next', conditionsDigest: 'ready for long' });
      await world.log.until('checkHealth', 3);
      expect(world.log.count('syncNode')).toBe(1);
    });
  });

  test('is brought in step when others strip it, and ten minutes later where they do so again', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.beginAndJoin();
      await world.joinNode({ isStripped: true });
      await world.log.until('syncNode');
      const { mendedAt = 0 } = (await world.state()).node;
      await world.joinNode({ isStripped: true });
      await world.joinNode({ isStripped: true });
      const from = mendedAt + 600_000;
      expect((await world.state()).node).toMatchObject({ behind: { from }, mendedAt: from });
      expect(world.log.count('syncNode')).toBe(1);
      await temporal.skip(610);
      await world.log.until('syncNode', 2);
      expect((await world.state()).node.behind).toBeUndefined();
    });
  });

  test('that is stripped again follows an edited spec at once', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.beginAndJoin();
      await world.joinNode({ isStripped: true });
      await world.log.until('syncNode');
      await world.joinNode({ isStripped: true });
      world.object.nodeTemplate = { labels: { pool: 'b' } };
      await world.observe({ specDigest: 'spec-2' });
      await world.log.until('syncNode', 2);
      const [, second] = world.log.inputsOf('syncNode');
      expect(second).toMatchObject({ nodeTemplate: { labels: { pool: 'b' } } });
    });
  });

  test('waits for its join when the spec is edited before', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await world.observe({ specDigest: 'spec-2' });
      await world.log.until('readAndClaimMachine', 2);
      expect(world.log.count('syncNode')).toBe(0);
      await world.joinNode();
      await world.log.until('syncNode');
      expect(world.log.names().slice(-2)).toEqual(['recordJoined', 'syncNode']);
    });
  });
});

async function refuse(): Promise<never> {
  throw new Error('admission webhook denied the request');
}

describe('a Node that takes no write', () => {
  test.each<{
    step: 'recordJoined' | 'syncNode' | 'preserveMachine';
    times: number;
    outcome: () => Promise<never>;
    cause: (world: MachineWorld) => Promise<void>;
  }>([
    {
      step: 'recordJoined',
      times: 3,
      outcome: refuse,
      cause: (world) => world.joinNode(),
    },
    {
      step: 'syncNode',
      times: 1,
      outcome: hang,
      cause: (world) => world.observe({ specDigest: 'spec-2' }),
    },
    {
      step: 'preserveMachine',
      times: 3,
      outcome: refuse,
      cause: (world) => world.observe({ preservation: { preserve: 'now' } }),
    },
  ])('keeps no machine from its deletion: $step', async ({ step, times, outcome, cause }) => {
    const world = await MachineWorld.create(temporal, { [step]: outcome });
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      if (step !== 'recordJoined') {
        await world.joinNode();
        await world.phase('Running');
      }
      await cause(world);
      await world.log.until(step, times);
      await world.requestDeletion();
      expect((await resultOf(world.handle)).reason).toBe('instance, Node and object are gone');
    });
  });

  test('is asked again with what a user has mended, and until then the Machine says why', async () => {
    const world = await MachineWorld.create(temporal, {
      recordJoined: async ({ nodeTemplate }) =>
        nodeTemplate?.labels ? { hasJoined: true } : await refuse(),
    });
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await world.joinNode();
      await world.log.until('recordOperation');
      expect(world.log.inputsOf('recordOperation')).toMatchObject([
        {
          operation: 'Create',
          description:
            'Node pool-a is Ready, and its join could not be written: admission webhook denied the request',
        },
      ]);
      world.object.nodeTemplate = { labels: { pool: 'b' } };
      await world.observe({ specDigest: 'spec-2' });
      await temporal.skip(30);
      await world.phase('Running');
      expect(world.log.count('readAndClaimMachine')).toBe(2);
    });
  });

  test('keeps no machine that runs from what else is to be done', async () => {
    const world = await MachineWorld.create(temporal, { syncNode: refuse });
    await world.run(async () => {
      await world.beginAndJoin();
      await world.observe({ specDigest: 'spec-2' });
      await world.log.until('syncNode', 3);
      const checks = world.log.count('checkHealth');
      await world.joinNode({ isReady: false, conditionsDigest: 'not ready' });
      await world.log.until('checkHealth', checks + 1);
      expect((await world.state()).node.behind).toBeDefined();
    });
  });
});

describe('a Node of the name that the new instance got, but of another instance', () => {
  const renamed = { ...instance, nodeName: 'node-b' };
  const createInstance = async () => ({ outcome: 'created' as const, instance: renamed });

  test('makes the machine Failed, and the instance goes again', async () => {
    const world = await MachineWorld.create(temporal, {
      createInstance,
      findStaleNode: async () => ({ isStale: true }),
    });
    world.object.machineSet = 'pool';
    await world.run(async () => {
      await world.begin();
      await world.phase('Failed');
      await world.log.until('recordFailure');
      expect(world.log.names()).toEqual([
        'readAndClaimMachine',
        'createInstance',
        'findStaleNode',
        'deleteInstance',
        'recordFailure',
      ]);
      expect(world.log.inputsOf('deleteInstance')).toMatchObject([
        { token: 'uid-1-0', providerID: instance.providerID },
      ]);
      expect(world.log.inputsOf('recordFailure')).toMatchObject([
        { phase: 'Failed', failure: { during: 'nodeLookup' }, createGeneration: 1 },
      ]);
      expect((await world.state()).creation).not.toHaveProperty('instance');
    });
  });

  test('an instance that cannot go again stays known, and goes with its machine', async () => {
    const refused = { code: 'Internal', message: 'no', isSettled: false } as const;
    let deletes = 0;
    const world = await MachineWorld.create(temporal, {
      createInstance,
      findStaleNode: async () => ({ isStale: true }),
      deleteInstance: async () => {
        deletes += 1;
        return deletes === 1
          ? { outcome: 'failed', failure: refused }
          : { outcome: 'deleted', isFound: true, settleSeconds: 0 };
      },
    });
    world.object.machineSet = 'pool';
    await world.run(async () => {
      await world.begin();
      await world.phase('Failed');
      await world.log.until('recordFailure');
      await world.requestDeletion();
      await resultOf(world.handle);
      expect(world.log.inputsOf('deleteInstance').at(-1)).toMatchObject({
        providerID: instance.providerID,
      });
    });
  });

  test('is not looked for when there can be none', async () => {
    const world = await MachineWorld.create(temporal, {
      createInstance: async () => ({
        outcome: 'created',
        instance: { ...renamed, isFound: true },
      }),
    });
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      expect(world.log.count('findStaleNode')).toBe(0);
    });
  });
});

test('a Node of an instance that vanished before it was known makes way for the next one', async () => {
  const spent = { code: 'Aborted', message: 'its instance is gone', isSettled: true } as const;
  let creates = 0;
  const world = await MachineWorld.create(temporal, {
    createInstance: async () => {
      creates += 1;
      return creates === 1
        ? { outcome: 'failed', failure: spent }
        : { outcome: 'created', instance };
    },
    findStaleNode: async () => ({ isStale: true }),
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    expect(world.log.names().slice(-2)).toEqual(['findStaleNode', 'recordCreated']);
    expect(world.log.inputsOf('recordCreated')).toMatchObject([{ clearsName: true }]);
    expect(world.log.count('deleteInstance')).toBe(0);
  });
});

test('a Node of another machine is neither drained nor deleted with this one', async () => {
  const world = await MachineWorld.create(temporal, {
    recordJoined: async () => ({ hasJoined: false, reason: 'not ours', isContested: true }),
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.joinNode();
    await world.log.until('recordJoined');
    await world.requestDeletion();
    await resultOf(world.handle);
    expect(world.log.count('drainNode')).toBe(0);
    const [input] = world.log.inputsOf('finishTeardown');
    expect(input).not.toHaveProperty('nodeName');
  });
});
