/** Signals, updates and queries of any form: the workflow goes on, and does its work afterwards. */
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import fc from 'fast-check';
import { spoiled } from '../support/fuzz/payloads.ts';
import { runs } from '../support/fuzz/runs.ts';
import { TemporalForTests } from '../support/temporal.ts';
import { resultOf } from '../support/result-of.ts';
import { cluster, hang, MachineWorld } from '../workflows/machine/machine-world.ts';
import { RolloutWorld } from '../workflows/machine-deployment/rollout-world.ts';
import { Machines, SetWorld } from '../workflows/machine-set/set-world.ts';

const temporal = TemporalForTests.ofFile();

type Good = Record<string, Record<string, unknown>>;

const seen = { cluster, epoch: 1, resourceVersion: '1' };
const gone = { ...seen, uid: 'uid-1' };
const flags = { isDeleting: false, hasFinalizer: true };
const ofSet = { ...gone, ...flags, generation: 1, metadataDigest: 'm' };

const blocker = { blockedBy: 'Pod/a/b', pod: 'a/b', podUid: 'u', since: 0, why: 'w' };
const ofMachine: Good = {
  machineObserved: { ...gone, ...flags, specDigest: 's', forceDeletion: false, drain: {} },
  machineGone: gone,
  nodeObserved: {
    ...seen,
    name: 'pool-a',
    exists: true,
    uid: 'u',
    providerID: 'p',
    isReady: true,
    isDeleting: false,
    conditionsDigest: 'c',
  },
  classChanged: seen,
  drainReport: { uid: 'uid-1', podsLeft: 1, blockers: [blocker], blockerCount: 1 },
};

const machineCommands: Good = {
  retryNow: { by: 'Ada' },
  skipDrain: { by: 'Ada' },
  forceDelete: { by: 'Ada' },
  extendDrain: { by: 'Ada', minutes: 5 },
  skipVolumeWait: { by: 'Ada' },
  selectForUpdate: { by: 'Ada' },
  retryUpdate: { by: 'Ada' },
  giveUpUpdate: { by: 'Ada' },
};
const rolloutCommands: Good = {
  pause: { by: 'Ada' },
  resume: { by: 'Ada' },
  rollback: { by: 'Ada', revision: 1 },
  setReplicas: { by: 'Ada', replicas: 3 },
  overridePolicies: { by: 'Ada', minutes: 60, reason: 'CVE-2026-1234' },
};

/** Of each message some payloads that it does not expect. */
function draw(messages: Good, perMessage: number): [string, unknown][] {
  return Object.entries(messages).flatMap(([name, good]) =>
    fc.sample(spoiled(good), runs(perMessage)).map((payload): [string, unknown] => [name, payload]),
  );
}

/** Whoever says nothing is heard, and so is whoever says something else than what is read. */
function isNonsense([, payload]: [string, unknown]): boolean {
  if (payload === null || payload === undefined) return false;
  if (typeof payload !== 'object' || Array.isArray(payload)) return true;
  const { by }: { by?: unknown } = payload;
  return by !== undefined && (typeof by !== 'string' || by.length > 200);
}

async function signalAll(handle: WorkflowHandle, signals: [string, unknown][]): Promise<void> {
  for (const [name, payload] of signals) await handle.signal(name, payload);
}

async function undecodable(handle: WorkflowHandle, signalName: string): Promise<void> {
  const payloads = [
    { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{"cluster":') },
    { metadata: { encoding: Buffer.from('binary/secret') }, data: Buffer.from('x') },
    { metadata: {}, data: Buffer.from('') },
  ];
  for (const payload of payloads) {
    await temporal.client.workflowService.signalWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: handle.workflowId },
      signalName,
      input: { payloads: [payload] },
    });
  }
}

/** Every update is answered. Returns the refusals. */
async function updateAll(handle: WorkflowHandle, updates: [string, unknown][]): Promise<string[]> {
  const refusals = await Promise.all(
    updates.map(async ([name, payload]) => {
      try {
        await handle.executeUpdate(name, { args: [payload] });
      } catch (error) {
        if (!(error instanceof WorkflowUpdateFailedError)) throw error;
        return error.cause?.message ?? '';
      }
      return '';
    }),
  );
  return refusals.filter((words) => /\S: must be \w/.test(words));
}

async function queryAll(handle: WorkflowHandle, names: string[], payloads: unknown[]) {
  for (const name of names) for (const payload of payloads) await handle.query(name, payload);
}

/** In words. */
async function failedTasks({ workflowId }: WorkflowHandle): Promise<string[]> {
  const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(
    ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [],
  );
}

