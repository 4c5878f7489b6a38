/** A machine that is kept for a look at it: when its workflow looks, drains, and stops. */
import { ApplicationFailure } from '@temporalio/common';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { DrainRequest, HealthOutcome, PreserveRequest } from '../../workflows/activities.ts';
import type { PreservationNotes } from '../../workflows/api/preservation.ts';
import { keys } from '../../workflows/messages.ts';
import { planPreservation } from '../../workflows/plan/preservation.ts';
import type { PreserveOutcome } from '../../workflows/activities.ts';
import { bundleWorkflows, TemporalForTests } from '../support/temporal.ts';
import { hang, instance, MachineWorld } from './machine-world.ts';

let bundle: WorkflowBundleWithSourceMap;
let temporal: TemporalForTests;
beforeAll(async () => {
  bundle = await bundleWorkflows();
}, 60_000);
beforeEach(async () => {
  temporal = await TemporalForTests.start(bundle);
});
afterEach(() => temporal.stop());

const minutes = 60;

/** Machine and Node as a look finds and leaves them. */
class Kept {
  notes: PreservationNotes = {};
  phase: 'Running' | 'Failed' = 'Running';
  hasNode = true;
  isOutOfReach = false;
  drain: (request: DrainRequest) => Promise<void> = async () => undefined;
  health: 'Running' | 'Unknown' = 'Running';

  readonly look = async ({ now }: PreserveRequest): Promise<PreserveOutcome> => {
    if (this.isOutOfReach) return { found: 'outOfReach', reason: 'connection refused' };
    const { preserve, expiry } = this.notes;
    const plan = planPreservation(
      {
        wishes: { ...(preserve !== undefined && { machine: preserve }) },
        hasNode: this.hasNode,
        phase: this.phase,
        timeoutSeconds: 10 * minutes,
        ...(expiry !== undefined && { expiresAt: Date.parse(expiry) }),
      },
      now,
    );
    if (plan.action === 'preserve') {
      this.notes = { ...this.notes, expiry: new Date(plan.until).toISOString() };
      const { value, until } = plan;
      const isToBeDrained = plan.isToBeDrained && this.hasNode;
      return { found: 'machine', notes: this.notes, preservation: { value, until, isToBeDrained } };
    }
    const { expiry: _over, preserve: wish, ...rest } = this.notes;
    const forgets = plan.action === 'stop' && plan.forgets;
    this.notes = { ...rest, ...(wish !== undefined && !forgets && { preserve: wish }) };
    return { found: 'machine', ...(Object.keys(this.notes).length > 0 && { notes: this.notes }) };
  };

  readonly drainNode = async (request: DrainRequest) => {
    await this.drain(request);
    return { evictedPods: 0, isForced: request.isForced };
  };

  readonly checkHealth = async (): Promise<HealthOutcome> => {
    const phase = this.phase === 'Failed' ? 'Failed' : this.health;
    return { found: 'machine', finding: { phase, faults: phase === 'Running' ? [] : ['ill'] } };
  };
}

async function create(): Promise<{ world: MachineWorld; kept: Kept }> {
  const kept = new Kept();
  const world = await MachineWorld.create(temporal, {
    preserveMachine: kept.look,
    drainNode: kept.drainNode,
    checkHealth: kept.checkHealth,
  });
  return { kept, world };
}

/** `kubectl annotate`, and the watcher's word of it. */
async function annotate(world: MachineWorld, kept: Kept, changes: PreservationNotes) {
  kept.notes = { ...kept.notes, ...changes };
  await world.observe({ preservation: kept.notes });
}

/** The watcher tells of our own writes. */
async function echo(world: MachineWorld, kept: Kept) {
  const isSilent = Object.keys(kept.notes).length === 0;
  await world.observe(isSilent ? {} : { preservation: kept.notes });
}

/** Its health timeout was over before this life began. */
async function beginFailed(world: MachineWorld, kept: Kept): Promise<void> {
  kept.phase = 'Failed';
  kept.notes = { preserve: 'when-failed' };
  const { providerID, nodeName } = instance;
  world.object = { ...world.object, phase: 'Failed', providerID, nodeName, machineSet: 'pool' };
  world.object = { ...world.object, preservation: kept.notes };
  await world.begin({ preservation: kept.notes });
  await world.phase('Failed');
}

test('a machine of which nobody says anything is never looked at for this', async () => {
  const { world } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await world.observe({ specDigest: 'spec-2' });
    await temporal.skip(24 * 60 * minutes);
    expect(world.log.count('preserveMachine')).toBe(0);
    expect(await world.state()).not.toHaveProperty('preservation');
  });
});

test('one look when somebody says so, none for its own echo, one at the end of its time', async () => {
  const { world, kept } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await annotate(world, kept, { preserve: 'now' });
    await world.log.until('preserveMachine');
    await echo(world, kept);
    await world.joinNode();
    await temporal.skip(9 * minutes);
    expect(world.log.count('preserveMachine')).toBe(1);
    const { typedSearchAttributes } = await world.handle.describe();
    expect(typedSearchAttributes.get(keys.Deadline)?.toISOString()).toBe(kept.notes.expiry);
    await temporal.skip(2 * minutes);
    await world.log.until('preserveMachine', 2);
    expect(kept.notes).toEqual({});
    await echo(world, kept);
    await temporal.skip(60 * minutes);
    expect(world.log.count('preserveMachine')).toBe(2);
    expect(await world.state()).not.toHaveProperty('preservation');
  });
});

