import { customResource } from '../../../kube/client/paths.ts';
import { nodeConditionsOf } from '../../../activities/machine/conditions.ts';
import { checkHealth } from '../../../activities/machine/health.ts';
import { recordJoined } from '../../../activities/machine/join.ts';
import { recordOperation } from '../../../activities/machine/operation.ts';
import { wasNodeSeen } from '../../../activities/machine/prepared.ts';
import { recordCreated, recordFailure } from '../../../activities/machine/record.ts';
import { beginTeardown } from '../../../activities/machine/teardown.ts';
import { hasJoined } from '../../../activities/machine-deployment/set-facts.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { NodeCondition } from '../../../workflows/api/meta.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };
const ready = { type: 'Ready', status: 'True' } as const;
const reconciling = { type: 'Reconciling', status: 'True' } as const;
const failure = { code: 'InvalidArgument', message: 'no such image', isSettled: true } as const;

type World = ReturnType<typeof aWorld>;

async function conditionsIn({ control }: World): Promise<NodeCondition[]> {
  return (await control.read<Machine>(path)).status?.conditions ?? [];
}

const statusWrites = ({ control }: World): number =>
  control.writes().filter((call) => call.includes('/status')).length;

const failing = { machine, failure, operation: 'Create', createGeneration: 1 } as const;
const fail = (world: World): Promise<void> =>
  recordFailure(world, { ...failing, phase: 'CrashLoopBackOff' });

describe('what kstatus goes by', () => {
  test('comes and goes with the writes that report a life', async () => {
    const world = aWorld({ control: [aMachine()], target: [aNode()] });
    await recordCreated(world, {
      machine,
      instance: { ...instance, isFound: false },
      usesTarget: true,
    });
    expect(await conditionsIn(world)).toMatchObject([{ ...reconciling, reason: 'AwaitingNode' }]);
    const node = { uid: 'uid-of-pool-a', name: 'pool-a' };
    const { providerID } = instance;
    const joined = { machine, node, providerID, className: 'small', isEquipped: true };
    expect(await recordJoined(world, joined)).toMatchObject({ hasJoined: true });
    expect(await conditionsIn(world)).toEqual([ready]);
    expect(statusWrites(world)).toBe(2);
  });

  test('is written once for a failure that repeats, and stays while it is tried again', async () => {
    const world = aWorld({ control: [aMachine()] });
    await fail(world);
    const [stalled] = await conditionsIn(world);
    expect(stalled).toMatchObject({ type: 'Stalled', status: 'True', reason: 'InvalidSpec' });
    expect(stalled?.message).toContain('no such image');
    await fail(world);
    expect(statusWrites(world)).toBe(1);
    await recordOperation(world, { machine, operation: 'Create', description: 'the cloud works' });
    expect(await conditionsIn(world)).toEqual([stalled]);
  });

  test('stands beside the conditions of the Node', async () => {
    const control = [
      aMachine({ status: { currentStatus: { phase: 'Running' }, conditions: [ready] } }),
    ];
    const world = aWorld({ control, target: [aNode()] });
    const deletionTimestamp = '2026-01-01T01:00:00Z';
    world.control.put(aMachine({ ...control[0], metadata: { deletionTimestamp } }));
    await beginTeardown(world, { machine });
    expect(await conditionsIn(world)).toMatchObject([
      ready,
      { ...reconciling, reason: 'Deleting' },
    ]);
  });

  test('is not taken for a condition of the Node', async () => {
    const present = aMachine({ status: { conditions: [reconciling] } });
    expect(nodeConditionsOf(present)).toEqual([]);
    expect(wasNodeSeen(present)).toBe(false);
    expect(hasJoined(present)).toBe(false);
  });

  test('of a Node that has such a condition is not copied, nor looked for at each check', async () => {
    const status = { currentStatus: { phase: 'Running' as const }, conditions: [ready] };
    const node = aNode({ status: { conditions: [ready, { type: 'Stalled', status: 'True' }] } });
    const world = aWorld({ control: [aMachine({ status })], target: [node] });
    await checkHealth(world, { machine, instance, hasLostNode: false, now: 0, pausedMs: 0 });
    expect(statusWrites(world)).toBe(0);
  });
});
