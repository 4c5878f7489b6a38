/** A Machine says for whom its deletion waits, and since when; it is written when that changes. */
import { checkHooks } from '../../../activities/machine/hooks.ts';
import { recordOperation } from '../../../activities/machine/operation.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { HeldPart } from '../../../workflows/api/deletion-hooks.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const path = customResource('machines', namespace, 'pool-a');
const machine = lifeOf('pool-a');
const ofMcm = 'suspend-instance-deletion.node.machine.sapcloud.io';
const traffic = { 'pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic': 'mesh' };
const etcd = { [`${ofMcm}/etcd`]: 'etcd-druid' };
const ready = { type: 'Ready', status: 'True' } as const;
const deletionTimestamp = '2026-01-01T00:00:00Z';

/** A Machine that goes, with these annotations. */
function going(annotations: Record<string, string>) {
  const object = aMachine({
    phase: 'Terminating',
    metadata: { deletionTimestamp, annotations },
  });
  const status = { ...object.status, conditions: [ready] };
  const world = aWorld({ control: [{ ...object, status }] });
  const check = (...parts: HeldPart[]) => checkHooks(world, { machine, parts });
  const read = () => world.control.read<Machine>(path);
  const annotate = (changes: Record<string, string | null>) =>
    world.control.patch(path, 'merge', { metadata: { annotations: changes } });
  const conditions = async () => {
    const { status: now } = await read();
    return (now?.conditions ?? []).map(({ type, status: is }) => `${type}=${is}`);
  };
  const writes = () => world.control.writes().filter((call) => call.endsWith('/status')).length;
  return { world, check, read, annotate, conditions, writes };
}

test('while hooks hold the instance a condition names each with its owner, and the phase stays', async () => {
  const { check, read, conditions } = going({ ...etcd, [`${ofMcm}/dns`]: 'dns-team' });
  const outcome = await check('drain', 'instance');
  const { status } = await read();
  const message = 'The deletion of the instance waits for dns (dns-team), etcd (etcd-druid)';
  expect(status).toMatchObject({
    currentStatus: { phase: 'Terminating' },
    lastOperation: { description: message, state: 'Processing', type: 'Delete' },
  });
  expect(status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'InstanceDeletionSuspended', status: 'True', message }),
  );
  expect(await conditions()).toEqual([
    'Ready=True',
    'InstanceDeletionSuspended=True',
    'Reconciling=True',
  ]);
  expect(outcome.machine).toMatchObject({
    hooks: { instance: [{ owner: 'dns-team' }, { owner: 'etcd-druid' }] },
    heldSince: expect.any(Number),
    wasNodeSeen: true,
  });
});

test('the same is written once; one that goes changes the words and not the time', async () => {
  const system = new HandSystem();
  const { check, read, annotate, writes } = going({ ...etcd, [`${ofMcm}/dns`]: 'dns-team' });
  await system.run(async () => {
    const first = await check('instance');
    expect(writes()).toBe(1);
    await check('instance');
    expect(writes()).toBe(1);
    await system.to(60_000);
    await annotate({ [`${ofMcm}/dns`]: null });
    const second = await check('instance');
    expect(writes()).toBe(2);
    expect(second.machine?.heldSince).toBe(first.machine?.heldSince);
    expect((await read()).status?.lastOperation?.description).toBe(
      'The deletion of the instance waits for etcd (etcd-druid)',
    );
  });
});

test('with the last hook the condition goes', async () => {
  const { check, read, annotate, conditions, writes } = going(etcd);
  await check('instance');
  await annotate({ [`${ofMcm}/etcd`]: null });
  const { machine: now } = await check('instance');
  expect(await conditions()).toEqual(['Ready=True', 'Reconciling=True']);
  expect((await read()).status?.lastOperation?.description).toBe(
    'No hook holds it any more. Initiate VM deletion',
  );
  expect([now?.hooks, now?.heldSince, writes()]).toEqual([undefined, undefined, 2]);
});

test('from the end of the hooks before it on the drain has its time', async () => {
  const { check, annotate, conditions } = going(traffic);
  await check('drain');
  expect(await conditions()).toEqual(['Ready=True', 'DrainSuspended=True', 'Reconciling=True']);
  await annotate({ 'pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic': null });
  const { machine: now } = await check('drain');
  expect(await conditions()).toEqual(['Ready=True', 'DrainSuspended=False', 'Reconciling=True']);
  expect([now?.heldSince, now?.drainHeldUntil]).toEqual([undefined, expect.any(Number)]);
});

test('a hold of the drain that ends becomes one of the instance', async () => {
  const { check, annotate, conditions } = going({ ...traffic, ...etcd });
  await check('drain', 'instance');
  expect(await conditions()).toContain('DrainSuspended=True');
  await annotate({ 'pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic': null });
  await check('drain', 'instance');
  expect(await conditions()).toEqual([
    'Ready=True',
    'DrainSuspended=False',
    'InstanceDeletionSuspended=True',
    'Reconciling=True',
  ]);
});

test('other writes of the status keep what it says of hooks', async () => {
  const { world, check, conditions } = going(etcd);
  await check('instance');
  await recordOperation(world, {
    machine,
    operation: 'Delete',
    description: 'waits for the cloud',
  });
  expect(await conditions()).toContain('InstanceDeletionSuspended=True');
});

test('a hook that comes too late for its part is not said', async () => {
  const { check, writes } = going(traffic);
  await check('instance');
  await check();
  expect(writes()).toBe(0);
});

test('without hooks nothing is written', async () => {
  const { check, world } = going({});
  expect((await check('drain', 'instance')).machine).not.toHaveProperty('hooks');
  expect(world.control.writes()).toEqual([]);
});

test.each([
  { name: 'that is not being deleted', metadata: { annotations: etcd } },
  { name: 'of another life', metadata: { uid: 'another', annotations: etcd, deletionTimestamp } },
])('nothing is said on a Machine $name', async ({ metadata }) => {
  const world = aWorld({ control: [aMachine({ metadata })] });
  await checkHooks(world, { machine, parts: ['instance'] });
  expect(world.control.writes()).toEqual([]);
});

test('a Machine that cannot be read is an error: no driver is asked then', async () => {
  const { world, check } = going({});
  world.control.fault = () => ({ code: 500, reason: 'InternalError' });
  await expect(check('instance')).rejects.toThrow('InternalError');
});
