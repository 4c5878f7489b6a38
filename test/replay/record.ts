/**
 * Records the histories that `replay.test.ts` replays: `node test/replay/record.ts`, or some of
 * them: `record.ts machine-idle`. Run it when a change of the workflows is meant to break replays,
 * and say so in the change (CONTRIBUTING.md).
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { eventually } from '../support/eventually.ts';
import type { Queues } from '../support/temporal.ts';
import { TemporalForTests } from '../support/temporal.ts';
import { resultOf } from '../support/result-of.ts';
import { annotate, beginFailed, Kept } from '../workflows/machine/kept-machine.ts';
import { cluster, hang, instance, MachineWorld } from '../workflows/machine/machine-world.ts';
import { aSet } from '../workflows/plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from '../workflows/machine-deployment/rollout-world.ts';
import { Machines, SetWorld } from '../workflows/machine-set/set-world.ts';
import type { HealthFinding } from '../../workflows/plan/machine/health.ts';
import { classChanged, useChanged } from '../../workflows/contracts/messages.ts';
import { machineCommands, rolloutCommands } from '../../workflows/contracts/commands.ts';

const wanted = process.argv.slice(2);
let temporal = await TemporalForTests.start();

async function save(name: string, handle: WorkflowHandle): Promise<void> {
  const file = fileURLToPath(new URL(`${name}.json`, import.meta.url));
  const history = historyToJSON(await handle.fetchHistory());
  if (wanted.length > 0 && !wanted.includes(name)) return;
  await writeFile(file, `${JSON.stringify(JSON.parse(history))}\n`);
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

// What people ask for, as a signal and as an update. The last command of each ends the drain.
const { extendDrain, retryNow, skipVolumeWait, skipDrain, forceDelete } = machineCommands;
for (const [name, asked] of [
  ['machine-commanded', [extendDrain, retryNow, skipVolumeWait, skipDrain]],
  ['machine-force-deleted', [forceDelete]],
] as const) {
  const commanded = await MachineWorld.create(temporal, { drainNode: hang, deleteInstance: hang });
  await commanded.run(async () => {
    await commanded.beginAndJoin();
    await commanded.requestDeletion();
    await commanded.log.until('drainNode');
    for (const { signal, update } of asked) {
      const payload = update.name === extendDrain.update.name ? { minutes: 30 } : {};
      await commanded.handle.executeUpdate(update.name, { args: [payload] });
      await commanded.handle.signal(signal.name, payload);
    }
    await save(name, commanded.handle);
  });
}

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

// A local activity that times out reads otherwise in a replay than when it happens
// (workflows/runtime/activity-options.ts).
const unread = new Machines(1);
const timedOut = new SetWorld(temporal, 'machineSet', {
  ...unread.steps(),
  observeMachineSet: async () =>
    Context.current().info.isLocal ? await hang() : await unread.steps().observeMachineSet(),
});
await timedOut.run(async () => {
  await timedOut.observe();
  await timedOut.log.until('createMachines');
  await save('machine-set-survey-timed-out', timedOut.handle);
});

// Paused and taken back, each as a signal and as an update.
const steered = new RolloutWorld(temporal);
await steered.run(async () => {
  const { pause, resume, rollback, setReplicas } = rolloutCommands;
  await steered.world.observe();
  await steered.isComplete();
  const { handle } = steered.world;
  for (const { signal, update } of [pause, resume, rollback]) {
    await handle.executeUpdate(update, { args: [{}] });
    await handle.signal(signal, {});
  }
  await handle.signal(setReplicas.signal, { replicas: 4 });
  await steered.log.until('applyRolloutCommand', 7);
  await save('machine-deployment-commanded', handle);
});

const resting = new RolloutWorld(temporal);
await resting.run(async () => {
  await resting.world.observe();
  await resting.isComplete();
  await save('machine-deployment', resting.world.handle);
});

// Two sets, a deadline, work on Nodes under way, and a command that came meanwhile.
const rolling = new RolloutWorld(temporal, () => ({ updateRolloutNodes: hang }));
rolling.facts.hasNodes = true;
rolling.facts.sets = [aSet({ name: 'pool-0', machines: 'AAA' })];
rolling.facts.progress.deadline = (await temporal.now()) + 600_000;
rolling.stuck.add('pool-1');
await rolling.run(async () => {
  await rolling.world.observe();
  await rolling.until('the new set', ({ sets }) => sets.length === 2);
  await rolling.log.until('updateRolloutNodes');
  await rolling.world.handle.executeUpdate(rolloutCommands.setReplicas.update, {
    args: [{ replicas: 5 }],
  });
  await rolling.until('the new set grows', ({ sets }) => (sets[1]?.replicas ?? 0) > 1);
  await save('machine-deployment-mid-rollout', rolling.world.handle);
});

// From the first look at the object to the end of the run.
const life = await MachineWorld.create(temporal);
await life.run(async () => {
  await life.beginAndJoin();
  await life.requestDeletion();
  await life.log.until('finishTeardown');
  await resultOf(life.handle);
  await save('machine-life', life.handle);
});

const refused = {
  outcome: 'failed',
  failure: { code: 'Unavailable', message: 'the cloud is busy', isSettled: true },
} as const;
let refusals = 2;
const failing = await MachineWorld.create(temporal, {
  createInstance: async () => {
    refusals -= 1;
    return refusals < 0 ? { outcome: 'created', instance } : refused;
  },
});
await failing.run(async () => {
  await failing.begin();
  for (const attempts of [1, 2]) {
    await failing.log.until('recordFailure', attempts);
    await temporal.skip(2 ** attempts);
  }
  await failing.phase('Pending');
  await save('machine-create-failing', failing.handle);
});

// The activities that hang above keep the time of their server from being skipped.
await temporal.stop();
temporal = await TemporalForTests.start();

// The cloud goes on with a create and a delete while the machine sleeps and asks again.
const underWay = {
  outcome: 'pending',
  message: 'the cloud works on it',
  pollAfterSeconds: 60,
  checkpoint: 'op-1',
} as const;
const slow = await MachineWorld.create(temporal, {
  createInstance: async ({ checkpoint }) =>
    checkpoint === undefined ? underWay : { outcome: 'created', instance },
  deleteInstance: async ({ checkpoint }) =>
    checkpoint === undefined ? underWay : { outcome: 'deleted', isFound: true, settleSeconds: 30 },
});
await slow.run(async () => {
  await slow.begin();
  await slow.log.until('recordOperation');
  await temporal.skip(61);
  await slow.phase('Pending');
  await slow.joinNode();
  await slow.phase('Running');
  await slow.requestDeletion();
  await slow.log.until('deleteInstance');
  await temporal.skip(61);
  await resultOf(slow.handle);
  await save('machine-slow-cloud', slow.handle);
});

const late = await MachineWorld.create(temporal);
await late.run(async () => {
  await late.begin();
  await late.phase('Pending');
  await temporal.skip(1_201);
  await late.log.until('recordTimeout');
  await late.phase('Failed');
  await save('machine-timed-out', late.handle);
});

let finding: HealthFinding = { phase: 'Running', faults: [] };
const sick = await MachineWorld.create(temporal, {
  checkHealth: async () => ({ found: 'machine', finding }),
});
await sick.run(async () => {
  await sick.beginAndJoin();
  finding = {
    phase: 'Unknown',
    since: await temporal.now(),
    timeoutSeconds: 600,
    faults: ['Ready is False'],
  };
  await sick.joinNode({ isReady: false, conditionsDigest: 'sick' });
  await sick.phase('Unknown');
  finding = { phase: 'Running', faults: [] };
  await sick.joinNode();
  await sick.phase('Running');
  await save('machine-health', sick.handle);
});

const shrinking = new Machines(3);
const smaller = new SetWorld(temporal, 'machineSet', shrinking.steps());
await smaller.run(async () => {
  await smaller.observe();
  await smaller.log.until('createMachines', 2);
  shrinking.replicas = 0;
  shrinking.generation = 2;
  await smaller.observe({ generation: 2 });
  await smaller.log.until('deleteMachines');
  await save('machine-set-to-zero', smaller.handle);
});

// The new set's machines never come up, and its deadline is over: back to the set before.
const givenUp = new RolloutWorld(temporal);
givenUp.facts.sets = [aSet({ name: 'pool-0', machines: 'AAA' })];
givenUp.facts.options.autoRollback = true;
givenUp.stuck.add('pool-1');
await givenUp.run(async () => {
  await givenUp.world.observe();
  await givenUp.until('the new set', ({ sets }) => sets.length === 2);
  givenUp.facts.progress.isOverdue = true;
  await givenUp.until('the rollback', () => givenUp.actions().includes('giveUp'));
  await givenUp.until('the old set is whole, the new one gone', () => {
    const sizes = givenUp.facts.sets.map(({ name, replicas }) => `${name} ${replicas}`);
    return sizes.join() === 'pool-0 3,pool-1 0';
  });
  await save('machine-deployment-rolled-back', givenUp.world.handle);
});

/** A run from its start to its end. `meanwhile`: while it runs. */
async function recordRun(
  name: string,
  { type, input, queues, meanwhile = async () => undefined }: RecordedRun,
): Promise<void> {
  await temporal.withWorkers(name, queues, async () => {
    const handle = await temporal.client.workflow.start(type, {
      taskQueue: name,
      workflowId: name,
      args: [{ namespace: name, cluster, ...input }],
    });
    await meanwhile(handle);
    await resultOf(handle);
    await save(name, handle);
  });
}