test('an expiry that was moved moves the alarm', async () => {
  const { world, kept } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await annotate(world, kept, { preserve: 'now' });
    await world.log.until('preserveMachine');
    const expiry = new Date((await temporal.now()) + 30 * minutes * 1000).toISOString();
    await annotate(world, kept, { expiry });
    await world.log.until('preserveMachine', 2);
    await temporal.skip(29 * minutes);
    expect(kept.notes).toMatchObject({ expiry });
    await temporal.skip(2 * minutes);
    await world.log.until('preserveMachine', 3);
    expect(kept.notes).toEqual({});
  });
});

test('the word of a Node is heard', async () => {
  const { world } = await create();
  await world.run(async () => {
    await world.beginAndJoin();
    await world.joinNode({ preserve: 'when-failed' });
    await world.log.until('preserveMachine');
    await world.joinNode({ preserve: 'when-failed' });
    await temporal.skip(minutes);
    expect(world.log.count('preserveMachine')).toBe(1);
  });
});

test('the Node of a Failed one is drained and stays, and says how that ended', async () => {
  const { world, kept } = await create();
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('preserveMachine', 2);
    expect(world.log.inputsOf('drainNode')).toMatchObject([
      { nodeName: 'pool-a', keepsNode: true, isForced: false },
    ]);
    const looks = world.log.inputsOf('preserveMachine').map(({ drain }) => drain);
    expect(looks).toEqual([undefined, {}]);
    const { currentDetails } = await world.handle.query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain('**Preserved until**');
    expect(currentDetails).toContain('its Node is drained');
  });
});

test('a drain that fails is said and tried again, later each time', async () => {
  const { world, kept } = await create();
  const refused = ApplicationFailure.nonRetryable('2 pods could not be deleted', 'Undrained');
  kept.drain = () => Promise.reject(refused);
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('drainNode');
    await temporal.skip(3 * minutes);
    const attempts = world.log.count('drainNode');
    expect(attempts).toBeGreaterThan(3);
    expect(attempts).toBeLessThan(10);
    const errors = world.log.inputsOf('preserveMachine').map(({ drain }) => drain?.error);
    expect(errors).toEqual([undefined, '2 pods could not be deleted']);
    kept.drain = async () => undefined;
    await temporal.skip(4 * minutes);
    expect(world.log.inputsOf('preserveMachine').at(-1)).toMatchObject({ drain: {} });
  });
});

test('a deletion ends the drain and goes on', async () => {
  const { world, kept } = await create();
  kept.drain = ({ keepsNode }) => (keepsNode ? hang() : Promise.resolve());
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('drainNode');
    await world.requestDeletion();
    await world.handle.result();
    expect(world.log.inputsOf('drainNode').map(({ keepsNode }) => keepsNode)).toEqual([
      true,
      undefined,
    ]);
  });
});

test('one that nobody wants to keep any more is drained no more', async () => {
  const { world, kept } = await create();
  kept.drain = hang;
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('drainNode');
    await annotate(world, kept, { preserve: 'false' });
    await world.log.until('preserveMachine', 2);
    await temporal.skip(60);
    expect(await world.handle.query('state')).not.toHaveProperty('running');
    expect(world.log.count('drainNode')).toBe(1);
  });
});

test('label force-drain ends a drain that asks, and begins one that does not', async () => {
  const { world, kept } = await create();
  kept.drain = ({ isForced }) => (isForced ? Promise.resolve() : hang());
  await world.run(async () => {
    await beginFailed(world, kept);
    await world.log.until('drainNode');
    await annotate(world, kept, { forcesDrain: true });
    await world.log.until('drainNode', 2);
    const [first, second] = world.log.inputsOf('drainNode');
    expect(second).toMatchObject({ isForced: true, deadline: first?.deadline });
  });
});

test('while an API server is out of reach it waits longer each time, and a deletion does not wait for it', async () => {
  const { world, kept } = await create();
  kept.isOutOfReach = true;
  await world.run(async () => {
    await world.beginAndJoin();
    await annotate(world, kept, { preserve: 'now' });
    await world.log.until('preserveMachine');
    await temporal.skip(10 * minutes);
    const looks = world.log.count('preserveMachine');
    expect(looks).toBeGreaterThan(4);
    expect(looks).toBeLessThan(15);
    await world.requestDeletion();
    await world.handle.result();
    expect(world.log.count('preserveMachine')).toBeLessThanOrEqual(looks + 1);
  });
});

test('a machine that is gone is not looked at over and over', async () => {
  const world = await MachineWorld.create(temporal, {
    preserveMachine: async () => ({ found: 'nothing' }),
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.joinNode({ preserve: 'now' });
    await world.log.until('preserveMachine');
    await temporal.skip(minutes);
    expect(world.log.count('preserveMachine')).toBe(1);
  });
});
