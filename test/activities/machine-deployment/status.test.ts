import type { MachineDeploymentCondition } from '../../../workflows/api/machine-deployment.ts';
import { aMachineDeployment } from '../../support/builders.ts';
import { DeploymentWorld, nextTemplate, path } from './deployment-world.ts';

async function condition(
  world: DeploymentWorld,
  type: string,
): Promise<MachineDeploymentCondition | undefined> {
  const { status } = await world.deployment();
  return status?.conditions?.find((one) => one.type === type);
}

async function settled(changes: Parameters<typeof aMachineDeployment>[0] = {}) {
  const world = new DeploymentWorld(aMachineDeployment(changes));
  await world.settle();
  return world;
}

/** In the middle: 3 old machines, one new one that is not there yet. */
async function rolling(spec: Parameters<typeof aMachineDeployment>[0] = {}) {
  const world = await settled(spec);
  await world.change({ spec: { template: nextTemplate } });
  await world.step();
  return world;
}

const seconds = (count: number): number => count * 1000;
const timeOf = (now: number): string => new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');

describe('counts', () => {
  test('are sums over the sets; what is updated is the new set’s', async () => {
    const world = await rolling();
    const [old, fresh] = await world.sets();
    if (!old || !fresh) throw new Error('no sets');
    world.report(old, { replicas: 4, readyReplicas: 2, availableReplicas: 3 });
    world.report(fresh, { replicas: 1, preservedFailedReplicas: 1 });
    await world.survey();
    expect((await world.deployment()).status).toMatchObject({
      replicas: 5,
      updatedReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 3,
      unavailableReplicas: 1,
      preservedFailedReplicas: 1,
    });
  });

  test('of a set that has not seen its latest size are at most that size', async () => {
    const world = await settled();
    const { name } = (await world.set()).metadata;
    await world.changeSet(name, { spec: { replicas: 1 } });
    await world.survey();
    expect((await world.deployment()).status).toMatchObject({ replicas: 3, availableReplicas: 1 });
  });

  test('of available machines leave out those that are too young, when minReadySeconds is honoured', async () => {
    const annotations = { 'millwright.dev/honor-min-ready-seconds': 'true' };
    const world = await settled({ metadata: { annotations }, spec: { minReadySeconds: 60 } });
    const [young] = await world.machinesOf(await world.set());
    const conditions = [
      { type: 'Ready', status: 'True' as const, lastTransitionTime: timeOf(world.now) },
    ];
    world.control.put({ ...young, status: { ...young?.status, conditions } });
    await world.survey();
    expect((await world.deployment()).status).toMatchObject({
      readyReplicas: 3,
      availableReplicas: 2,
    });
    // From the end of the second that the condition names.
    world.now += seconds(61);
    await world.survey();
    expect((await world.deployment()).status).toMatchObject({ availableReplicas: 3 });
  });

  test('answer the generation that was looked at, and leave collisionCount as it is', async () => {
    const world = await settled();
    await world.changeStatus({ collisionCount: 2 });
    await world.change({ spec: { replicas: 4 } });
    const { generation } = (await world.deployment()).metadata;
    await world.survey();
    const { status } = await world.deployment();
    expect(status).toMatchObject({ observedGeneration: generation, collisionCount: 2 });
  });
});

describe('failed machines', () => {
  const failed = {
    name: 'workers-1',
    ownerRef: 'workers-x',
    lastOperation: { description: 'no room', state: 'Failed' as const, type: 'Create' as const },
  };

  test('of all sets are listed, and go when there are none', async () => {
    const world = await settled();
    world.report(await world.set(), {
      replicas: 3,
      availableReplicas: 2,
      failedMachines: [failed],
    });
    await world.survey();
    expect((await world.deployment()).status?.failedMachines).toEqual([failed]);
    await world.runMachines();
    await world.survey();
    expect((await world.deployment()).status).not.toHaveProperty('failedMachines');
  });
});

