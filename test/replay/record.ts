/**
 * Records the histories that `replay.test.ts` replays: `node test/replay/record.ts`. Run it when a change of the
 * workflows is meant to break replays, and say so in the change.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { TemporalForTests } from '../support/temporal.ts';
import { annotate, beginFailed, Kept } from '../workflows/kept-machine.ts';
import { hang, MachineWorld } from '../workflows/machine-world.ts';
import { aSet } from '../workflows/plan/rollout/deployment-facts.ts';
import { RolloutWorld } from '../workflows/rollout-world.ts';
import { Machines, SetWorld } from '../workflows/set-world.ts';
import { setReplicasUpdate } from '../../workflows/messages.ts';

const temporal = await TemporalForTests.start();

async function save(name: string, handle: WorkflowHandle): Promise<void> {
  const file = fileURLToPath(new URL(`${name}.json`, import.meta.url));
  const history = historyToJSON(await handle.fetchHistory());
  await writeFile(file, `${JSON.stringify(JSON.parse(history), null, 1)}\n`);
}

const idle = await MachineWorld.create(temporal);
await idle.run(async () => {
  await idle.beginAndJoin();
  await save('machine-idle', idle.handle);
});

const launching = await MachineWorld.create(temporal, { createInstance: hang });
await launching.run(async () => {
  await launching.begin();
  await launching.log.until('createInstance');
  await save('machine-mid-launch', launching.handle);
});

const draining = await MachineWorld.create(temporal, { drainNode: hang });
await draining.run(async () => {
  await draining.beginAndJoin();
  await draining.requestDeletion();
  await draining.log.until('drainNode');
  await save('machine-mid-drain', draining.handle);
});

// Failed and kept for a look at it: its Node is being drained while its life goes on.
const kept = new Kept();
kept.drain = hang;
const preserved = await MachineWorld.create(temporal, {
  preserveMachine: kept.look,
  drainNode: kept.drainNode,
  checkHealth: kept.checkHealth,
});
await preserved.run(async () => {
  await beginFailed(preserved, kept);
  await preserved.log.until('drainNode');
  const expiry = new Date((await temporal.now()) + 1_800_000).toISOString();
  await annotate(preserved, kept, { expiry });
  await preserved.log.until('preserveMachine', 2);
  await save('machine-preserved', preserved.handle);
});

const machines = new Machines(20);
const steps = machines.steps();
const set = new SetWorld(temporal, 'machineSet', {
  ...steps,
  createMachines: async (input) =>
    input.names.length === 8 ? await hang() : await steps.createMachines(input),
});
await set.run(async () => {
  await set.observe();
  await set.log.until('createMachines', 4);
  await save('machine-set-mid-batch', set.handle);
});

// A local activity that times out reads otherwise in a replay than when it happens (workflows/steps.ts).
const unread = new Machines(1);
const timedOut = new SetWorld(temporal, 'machineSet', {
  ...unread.steps(),
  surveyMachineSet: async () =>
    Context.current().info.isLocal ? await hang() : await unread.steps().surveyMachineSet(),
});
await timedOut.run(async () => {
  await timedOut.observe();
  await timedOut.log.until('createMachines');
  await save('machine-set-survey-timed-out', timedOut.handle);
});

const resting = new RolloutWorld(temporal);
await resting.run(async () => {
  await resting.world.observe();
  await resting.isComplete();
  await save('machine-deployment', resting.world.handle);
});

// Two sets, a deadline, work on Nodes under way, and a command that came meanwhile.
const rolling = new RolloutWorld(temporal, () => ({ tendNodes: hang }));
rolling.facts.hasNodes = true;
rolling.facts.sets = [aSet({ name: 'pool-0', machines: 'AAA' })];
rolling.facts.progress.deadline = (await temporal.now()) + 600_000;
rolling.stuck.add('pool-1');
await rolling.run(async () => {
  await rolling.world.observe();
  await rolling.until('the new set', ({ sets }) => sets.length === 2);
  await rolling.log.until('tendNodes');
  await rolling.world.handle.executeUpdate(setReplicasUpdate, { args: [{ replicas: 5 }] });
  await rolling.until('the new set grows', ({ sets }) => (sets[1]?.replicas ?? 0) > 1);
  await save('machine-deployment-mid-rollout', rolling.world.handle);
});

await temporal.stop();
