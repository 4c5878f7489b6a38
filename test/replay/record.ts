/**
 * Records the histories that `replay.test.ts` replays, and what `carried.test.ts` starts from:
 * `node test/replay/record.ts`, or some of them: `record.ts machine-idle carried/machineSet`. Run
 * it when a change of the workflows is meant to break replays, and say so in the change
 * (docs/internals/how-to.md).
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
import { Updated } from '../workflows/machine/updated-machine.ts';
import { aSet } from '../workflows/plan/machine-deployment/rollout/deployment-facts.ts';
import { RolloutWorld } from '../workflows/machine-deployment/rollout-world.ts';
import { Machines, SetWorld } from '../workflows/machine-set/set-world.ts';
import type { HealthFinding } from '../../workflows/plan/machine/health.ts';
import { stopped } from '../../activities/runtime/failures.ts';
import {
  classChanged,
  drainReport,
  instanceMissing,
  machineDeploymentGone,
  machineSetGone,
  poolChanged,
  stateQuery,
  useChanged,
} from '../../workflows/contracts/messages.ts';
import type { SyncOutcome } from '../../workflows/contracts/front-activities.ts';
import { frontIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { machineCommands, rolloutCommands } from '../../workflows/contracts/commands.ts';
import type { Kind } from '../../workflows/contracts/references.ts';

type Command = Pick<(typeof machineCommands)['retryUpdate'], 'signal' | 'update'>;

const wanted = process.argv.slice(2);
let temporal = await TemporalForTests.start();

/** @param leftOut So many of the last events. */
async function save(name: string, handle: WorkflowHandle, leftOut = 0): Promise<void> {
  const file = fileURLToPath(new URL(`${name}.json`, import.meta.url));
  const events = (await handle.fetchHistory()).events ?? [];
  const history = historyToJSON({ events: events.slice(0, events.length - leftOut) });
  if (wanted.length > 0 && !wanted.includes(name)) return;
  await writeFile(file, `${JSON.stringify(JSON.parse(history))}\n`);
}

/** What a run that continued as new here would hand over. */
async function keepState(kind: Kind, handle: WorkflowHandle): Promise<void> {
  const name = `carried/${kind}`;
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const known = await handle.query<{ running?: unknown }>(stateQuery.name);
  const { running: _running, ...state } = known;
  const file = fileURLToPath(new URL(`${name}.json`, import.meta.url));
  await writeFile(file, `${JSON.stringify(state, null, 2)}\n`);
}

const launched = await MachineWorld.create(temporal, {
  launchMachine: async () => ({
    read: { found: true, machine: launched.read() },
    created: { outcome: 'created', instance, isRecorded: true },
  }),
});
launched.launch = { provider: 'virtual', deadline: (await temporal.now()) + 1_200_000 };
launched.saysSince = true;
await launched.run(async () => {
  await launched.begin();
  await launched.phase('Pending');
  await launched.joinNode();
  await launched.phase('Running');
  await launched.requestDeletion();
  await resultOf(launched.handle);
  await save('machine-launched', launched.handle);
});

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