interface RecordedRun {
  type: string;
  input: object;
  queues: Queues;
  meanwhile?: (handle: WorkflowHandle) => Promise<void>;
}

// A class that is deleted: judged once more, and kept until its driver finds no instance of it.
const ref = { namespace: 'shoot', name: 'small' };
const instancesLeft = [1, 0];
let isReleased = false;
await recordRun('machine-class', {
  type: 'machineClass',
  input: { ref },
  queues: {
    kube: {
      readMachineClass: async () => ({ found: true, provider: 'virtual', hasDriver: true }),
      reportClass: async () => undefined,
      async protectFromDeletion({ finalCheck }: { finalCheck?: object }) {
        isReleased ||= finalCheck !== undefined;
        return isReleased ? {} : { checkFirst: { provider: 'virtual', isDeleting: true } };
      },
    },
    driver: {
      validateClass: async () => ({ outcome: 'validated', faults: ['size is missing'] }),
      checkFinally: async () => ({ left: instancesLeft.shift() ?? 0, examples: [] }),
    },
  },
  async meanwhile(handle) {
    await handle.signal(classChanged, { cluster, epoch: 1, resourceVersion: '1', isEdited: true });
    for (let skips = 0; skips < 100 && instancesLeft.length > 0; skips += 1) await temporal.skip(5);
  },
});

