/** A run of a machine that has grown long goes on as a new one. */
import { Context } from '@temporalio/activity';
import { machineObserved } from '../../../workflows/contracts/messages.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';
import { hang, instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

function runId(): string {
  return Context.current().info.workflowExecution?.runId ?? '';
}

/** Each is an event of the history, and changes nothing. */
async function flood(world: MachineWorld, events: number): Promise<void> {
  const stale = world.snapshot({ resourceVersion: '1' });
  const handle = temporal.client.workflow.getHandle(world.workflowId);
  for (let sent = 0; sent < events; sent += 200) {
    await Promise.all(Array.from({ length: 200 }, () => handle.signal(machineObserved, stale)));
  }
}

test('a drain that lasts for 4,000 events is interrupted, and begins again in a new run', async () => {
  const runs: string[] = [];
  const world = await MachineWorld.create(temporal, {
    drainNode: async () => {
      runs.push(runId());
      if (runs.length === 1) return await hang();
      return { evictedPods: 0, isForced: false };
    },
  });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.requestDeletion();
    await eventually('the drain runs', async () => runs.length === 1);
    await flood(world, 4_000);
    await resultOf(world.handle);
    expect(runs).toHaveLength(2);
    expect(runs[1]).not.toBe(runs[0]);
    // The new run goes on where the first one was.
    expect(world.log.count('beginTeardown')).toBe(1);
    expect(world.log.count('createInstance')).toBe(1);
  });
});

test('a run that has grown long while a step ran continues as new before the next step', async () => {
  const runs: Record<string, string> = {};
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const world = await MachineWorld.create(temporal, {
    createInstance: async () => {
      runs['create'] = runId();
      const { heartbeat } = Context.current();
      const beat = setInterval(heartbeat, 200);
      await isOver;
      clearInterval(beat);
      return { outcome: 'created', instance };
    },
    recordCreated: async () => {
      runs['record'] = runId();
    },
  });
  await world.run(async () => {
    await world.begin();
    await world.log.until('createInstance');
    await flood(world, 1_000);
    end();
    await world.phase('Pending');
    expect(runs['record']).not.toBe(runs['create']);
    for (const step of ['readAndClaimMachine', 'createInstance'] as const)
      expect(world.log.count(step)).toBe(1);
  });
});
