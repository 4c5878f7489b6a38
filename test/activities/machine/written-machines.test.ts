/** Steps begin with what this process wrote, and read where that does not hold. */
import { createMachines } from '../../../activities/machine-set/batches.ts';
import { deleteMachines } from '../../../activities/machine-set/deletions.ts';
import { recordJoined } from '../../../activities/machine/join.ts';
import { readAndClaimMachine } from '../../../activities/machine/read-and-claim.ts';
import { recordCreated } from '../../../activities/machine/record.ts';
import { beginTeardown } from '../../../activities/machine/teardown.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import {
  aMachine,
  aMachineClass,
  aMachineSet,
  aNode,
  aSecret,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import { aWorld, lifeOf, placeOf, type WorldOfTests } from '../../support/world.ts';

const path = customResource('machines', namespace, 'pool-a');
const life = lifeOf('pool-a');
const instance = { providerID: 'local:///z/i', nodeName: 'pool-a', isFound: false };
const readsOf = ({ control }: WorldOfTests): number =>
  control.calls.filter((call) => call === `GET ${path}`).length;
const phaseIn = async ({ control }: WorldOfTests): Promise<string | undefined> =>
  (await control.read<Machine>(path)).status?.currentStatus?.phase;

const nothingDone = { done: [], report: () => undefined, isSuperseded: () => false };

async function aMadeMachine() {
  const world = aWorld({ control: [aMachineSet(), aMachineClass(), aSecret()] });
  const { control } = world;
  const made = (created: Machine): void => world.memory.written.keep(created);
  const progress = { ...nothingDone, made };
  const basis = { generation: 1, replicas: 3 };
  const batch = { set: lifeOf('pool'), names: ['pool-a'], basis };
  await createMachines(placeOf(control), batch, progress);
  const { uid, resourceVersion } = (await world.control.read<Machine>(path)).metadata;
  const input = { machine: { namespace, name: 'pool-a' }, isRetry: false };
  return { world, input, signalled: { uid, resourceVersion } };
}

describe('a Machine that this process made', () => {
  test('is not read while it is as it was made', async () => {
    const { world, input, signalled } = await aMadeMachine();
    const found = { found: true, machine: { ...signalled, provider: 'virtual' } };
    const before = readsOf(world);
    expect(await readAndClaimMachine(world, { ...input, signalled })).toMatchObject(found);
    expect(readsOf(world)).toBe(before);
  });

  test('is read by a second attempt, which may be a later one', async () => {
    const { world, input, signalled } = await aMadeMachine();
    await readAndClaimMachine(world, { ...input, signalled });
    const before = readsOf(world);
    await readAndClaimMachine(world, { ...input, signalled });
    expect(readsOf(world)).toBe(before + 1);
  });

  test('is read when another version of it was signalled', async () => {
    const { world, input, signalled } = await aMadeMachine();
    await world.control.patch(path, 'merge', { spec: { drainTimeout: '1m' } });
    const { resourceVersion } = (await world.control.read<Machine>(path)).metadata;
    const now = { ...signalled, resourceVersion };
    expect(await readAndClaimMachine(world, { ...input, signalled: now })).toMatchObject({
      machine: { resourceVersion, limits: { drainTimeoutSeconds: 60 } },
    });
  });

  test('is read where nobody says what was signalled', async () => {
    const { world, input } = await aMadeMachine();
    const before = readsOf(world);
    await readAndClaimMachine(world, input);
    expect(readsOf(world)).toBe(before + 1);
  });
});

describe('a Machine whose ids this process wrote', () => {
  const request = {
    machine: life,
    node: { name: 'pool-a', uid: aNode().metadata.uid },
    providerID: instance.providerID,
    className: 'small',
  };

  async function recorded() {
    const world = aWorld({
      control: [aMachine({ metadata: { finalizers: [finalizers.machine] } })],
      target: [aNode({ spec: { providerID: instance.providerID } })],
    });
    await recordCreated(world, { machine: life, instance, usesTarget: true });
    return { world, before: readsOf(world) };
  }

  test('is Running by one write without a read', async () => {
    const { world, before } = await recorded();
    expect(await recordJoined(world, request)).toMatchObject({ hasJoined: true });
    expect(readsOf(world)).toBe(before);
    expect(await phaseIn(world)).toBe('Running');
  });

  test('is read when somebody else wrote it meanwhile, whose conditions stay', async () => {
    const { world, before } = await recorded();
    await world.control.patch(path, 'merge', { metadata: { annotations: { by: 'another' } } });
    await recordJoined(world, request);
    expect(readsOf(world)).toBeGreaterThan(before);
    expect(await phaseIn(world)).toBe('Running');
  });

  test('does not run when it is being deleted by now', async () => {
    const { world } = await recorded();
    await world.control.delete(path);
    await recordJoined(world, request);
    expect(await phaseIn(world)).toBe('Pending');
  });

  test('is another one when the name is: nothing is written to that', async () => {
    const { world } = await recorded();
    world.control.put(aMachine({ metadata: { uid: 'uid-2' } }));
    await recordJoined(world, request);
    expect(await phaseIn(world)).toBeUndefined();
  });
});

async function aDeletedMachine() {
  const controlled = { ownerReferences: controlledBy(aMachineSet()), labels: { pool: 'a' } };
  const machine = aMachine({
    phase: 'Running',
    metadata: { finalizers: [finalizers.machine], ...controlled },
  });
  const world = aWorld({ control: [aMachineSet({ spec: { replicas: 0 } }), machine] });
  const { control } = world;
  const place = {
    ...placeOf(control),
    deleted: (kept: Machine) => world.memory.written.keep(kept),
  };
  const batch = { set: lifeOf('pool'), names: ['pool-a'], generation: 1, now: Date.now() };
  expect(await deleteMachines(place, batch)).toEqual({ deleted: 1 });
  return { world, before: readsOf(world) };
}

describe('a Machine that this process deleted', () => {
  test('is Terminating by one write without a read', async () => {
    const { world, before } = await aDeletedMachine();
    const answer = { machine: { isDeleting: true, hasFinalizer: true } };
    expect(await beginTeardown(world, { machine: life })).toMatchObject(answer);
    expect(readsOf(world)).toBe(before);
    expect(await phaseIn(world)).toBe('Terminating');
  });

  test('is read when somebody else wrote it meanwhile, and says what that wrote', async () => {
    const { world } = await aDeletedMachine();
    await world.control.patch(path, 'merge', { spec: { drainTimeout: '1m' } });
    const answer = { machine: { limits: { drainTimeoutSeconds: 60 } } };
    expect(await beginTeardown(world, { machine: life })).toMatchObject(answer);
    expect(await phaseIn(world)).toBe('Terminating');
  });

  test('lives on when etcd was restored from a backup of before', async () => {
    const { world } = await aDeletedMachine();
    world.control.put(aMachine({ metadata: { finalizers: [finalizers.machine] } }));
    const answer = { machine: { isDeleting: false } };
    expect(await beginTeardown(world, { machine: life })).toMatchObject(answer);
    expect(await phaseIn(world)).not.toBe('Terminating');
  });
});