describe('what kstatus goes by', () => {
  test('is there until the deployment is as wanted, then nothing is', async () => {
    const world = await rolling();
    expect(await condition(world, 'Reconciling')).toMatchObject({ status: 'True' });
    await world.settle();
    const { status } = await world.deployment();
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['Available', 'Progressing']);
  });

  test('is Stalled past the deadline, and both are never said', async () => {
    const world = await rolling({ spec: { progressDeadlineSeconds: 60 } });
    await world.survey();
    world.now += seconds(61);
    await world.survey();
    expect(await condition(world, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'ProgressDeadlineExceeded',
      lastTransitionTime: timeOf(world.now),
      lastUpdateTime: timeOf(world.now),
    });
    expect(await condition(world, 'Reconciling')).toBeUndefined();
  });
});

describe('Available', () => {
  const rollingUpdate = { maxSurge: 0, maxUnavailable: 1 };
  test.each([
    { available: 3, preserved: 0, status: 'True', reason: 'MinimumReplicasAvailable' },
    { available: 2, preserved: 0, status: 'True', reason: 'MinimumReplicasAvailable' },
    { available: 1, preserved: 0, status: 'False', reason: 'MinimumReplicasUnavailable' },
    { available: 1, preserved: 1, status: 'True', reason: 'MinimumReplicasAvailable' },
  ])(
    'with $available of 3 machines, 1 may be missing, $preserved preserved: $status',
    async ({ available, preserved, status, reason }) => {
      const world = await settled({
        spec: { strategy: { type: 'RollingUpdate', rollingUpdate } },
      });
      world.report(await world.set(), {
        replicas: 3,
        availableReplicas: available,
        preservedFailedReplicas: preserved,
      });
      await world.survey();
      const has = status === 'True' ? 'has' : 'does not have';
      const message = `Deployment ${has} minimum availability.`;
      expect(await condition(world, 'Available')).toMatchObject({ status, reason, message });
    },
  );

  test('moves its times only with its status', async () => {
    const world = await settled();
    const first = await condition(world, 'Available');
    world.now += seconds(10);
    const set = await world.set();
    world.report(set, { replicas: 3, availableReplicas: 3, readyReplicas: 2 });
    await world.survey();
    expect(await condition(world, 'Available')).toEqual(first);
    world.report(set, { replicas: 3, availableReplicas: 2 });
    await world.survey();
    const time = timeOf(world.now);
    expect(await condition(world, 'Available')).toMatchObject({
      status: 'False',
      lastTransitionTime: time,
      lastUpdateTime: time,
    });
  });
});

describe('Progressing', () => {
  test('tells the course of a rollout in words that MCM uses', async () => {
    const world = await rolling();
    const { name } = (await world.set(1)).metadata;
    const told: unknown[] = [];
    const look = async (): Promise<void> => {
      await world.survey();
      const { status, reason, message } = (await condition(world, 'Progressing')) ?? {};
      told.push([status, reason, message]);
    };
    await look();
    await world.runMachines();
    await look();
    await world.settle();
    await look();
    expect(told).toEqual([
      ['True', 'NewMachineSetCreated', `Created new machine set "${name}"`],
      ['True', 'MachineSetUpdated', `MachineSet "${name}" is progressing.`],
      ['True', 'NewMachineSetAvailable', `MachineSet "${name}" has successfully progressed.`],
    ]);
  });

  test('is False when the deadline passes without progress, which the facts say beforehand', async () => {
    const world = await rolling({ spec: { progressDeadlineSeconds: 600 } });
    const { progress } = await world.survey();
    expect(progress).toMatchObject({ isOverdue: false, deadline: world.now + seconds(600) });
    world.now += seconds(599);
    expect((await world.survey()).progress.isOverdue).toBe(false);
    world.now += seconds(1);
    expect((await world.survey()).progress).toMatchObject({ isOverdue: true, isComplete: false });
    const { name } = (await world.set(1)).metadata;
    expect(await condition(world, 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: `MachineSet "${name}" has timed out progressing.`,
    });
  });

  test('begins the time anew with another template, where the set before made no machine', async () => {
    const world = await rolling({ spec: { progressDeadlineSeconds: 600 } });
    await world.survey();
    world.now += seconds(590);
    const template = { spec: { class: { kind: 'MachineClass', name: 'huge' } } };
    await world.change({ spec: { template } });
    await world.step();
    const { progress } = await world.survey();
    expect(progress).toMatchObject({
      reason: 'NewMachineSetCreated',
      deadline: world.now + seconds(600),
    });
    world.now += seconds(10);
    expect((await world.survey()).progress.isOverdue).toBe(false);
  });

  test('says why the last step was refused, until it is not refused any more', async () => {
    const world = new DeploymentWorld();
    const message = 'Failed to create new machine set "workers-abcde": exceeded quota';
    await world.survey({ error: message });
    expect(await condition(world, 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'MachineSetCreateError',
      message,
    });
    await world.settle();
    expect(await condition(world, 'Progressing')).toMatchObject({
      reason: 'NewMachineSetAvailable',
    });
  });
});