test('a machine is not disturbed by messages of any form', async () => {
  const world = await MachineWorld.create(temporal, {
    drainNode: async ({ isForced }) => (isForced ? { evictedPods: 0, isForced } : await hang()),
  });
  await world.run(async () => {
    const { handle } = world;
    await world.begin();
    await signalAll(handle, draw(ofMachine, 12));
    await world.phase('Pending');
    await world.joinNode();
    await world.phase('Running');
    await undecodable(handle, 'machineObserved');
    await handle.signal('machineObserved');
    await handle.signal('nobodyKnowsThis', { a: 1 });
    await queryAll(handle, ['state', 'drain'], [null, { deep: [[]] }, 'x']);
    await world.requestDeletion();
    await world.log.until('drainNode');
    await signalAll(handle, draw(ofMachine, 6));
    const commands = draw(machineCommands, 8).filter(isNonsense);
    const extensions = draw({ extendDrain: { minutes: 5 } }, 8).filter(
      ([, payload]) => !isGoodExtension(payload),
    );
    const updates = [...commands, ...extensions];
    await signalAll(handle, updates);
    expect(await updateAll(handle, updates)).toHaveLength(updates.length);
    const unknown = handle.executeUpdate('nobodyKnowsThis');
    await expect(unknown).rejects.toBeInstanceOf(WorkflowUpdateFailedError);
    expect(world.log.count('applyMachineCommand')).toBe(0);
    await handle.executeUpdate('forceDelete', { args: [{ by: 'Ada' }] });
    await resultOf(handle);
    expect(await failedTasks(handle)).toEqual([]);
  });
});

function isGoodExtension(payload: unknown): boolean {
  const { minutes }: { minutes?: unknown } = Object(payload);
  return typeof minutes === 'number' && minutes > 0 && minutes <= 10_080;
}

test('a set is not disturbed by messages of any form', async () => {
  const machines = new Machines(3);
  const world = new SetWorld(temporal, 'machineSet', machines.steps());
  const ofSets: Good = {
    machineSetObserved: ofSet,
    machineSetGone: gone,
    machinesChanged: { ...seen, unmatched: ['pool-a'] },
  };
  await world.run(async () => {
    await world.observe();
    await signalAll(world.handle, draw(ofSets, 12));
    await undecodable(world.handle, 'machinesChanged');
    await world.log.until('createMachines', 2);
    machines.replicas = 1;
    await world.observe({ generation: 2 });
    await world.log.until('deleteMachines');
    machines.isDeleting = true;
    await world.observe({ isDeleting: true });
    await resultOf(world.handle);
    expect(await failedTasks(world.handle)).toEqual([]);
  });
});

test('a deployment is not disturbed by messages of any form', async () => {
  const rollout = new RolloutWorld(temporal);
  const { world } = rollout;
  const ofDeployments: Good = {
    machineDeploymentObserved: ofSet,
    machineDeploymentGone: gone,
    machineSetsChanged: seen,
  };
  await rollout.run(async () => {
    await world.observe();
    await signalAll(world.handle, draw(ofDeployments, 12));
    await undecodable(world.handle, 'machineSetsChanged');
    await rollout.isComplete();
    const updates = draw(rolloutCommands, 8).filter(isNonsense);
    await signalAll(world.handle, updates);
    expect(await updateAll(world.handle, updates)).toHaveLength(updates.length);
    await queryAll(world.handle, ['state', 'rollout'], [null, { deep: [[]] }, 'x']);
    expect(world.log.count('applyRolloutCommand')).toBe(0);
    await world.handle.executeUpdate('setReplicas', { args: [{ replicas: 2 }] });
    await rollout.isComplete();
    expect(await failedTasks(world.handle)).toEqual([]);
  });
});

test.each(['machine', 'machineSet', 'machineDeployment', 'machineClass', 'secret'])(
  'a %s that is started with nonsense ends, and says why',
  async (type) => {
    const taskQueue = `nonsense-${type.toLowerCase()}`;
    await temporal.withWorkers(taskQueue, { kube: { nothing: () => undefined } }, async () => {
      for (const [index, input] of [undefined, null, 7, {}, { ref: {}, cluster: 'c' }].entries()) {
        const workflowId = `${taskQueue}-${index}`;
        const handle = await temporal.client.workflow.start(type, {
          taskQueue,
          workflowId,
          args: [input],
        });
        const ended = resultOf(handle);
        await expect(ended).rejects.toMatchObject({
          cause: { message: expect.stringContaining('the input makes no sense') },
        });
      }
    });
  },
);
