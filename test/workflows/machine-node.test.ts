import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { bundleWorkflows, TemporalForTests } from '../support/temporal.ts';
import { hang, instance, MachineWorld } from './machine-world.ts';

// A server each, as in machine.test.ts.
let bundle: WorkflowBundleWithSourceMap;
let temporal: TemporalForTests;
beforeAll(async () => {
  bundle = await bundleWorkflows();
}, 60_000);
beforeEach(async () => {
  temporal = await TemporalForTests.start(bundle);
});
afterEach(() => temporal.stop());

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
      expect((await world.state()).nodeBehind).toBeUndefined();
      expect(world.log.count('prepareMachine')).toBe(2);
      expect(world.log.count('recordJoined')).toBe(1);
      expect(world.log.inputsOf('syncNode')).toEqual([
        {
          machine: { ...world.ref, uid: 'uid-1' },
          instance: { providerID, nodeName },
          className: 'small',
          nodeTemplate: { labels: { pool: 'b' } },
        },
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
      expect(world.log.count('prepareMachine')).toBe(2);
    });
  });

  test('waits for its join when the spec is edited before', async () => {
    const world = await MachineWorld.create(temporal);
    await world.run(async () => {
      await world.begin();
      await world.phase('Pending');
      await world.observe({ specDigest: 'spec-2' });
      await world.log.until('prepareMachine', 2);
      expect(world.log.count('syncNode')).toBe(0);
      await world.joinNode();
      await world.log.until('syncNode');
      expect(world.log.names().slice(-2)).toEqual(['recordJoined', 'syncNode']);
    });
  });

  test('that cannot be reached keeps no machine from its deletion', async () => {
    const world = await MachineWorld.create(temporal, { syncNode: hang });
    await world.run(async () => {
      await world.beginAndJoin();
      await world.observe({ specDigest: 'spec-2' });
      await world.log.until('syncNode');
      await world.requestDeletion();
      expect((await world.handle.result()).reason).toBe('instance, Node and object are gone');
    });
  });
});
