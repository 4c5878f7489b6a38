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
import { hang, MachineWorld } from '../workflows/machine-world.ts';
import { Machines, SetWorld } from '../workflows/set-world.ts';

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

const survey = {
  isDeleting: false,
  hasFinalizer: true,
  isOrphaning: false,
  replicas: 3,
  faults: [],
  newSetName: 'pool-abcde',
  sets: [],
};
const deployment = new SetWorld(temporal, 'machineDeployment', {
  surveyMachineDeployment: async () => ({ found: true, uid: 'uid-1', survey }),
  applyDeploymentStep: async () => {
    survey.replicas = 0;
    Object.assign(survey, { faults: ['enough for a recording'] });
  },
});
await deployment.run(async () => {
  await deployment.observe();
  await deployment.log.until('surveyMachineDeployment', 2);
  await deployment.handle.query('state');
  await save('machine-deployment', deployment.handle);
});

await temporal.stop();
