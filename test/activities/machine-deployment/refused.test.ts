/**
 * One write that the API server refuses for as long as a policy stands: the deployment goes on with
 * all others.
 */
import { aMachineDeployment, createdAt } from '../../support/builders.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { ObservedDeploymentOutcome } from '../../../workflows/contracts/machine-deployment-activities.ts';
import { observeMachineDeployment } from '../../../activities/machine-deployment/observe.ts';
import { DeploymentWorld, life, machinePath, ownSet, path, setPath } from './deployment-world.ts';

const list = 'node.machine.sapcloud.io/trigger-deletion-by-mcm';
const priority = 'machinepriority.machine.sapcloud.io';
const time = '2026-01-01T00:50:00Z';

/** Refuses writes to these paths, with what a policy answers. */
function refuse(world: DeploymentWorld, ...paths: string[]): void {
  world.control.fault = ({ method, path: wanted }) =>
    method === 'PATCH' && paths.includes(wanted)
      ? { code: 403, reason: 'Forbidden', message: 'kept for forensics' }
      : undefined;
}

async function settled(...control: object[]): Promise<DeploymentWorld> {
  const world = new DeploymentWorld(...control);
  await world.settle();
  return world;
}

type Found = Extract<ObservedDeploymentOutcome, { found: true }>;

async function surveyed(world: DeploymentWorld, changes: object = {}): Promise<Found> {
  const input = { deployment: life, now: world.now, protectedNodes: [], ...changes };
  const outcome = await observeMachineDeployment(world.world, input);
  if (!outcome.found) throw new Error('the deployment is gone');
  return outcome;
}

async function conditionsOf(world: DeploymentWorld): Promise<unknown> {
  const { status } = await world.deployment();
  return status?.conditions?.filter(({ type }) => type === 'ReplicaFailure');
}

describe('a refused step', () => {
  test('of one machine: the others are marked and the set is scaled', async () => {
    const world = await settled();
    const [first = '', second = ''] = (await world.machinesOf(await world.set())).map(
      ({ metadata }) => metadata.name,
    );
    await world.annotate({ [list]: `${first}~${time},${second}~${time}` });
    await world.change({ spec: { replicas: 1 } });
    refuse(world, machinePath(first));
    const { steps } = await world.plan();
    const outcome = await world.apply(...steps);
    expect(outcome.error).toBeUndefined();
    expect(outcome.refused).toMatchObject({ names: [`Machine/${first}`], reason: 'FailedUpdate' });
    expect((await world.machine(second)).metadata.annotations).toMatchObject({ [priority]: '1' });
    expect((await world.set()).spec.replicas).toBe(1);
    expect(await world.events()).toEqual(
      expect.arrayContaining([
        expect.stringContaining(`Warning FailedUpdate: Error writing Machine/${first}: `),
      ]),
    );
  });

  test('of one set: the other is scaled', async () => {
    const world = await settled();
    const { metadata } = await world.set();
    world.control.put(ownSet('other', { spec: { replicas: 3 } }));
    refuse(world, setPath('other'));
    const step = { action: 'scaleSet', from: 3, replicas: 2, reason: '' } as const;
    const other = await world.control.read<{ metadata: { resourceVersion: string } }>(
      setPath('other'),
    );
    const { written, refused, error } = await world.apply(
      { ...step, name: 'other', resourceVersion: other.metadata.resourceVersion },
      { ...step, name: metadata.name, resourceVersion: metadata.resourceVersion },
    );
    expect(written.map(({ name }) => name)).toEqual([metadata.name]);
    expect(refused?.names).toEqual(['MachineSet/other']);
    expect(error).toBeUndefined();
  });

  test('of a grant: the next one is given', async () => {
    const world = await settled();
    const { name } = (await world.set()).metadata;
    world.control.put(ownSet('other'));
    refuse(world, setPath('other'));
    const grant = { action: 'grantReplacements', reason: '' } as const;
    const machines = ['a'];
    const { refused } = await world.apply(
      { ...grant, set: 'other', machines },
      { ...grant, set: name, machines },
    );
    expect(refused?.names).toEqual(['MachineSet/other']);
    const { metadata } = await world.control.read<MachineSet>(setPath(name));
    expect(metadata.annotations).toMatchObject({ 'millwright.dev/replacements': 'a' });
  });
});

describe('a survey', () => {
  test('a read that may not adopt a set sees all others, and says so in the condition', async () => {
    const orphan = ownSet('orphan', { metadata: { ownerReferences: [] } });
    const world = new DeploymentWorld(aMachineDeployment(), orphan, ownSet('own'));
    refuse(world, setPath('orphan'));
    const { facts, refused } = await surveyed(world);
    expect(facts.sets.map(({ name }) => name)).toEqual(['own']);
    expect(refused?.names).toEqual(['MachineSet/orphan']);
    expect(await conditionsOf(world)).toMatchObject([
      {
        status: 'True',
        reason: 'FailedUpdate',
        message: expect.stringContaining('kept for forensics'),
      },
    ]);
  });

  test('does not try what was refused a moment ago, and keeps the condition', async () => {
    const orphan = ownSet('orphan', { metadata: { ownerReferences: [] } });
    const world = new DeploymentWorld(aMachineDeployment(), orphan, ownSet('own'));
    refuse(world, setPath('orphan'));
    const passOver = ['MachineSet/orphan'];
    const { refused } = await surveyed(world, { passOver, refusal: 'MachineSet/orphan: no' });
    expect(refused).toBeUndefined();
    expect(world.control.calls).not.toContain(`PATCH ${setPath('orphan')}`);
    expect(await conditionsOf(world)).toMatchObject([{ message: 'MachineSet/orphan: no' }]);
    await surveyed(world, { passOver });
    expect(await conditionsOf(world)).toEqual([]);
  });

  test('whose revision is refused writes the status and answers', async () => {
    const world = new DeploymentWorld(aMachineDeployment(), ownSet('own'));
    refuse(world, path);
    const { facts, refused } = await surveyed(world);
    expect(facts.sets).toHaveLength(1);
    expect(refused?.names).toEqual(['MachineDeployment']);
    expect((await world.deployment()).status).toMatchObject({ observedGeneration: 1 });
  });

  test('whose status is refused answers, writes the revision, and says so in an Event', async () => {
    const world = new DeploymentWorld(aMachineDeployment(), ownSet('own'));
    refuse(world, `${path}/status`);
    const { facts, refused } = await surveyed(world);
    expect(facts.sets).toHaveLength(1);
    expect(refused?.names).toEqual(['the status']);
    expect((await world.deployment()).metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '1',
    });
    expect(await world.events()).toEqual([
      expect.stringContaining('Warning FailedUpdate: Error writing the status: '),
    ]);
  });
});

const failedMachines = (set: string) =>
  Array.from({ length: 100 }, (_, index) => ({
    name: `${set}-${String(index).padStart(4, '0')}`,
    ownerRef: set,
    lastOperation: {
      description: 'no capacity '.repeat(100),
      lastUpdateTime: createdAt,
      state: 'Failed' as const,
      type: 'Create' as const,
    },
  }));

test('the status of a deployment whose sets have thousands of failed machines stays small', async () => {
  const sets = Array.from({ length: 20 }, (_, index) =>
    ownSet(`set-${index}`, {
      spec: { replicas: 1_000 },
      status: { replicas: 1_000, failedMachines: failedMachines(`set-${index}`) },
    }),
  );
  const world = new DeploymentWorld(aMachineDeployment(), ...sets);
  await surveyed(world);
  const { status } = await world.deployment();
  expect(status?.failedMachines).toHaveLength(100);
  expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(200_000);
});