await recordRun('secret', {
  type: 'secret',
  input: { ref },
  queues: { kube: { protectFromDeletion: async () => ({}) } },
  async meanwhile(handle) {
    await handle.signal(useChanged, { cluster, epoch: 1, resourceVersion: '1' });
  },
});

await temporal.withWorkers('claim', { kube: { nothing: () => undefined } }, async () => {
  const handle = await temporal.client.workflow.start('claim', {
    taskQueue: 'claim',
    workflowId: 'claim',
    args: [{ cluster, holder: 'an install' }],
  });
  await eventually('the claim is held', async () => {
    const { historyLength } = await handle.describe();
    return historyLength >= 4;
  });
  await save('claim', handle);
  await temporal.end('claim');
});

await recordRun('safety-orphans', {
  type: 'safetyOrphans',
  input: { mode: 'delete', maxDeletions: 2, minAgeSeconds: 600 },
  queues: {
    kube: { findProviders: async () => ['virtual'] },
    driver: { findOrphans: async () => [] },
  },
});

// An object without its workflow: two looks, the healing, and a last look.
const entityLooks = [
  [{ kind: 'machine', name: 'pool-a' }],
  [{ kind: 'machine', name: 'pool-a' }],
  [],
];
await recordRun('safety-lost-workflows', {
  type: 'safetyLostWorkflows',
  input: {},
  queues: {
    kube: {
      compareWorkflows: async () => ({
        objects: 3,
        running: 3,
        unattended: entityLooks.shift() ?? [],
        leftOver: [],
        foreign: 0,
        omitted: 0,
      }),
      repairWorkflows: async () => [
        { kind: 'machine', name: 'pool-a', isHealed: true, why: 'it had no workflow' },
      ],
    },
  },
  async meanwhile() {
    for (let skips = 0; skips < 10 && entityLooks.length > 1; skips += 1) await temporal.skip(5);
  },
});

const overshooting = {
  total: 1,
  sets: [
    {
      name: 'pool-1',
      count: 30,
      limit: 8,
      isFrozen: false,
      hasCondition: false,
      wantsUnfreeze: false,
    },
  ],
  deployments: [],
  unchecked: [],
};
await recordRun('safety-overshoot', {
  type: 'safetyOvershoot',
  input: { up: 2, down: 1 },
  queues: {
    kube: {
      checkOvershoot: async () => overshooting,
      applyFreezes: async ({ freezes }: { freezes: object[] }) => freezes,
    },
  },
  meanwhile: () => temporal.skip(6),
});

// An outage that is shown, and its end.
const away = [['target'], ['target'], []];
await recordRun('safety-reachability', {
  type: 'safetyReachability',
  input: { timeoutSeconds: 30, periodSeconds: 60 },
  queues: { kube: { checkServers: async () => ({ away: away.shift() ?? [] }) } },
  async meanwhile() {
    for (let skips = 0; skips < 40 && away.length > 0; skips += 1) await temporal.skip(5);
  },
});

const marked = { nodes: 3, unmanaged: 1, marked: ['node-1'], cleared: [], postponed: 0 };
await recordRun('safety-unmanaged-nodes', {
  type: 'safetyUnmanagedNodes',
  input: { selector: '' },
  queues: { kube: { markUnmanagedNodes: async () => marked } },
});

await temporal.stop();