describe('conditions of the sets', () => {
  const failure = {
    type: 'ReplicaFailure',
    status: 'True' as const,
    reason: 'FailedCreate',
    message: 'exceeded quota',
    lastTransitionTime: '2026-01-01T00:30:00Z',
  };

  test('ReplicaFailure is copied, the new set’s first, and goes with it', async () => {
    const world = await rolling();
    const [old, fresh] = await world.sets();
    if (!old || !fresh) throw new Error('no sets');
    const oldFailure = { ...failure, message: 'of the old set' };
    world.report(old, { replicas: 3, availableReplicas: 3, machineSetCondition: [oldFailure] });
    world.report(fresh, { replicas: 0, machineSetCondition: [failure] });
    const { sets } = await world.survey();
    expect(sets.at(-1)).toMatchObject({ problem: 'ReplicaFailure: exceeded quota' });
    expect(await condition(world, 'ReplicaFailure')).toEqual({
      ...failure,
      lastUpdateTime: failure.lastTransitionTime,
    });
    await world.runMachines();
    await world.survey();
    expect(await condition(world, 'ReplicaFailure')).toBeUndefined();
  });

  test('what others wrote stays', async () => {
    const world = await settled();
    const frozen = { type: 'Frozen', status: 'True', reason: 'OverShootingReplicaCount' };
    const { conditions = [] } = (await world.deployment()).status ?? {};
    await world.changeStatus({ conditions: [...conditions, frozen] });
    world.report(await world.set(), { replicas: 3, availableReplicas: 2 });
    await world.survey();
    expect(await condition(world, 'Frozen')).toEqual(frozen);
  });
});

describe('writing', () => {
  test('happens once for what is the same', async () => {
    const world = await rolling();
    await world.survey();
    const writes = world.control.writes().length;
    world.now += seconds(60);
    await world.survey();
    expect(world.control.writes()).toHaveLength(writes);
  });

  test('the fields that MCM leaves out when they are zero are no reason to write', async () => {
    const world = await settled();
    const { status } = await world.deployment();
    const kept = Object.entries(status ?? {}).filter(([, value]) => value !== 0);
    world.control.put({ ...(await world.deployment()), status: Object.fromEntries(kept) });
    const writes = world.control.writes().length;
    await world.survey();
    expect(world.control.writes()).toHaveLength(writes);
  });

  test('holds for the deployment that was read: a look that was held up reads again', async () => {
    const world = await settled();
    world.report(await world.set(), { replicas: 3, availableReplicas: 1 });
    world.control.fault = ({ path: written }) => {
      if (written === `${path}/status`) world.control.put({ ...aMachineDeployment() });
      return undefined;
    };
    await expect(world.survey()).rejects.toThrow('Conflict');
  });

  test('a deployment that went meanwhile is no error', async () => {
    const world = await settled();
    world.report(await world.set(), { replicas: 3, availableReplicas: 1 });
    world.control.fault = ({ path: written }) =>
      written === `${path}/status` ? { code: 404, reason: 'NotFound' } : undefined;
    await expect(world.survey()).resolves.toMatchObject({ replicas: 3 });
  });
});