// Held before its drain and before its instance, which another program deletes.
const hooked = await MachineWorld.create(temporal);
hooked.object = { ...hooked.object, hasExternalDriver: true };
const ofOwner = (annotation: string) => [{ annotation, owner: 'etcd-druid' }];
const hooks = {
  drain: ofOwner('pre-drain.delete.hook.machine.cluster.x-k8s.io/etcd'),
  instance: ofOwner('suspend-instance-deletion.node.machine.sapcloud.io/etcd'),
};
await hooked.run(async () => {
  await hooked.beginAndJoin();
  hooked.putHooks(hooks);
  await hooked.requestDeletion();
  await hooked.log.until('checkHooks');
  await hooked.hook({ instance: hooks.instance });
  await hooked.log.until('checkHooks', 3);
  await hooked.hook();
  await resultOf(hooked.handle);
  await save('machine-hooked', hooked.handle);
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

// Selected by a person, and its update fails: tried again, then given up.
const onDisk = new Updated();
const updated = await MachineWorld.create(temporal, {
  ...onDisk.steps,
  applyMachineCommand: async ({ command }) => {
    if (command.verb === 'selectForUpdate') onDisk.node = { ...onDisk.node, isSelected: true };
    if (command.verb === 'retryUpdate') onDisk.retry();
    if (command.verb === 'giveUpUpdate') onDisk.phase = 'Failed';
    return { words: 'done' };
  },
});
await updated.run(async () => {
  const until = async (word: string) => await eventually(word, () => onDisk.done.at(-1) === word);
  const ask = async ({ signal, update }: Command) => {
    await updated.handle.executeUpdate(update, { args: [{ by: 'ada' }] });
    await updated.handle.signal(signal, { by: 'ada' });
  };
  await updated.beginAndJoin();
  await onDisk.say(updated, { isCandidate: true });
  await until('CandidateForUpdate');
  await onDisk.echo(updated);
  await ask(machineCommands.selectForUpdate);
  await onDisk.say(updated, { isSelected: true });
  await until('ReadyForUpdate');
  await onDisk.say(updated, { result: 'failed', failedReason: 'no disk' });
  await until('InPlaceUpdateFailed');
  await ask(machineCommands.retryUpdate);
  await until('ReadyForUpdate');
  await onDisk.say(updated, { result: 'failed', failedReason: 'no disk' });
  await until('InPlaceUpdateFailed');
  await ask(machineCommands.giveUpUpdate);
  await updated.phase('Failed');
  await save('machine-updated-in-place', updated.handle);
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
  await keepState('machineSet', set.handle);
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

// Past the windows of policies for a while, with the Events at the begin and at the end.
const overridden = new RolloutWorld(temporal);
await overridden.run(async () => {
  const { world, log, facts } = overridden;
  await world.observe();
  await overridden.isComplete();
  const asked = { minutes: 10, reason: 'CVE-2026-1234', by: 'ada' };
  const { signal, update } = rolloutCommands.overridePolicies;
  await world.handle.executeUpdate(update, { args: [asked] });
  await world.handle.signal(signal, asked);
  await log.until('applyRolloutCommand', 2);
  const until = (await temporal.now()) + 600_000;
  facts.options.overridePolicies = { until, reason: 'CVE-2026-1234 (by ada)' };
  await world.changeSets();
  await log.until('reportDeployment');
  await temporal.skip(601);
  await log.until('reportDeployment', 2);
  await save('machine-deployment-overridden', world.handle);
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
  await keepState('machineDeployment', rolling.world.handle);
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

// A create whose answer was lost: the one fact without which an instance is forgotten.
const unanswered = { code: 'DeadlineExceeded', message: 'no answer', isSettled: false } as const;
const unsettled = await MachineWorld.create(temporal, {
  createInstance: async () => ({ outcome: 'failed', failure: unanswered }),
});
await unsettled.run(async () => {
  await unsettled.begin();
  await unsettled.log.until('recordFailure');
  await keepState('machine', unsettled.handle);
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

const at = '2026-01-01T12:00:00Z';
await recordRun('safety-round', {
  type: 'safety',
  input: { everySeconds: 60, offsetSeconds: 7 },
  queues: {
    kube: {
      checkNamespaces: async () => ({
        namespaces: 1,
        made: 1,
        found: 0,
        postponed: 0,
        last: [{ namespace: 'shoot', checks: [{ check: 'overshoot', at, outcome: 'nothing' }] }],
      }),
    },
  },
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

// What seldom happens to a machine: refused credentials, a Node of another name, which is not
// ready, a command that cannot be done, an instance that the cloud lost, and no object any more.
const renamed = { ...instance, nodeName: 'node-b' };
const credentials = { code: 'Unauthenticated', kind: 'credentials', message: 'no' } as const;
let isRefusedOnce = false;
const troubled = await MachineWorld.create(temporal, {
  async createInstance() {
    if (isRefusedOnce) return { outcome: 'created', instance: renamed };
    isRefusedOnce = true;
    return { outcome: 'failed', failure: { ...credentials, isSettled: true } };
  },
  reportAcceptance: async () => undefined,
});
await troubled.run(async () => {
  await troubled.begin();
  await troubled.log.until('recordFailure');
  await troubled.repairClass();
  await troubled.phase('Pending');
  await troubled.joinNode({
    name: renamed.nodeName,
    isReady: false,
    conditionsDigest: 'not ready',
  });
  await troubled.log.until('syncNode');
  await troubled.observe({ command: 'skipDrain' });
  await troubled.log.until('refuseCommand');
  const { providerID } = renamed;
  const told = { cluster, uid: 'uid-1', providerID, confirmAfterSeconds: 120 };
  await troubled.handle.signal(instanceMissing, told);
  await troubled.log.until('describeInstance');
  await temporal.skip(130);
  await troubled.log.until('recordMissingInstance');
  await troubled.phase('Failed');
  await troubled.vanish();
  await resultOf(troubled.handle);
  await save('machine-troubled', troubled.handle);
});

const nodeless = await MachineWorld.create(temporal);
await nodeless.run(async () => {
  await nodeless.begin();
  await nodeless.phase('Pending');
  await nodeless.joinNode({ exists: false });
  await nodeless.log.until('deleteWithNode');
  await nodeless.requestDeletion();
  await resultOf(nodeless.handle);
  await save('machine-node-gone', nodeless.handle);
});

// Its class was deleted before it, and comes back; its drain reports what it waits for.
const noClass = { code: 'InvalidArgument', message: 'no class', isSettled: true } as const;
let isClassMissing = true;
const classless = await MachineWorld.create(temporal, {
  async drainNode() {
    await classless.handle.signal(drainReport, {
      uid: 'uid-1',
      podsLeft: 1,
      blockerCount: 0,
      blockers: [],
    });
    return { evictedPods: 1, isForced: false };
  },
  async readAndClaimMachine() {
    const { provider: _unknown, ...machine } = classless.read();
    return { found: true, machine, failure: noClass };
  },
  async beginTeardown() {
    const { provider: _unknown, ...machine } = classless.read();
    return { machine };
  },
  findProvider: async () =>
    isClassMissing ? { found: false, failure: noClass } : { found: true, provider: 'virtual' },
});
Object.assign(classless.object, { providerID: instance.providerID, nodeName: instance.nodeName });
await classless.run(async () => {
  await classless.begin();
  await classless.requestDeletion();
  await classless.log.until('findProvider');
  isClassMissing = false;
  await temporal.skip(600);
  await resultOf(classless.handle);
  await save('machine-class-gone', classless.handle);
});

// No worker serves its driver, or its drain.
for (const [queue, question] of [
  ['driver', 'findDriver'],
  ['drain', 'findDrainWorker'],
] as const) {
  const waiting = await MachineWorld.create(temporal);
  waiting.unserved.add(queue);
  await waiting.run(async () => {
    if (queue === 'driver') await waiting.begin();
    else {
      await waiting.beginAndJoin();
      await waiting.requestDeletion();
    }
    await eventually(question, async () => {
      await temporal.skip(60);
      return waiting.log.count(question) > 0;
    });
    await waiting.state();
    await save(`machine-without-${queue}`, waiting.handle);
  });
}

// Stopped by a person while machines are missing; it goes on with the rest, and is deleted.
const held = new Machines(3);
const heldSteps = held.steps();
let isStopped = true;
let isMarked = false;
const stoppedSet = new SetWorld(temporal, 'machineSet', {
  ...heldSteps,
  async observeMachineSet() {
    const outcome = await heldSteps.observeMachineSet();
    if (isMarked) return outcome;
    const autoPreservation = { preserve: ['a'], unpreserve: ['b'] };
    return { ...outcome, observation: { ...outcome.observation, autoPreservation } };
  },
  async markPreserved() {
    isMarked = true;
    return {};
  },
  async createMachines(input) {
    if (isStopped) throw stopped('stopped by ConfigMap shoot/millwright-stop');
    return await heldSteps.createMachines(input);
  },
  async waitForResume() {
    if (isStopped) throw stopped('stopped by ConfigMap shoot/millwright-stop');
  },
});
await stoppedSet.run(async () => {
  await stoppedSet.observe();
  await stoppedSet.log.until('waitForResume');
  held.unlike.add('a');
  await stoppedSet.changeMachines();
  await stoppedSet.log.until('pushTemplate');
  isStopped = false;
  await eventually('3 machines', async () => held.names.size === 3);
  held.isDeleting = true;
  await stoppedSet.observe({ isDeleting: true, generation: 2 });
  await stoppedSet.log.until('releaseMachineSet');
  await resultOf(stoppedSet.handle);
  await save('machine-set-stopped', stoppedSet.handle);
});

const gone = { cluster, epoch: 1, resourceVersion: '900', uid: 'uid-1' };
const orphaned = new SetWorld(temporal, 'machineSet', new Machines(1).steps());
await orphaned.run(async () => {
  await orphaned.observe();
  await orphaned.log.until('createMachines');
  await orphaned.handle.signal(machineSetGone, gone);
  await resultOf(orphaned.handle);
  await save('machine-set-gone', orphaned.handle);
});

// A quota refuses machines for a while, and a policy keeps one from being deleted.
const limited = new Machines(3);
const limitedSteps = limited.steps();
let isOverQuota = true;
const refusedSet = new SetWorld(temporal, 'machineSet', {
  ...limitedSteps,
  async createMachines(input) {
    const isRefused = input.names.length === 2 && isOverQuota;
    return isRefused
      ? { created: [], taken: [], error: 'exceeded quota' }
      : await limitedSteps.createMachines(input);
  },
  deleteMachines: async ({ names }) => ({
    deleted: 0,
    refused: { names, reason: 'FailedDelete', message: 'for forensics' },
  }),
});
await refusedSet.run(async () => {
  await refusedSet.observe();
  await refusedSet.log.until('createMachines', 2);
  isOverQuota = false;
  await temporal.skip(3);
  await eventually('3 machines', async () => limited.names.size === 3);
  limited.replicas = 2;
  limited.generation = 2;
  await refusedSet.observe({ generation: 2 });
  await refusedSet.log.until('deleteMachines', 2);
  await save('machine-set-refused', refusedSet.handle);
});

// What the autoscaler chose may not be written, and is tried again ever later.
const refusedRollout = new RolloutWorld(temporal, (own) => ({
  async applyDeploymentSteps(input) {
    const outcome = (await own.applyDeploymentSteps?.(input)) ?? { written: [] };
    const isMark = input.steps.some(({ action }) => action === 'markMachines');
    const refusal = { names: ['Machine/a'], reason: 'FailedUpdate' as const, message: 'no' };
    return isMark ? { ...outcome, refused: refusal } : outcome;
  },
}));
refusedRollout.facts.sets = [aSet({ name: 'pool-1', isOfTemplate: true, machines: 'AAA' })];
refusedRollout.facts.marks = { preferred: ['a'], machines: [], was: 'a', list: 'a' };
await refusedRollout.run(async () => {
  await refusedRollout.world.observe();
  await refusedRollout.log.until('observeMachineDeployment', 2);
  refusedRollout.facts.replicas = 5;
  await refusedRollout.until('the set grows', ({ sets }) => sets[0]?.replicas === 5);
  await temporal.skip(3);
  await refusedRollout.log.until('applyDeploymentSteps', 3);
  await save('machine-deployment-refused', refusedRollout.world.handle);
});

// Its target cluster is out of reach when it begins, and again when its Node is not ready.
let isAway = true;
const cutOff = await MachineWorld.create(temporal, {
  async readAndClaimMachine() {
    const outcome = { found: true, machine: cutOff.read() } as const;
    return isAway ? { ...outcome, outOfReach: 'connection refused' } : outcome;
  },
  checkHealth: async () => ({ found: 'machine', finding: { outOfReach: 'connection refused' } }),
});
await cutOff.run(async () => {
  await cutOff.begin();
  await eventually('it waits', async () => (await cutOff.state()).object.outage !== undefined);
  isAway = false;
  await temporal.skip(31);
  await cutOff.phase('Pending');
  await cutOff.joinNode();
  await cutOff.phase('Running');
  await cutOff.joinNode({ isReady: false, conditionsDigest: 'sick' });
  await cutOff.log.until('checkHealth', 2);
  await save('machine-cut-off', cutOff.handle);
});

const faulty = new RolloutWorld(temporal);
faulty.facts.faults = ['spec.strategy: Required value'];
await faulty.world.run(async () => {
  await faulty.world.observe();
  await faulty.log.until('reportDeployment');
  await faulty.world.handle.signal(machineDeploymentGone, gone);
  await resultOf(faulty.world.handle);
  await save('machine-deployment-faulty', faulty.world.handle);
});

/** The second of two runs, which acts on what both have found. */
async function recordSecondRun(
  name: string,
  { type, input, queues }: Omit<RecordedRun, 'meanwhile'>,
): Promise<void> {
  await temporal.withWorkers(name, queues, async () => {
    const first = await temporal.client.workflow.start(type, {
      taskQueue: name,
      workflowId: name,
      cronSchedule: '* * * * *',
      args: [{ namespace: name, cluster, ...input }],
    });
    const runs = new Set([first.firstExecutionRunId]);
    const newest = temporal.client.workflow.getHandle(name);
    await eventually('a third run', async () => {
      await temporal.skip(60);
      runs.add((await newest.describe()).runId);
      return runs.size > 2;
    });
    const [, second = ''] = runs;
    // A run of a Schedule ends otherwise than this one, which the server has continued.
    await save(name, temporal.client.workflow.getHandle(name, second), 1);
    await newest.terminate();
  });
}

const suspect = {
  providerID: 'i-1',
  machineName: 'gone',
  because: 'noMachine',
  provider: 'virtual',
  className: 'small',
} as const;
const listing = {
  provider: 'virtual',
  className: 'small',
  classCount: 1,
  kept: {},
  suspects: [suspect],
  omitted: 0,
};
const lost = { name: 'pool-a', uid: 'uid-1', providerID: 'i-2' };
const search = { machines: 9, unlisted: 1, asked: 1, missing: [lost] };
const refusedLook = {
  ...listing,
  className: 'large',
  suspects: [],
  error: 'PermissionDenied: no',
  credentials: { classNames: ['large'], refusal: 'PermissionDenied: no' },
};
const everyRun = { mode: 'delete', maxDeletions: 2, minAgeSeconds: 0 } as const;
const nothing = async (): Promise<void> => undefined;

await recordSecondRun('safety-orphans-deleted', {
  type: 'safetyOrphans',
  input: everyRun,
  queues: {
    kube: {
      findProviders: async () => ['virtual'],
      signalMissingInstances: nothing,
      reportCredentials: nothing,
      reportOrphans: nothing,
    },
    driver: {
      findOrphans: async () => [{ ...listing, owned: 9, missing: search }, refusedLook],
      deleteOrphan: async () => ({ outcome: 'deleted' }),
    },
  },
});

await recordSecondRun('safety-orphans-external', {
  type: 'safetyOrphans',
  input: everyRun,
  queues: {
    kube: {
      findProviders: async () => [{ provider: 'virtual', classNames: ['small'] }],
      evaluateListings: async () => [{ listing, machines: 0, unlisted: [] }],
      reportOrphans: nothing,
    },
    driver: {
      listInstances: async () => ({
        outcome: 'listed',
        instances: [{ providerID: 'i-1', machineName: 'gone' }],
      }),
      deleteListed: async () => ({ outcome: 'deleted', isFound: true, settleSeconds: 0 }),
    },
  },
});

// A pass that fails, one that waits, one that is asked to read Nodes, and the end.
const outcomes: readonly (SyncOutcome | Error)[] = [
  Object.assign(new Error('the API server does not answer'), { stack: '' }),
  { state: 'waits', reason: 'Secret cloud/keys does not exist', writes: 1, machines: 2 },
  { state: 'current', writes: 3, machines: 2 },
  { state: 'gone', writes: 0, machines: 0 },
];
const fronted = { ref: { namespace: 'front', name: 'pool' }, cluster };
const front = { workflowId: frontIdOf(fronted.ref), taskQueue: 'front' };
let passes = 0;
async function syncPool(): Promise<SyncOutcome> {
  const outcome = outcomes[passes];
  passes += 1;
  if (!outcome || outcome instanceof Error) throw outcome ?? new Error('it is gone');
  return outcome;
}
await temporal.withWorkflow(front, { kube: { syncPool } }, async () => {
  const handle = await temporal.client.workflow.signalWithStart('front', {
    ...front,
    args: [fronted],
    signal: poolChanged,
    signalArgs: [{ cluster }],
  });
  await eventually('the pass after the one that failed', async () => {
    await temporal.skip(60);
    return passes > 1;
  });
  await handle.signal(poolChanged, { cluster, ofNodes: true });
  await eventually('the pass that reads Nodes', async () => passes > 2);
  await handle.signal(poolChanged, { cluster });
  await handle.result();
  await save('front', handle);
});

await temporal.stop();
