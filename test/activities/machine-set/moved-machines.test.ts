/** Machines that an update in place moves to another set: no set makes or deletes any. */
import { createMachines } from '../../../activities/machine-set/batches.ts';
import { deleteMachines } from '../../../activities/machine-set/deletions.ts';
import { observeMachineSet } from '../../../activities/machine-set/observe.ts';
import { pushTemplate } from '../../../activities/machine-set/push.ts';
import { checkOvershoot } from '../../../activities/safety/overshoot.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { MachineSetStep } from '../../../workflows/plan/machine-set/plan.ts';
import { planMachineSet } from '../../../workflows/plan/machine-set/plan.ts';
import { namespace } from '../../support/builders.ts';
import type { InPlaceMember } from '../machine-deployment/in-place-world.ts';
import { InPlaceWorld } from '../machine-deployment/in-place-world.ts';

let world: InPlaceWorld;

const progress = { done: [], report() {}, made() {}, isSuperseded: () => false };

/** What the set's workflow does now; `machinesAtLeast`: it may take what it knows already. */
async function turn(set: MachineSet, machinesAtLeast?: string): Promise<MachineSetStep> {
  const { name, uid } = set.metadata;
  const life = { namespace, name, uid };
  const input = { set: life, now: world.now, ...(machinesAtLeast && { machinesAtLeast }) };
  const outcome = await observeMachineSet(world.world, input);
  if (!outcome.found) throw new Error('the set is gone');
  const facts = { observation: outcome.observation, createdSince: 0, batchSize: 100 };
  const step = planMachineSet(facts, world.now);
  if (step.action === 'create') {
    const { generation, replicas } = outcome.observation.desired;
    const names = Array.from({ length: step.count }, (_, index) => `${name}-made-${index}`);
    await createMachines(
      world.world,
      { set: life, names, basis: { generation, replicas } },
      progress,
    );
  } else if (step.action === 'delete') {
    const { generation = 0 } = set.metadata;
    await deleteMachines(world.world, { set: life, names: step.names, generation, now: world.now });
  } else if (step.action === 'push') {
    await pushTemplate(world.control, { set: life, names: step.names });
  }
  return step;
}

async function turns(): Promise<MachineSetStep['action'][]> {
  const steps = [await turn(await world.old()), await turn(await world.new())];
  return steps.map(({ action }) => action);
}

const idle = ['wait', 'wait'];

/** The second of three is with the set of the template already. */
async function inTheMiddle(...more: InPlaceMember[]): Promise<void> {
  world = new InPlaceWorld();
  await world.add(
    { name: 'a', reason: 'UpdateSuccessful', marks: 'cs+', isCordoned: true },
    { name: 'b' },
    { name: 'c', isNew: true },
    ...more,
  );
  await world.resize({ old: 2, new: 1 });
}

const move = (): Promise<void> =>
  world.do({ action: 'moveMachines', machines: ['a'], to: 'workers-new' });
const tidy = (): Promise<void> => world.do({ action: 'tidyUpdated', machines: ['a'] });

/** Each is a write that a worker may not live to see the end of. */
const writes: [name: string, write: () => Promise<void>][] = [
  ['the machine moved', move],
  ['the old set shrunk', () => world.resize({ old: 1 })],
  ['the new set grew', () => world.resize({ new: 2 })],
  ['it is tidy', tidy],
];

const inOtherOrder = [0, 2, 1, 3].flatMap((index) => writes.slice(index, index + 1));

describe.each([
  { order: 'as planned', writes },
  { order: 'the new set first', writes: inOtherOrder },
])('$order', ({ writes: inOrder }) => {
  test.each(inOrder.map(([name], index) => ({ name, count: index + 1 })))(
    'both sets are idle when the last that was done is: $name',
    async ({ count }) => {
      await inTheMiddle();
      expect(await turns()).toEqual(idle);
      for (const [, write] of inOrder.slice(0, count)) await write();
      for (let again = 0; again < 3; again += 1) expect(await turns()).toEqual(idle);
      expect(await world.members()).toEqual({ old: ['b'], new: ['a', 'c'] });
    },
  );
});

test('a machine that moved while another of its old set is missing is not made again', async () => {
  await inTheMiddle();
  await world.control.delete(customResource('machines', namespace, 'b'));
  await move();
  expect(await turns()).toEqual(idle);
  expect(await world.members()).toEqual({ old: [], new: ['a', 'c'] });
});

test('a list from before the move makes nothing: what is to be done is read again', async () => {
  await inTheMiddle();
  const before = await world.world.machines.select(namespace);
  await move();
  await world.resize({ new: 2 });
  world.world.machines = {
    ...world.world.machines,
    selectKnown: async (_, selector) =>
      before.filter(({ metadata }) =>
        Object.entries(selector?.matchLabels ?? {}).every(
          ([key, value]) => metadata.labels?.[key] === value,
        ),
      ),
  };
  const [old, next] = [await world.old(), await world.new()];
  for (const set of [old, next]) world.report(set, { replicas: 1 });
  const steps = [await turn(await world.old(), '1'), await turn(await world.new(), '1')];
  expect(steps.map(({ action }) => action)).toEqual(idle);
  expect(await world.members()).toEqual({ old: ['b'], new: ['a', 'c'] });
});

test('a machine that fails in a closed set is deleted, and none is made in its place', async () => {
  await inTheMiddle({ name: 'failed', phase: 'Failed' });
  await world.resize({ old: 3 });
  expect(await turns()).toEqual(['delete', 'wait']);
  expect(await turns()).toEqual(idle);
  expect((await world.members()).old).toEqual(['a', 'b']);
});

test('one that fails after it was moved is replaced by its new set', async () => {
  await inTheMiddle({ name: 'failed', isNew: true, isMoved: true, phase: 'Failed' });
  await world.resize({ new: 2 });
  expect(await turns()).toEqual(['wait', 'delete']);
  expect(await turns()).toEqual(['wait', 'create']);
  expect((await world.members()).new).toEqual(['c', 'workers-new-made-0']);
});

test('the new set pushes what it keeps equal, and the status of both counts it once', async () => {
  await inTheMiddle();
  const { metadata, spec } = await world.new();
  const template = { ...spec.template, spec: { ...spec.template?.spec, drainTimeout: '5m' } };
  await world.changeSet(metadata.name, { spec: { template } });
  await move();
  await world.resize({ old: 1, new: 2 });
  expect(await turns()).toEqual(['wait', 'push']);
  expect(await turns()).toEqual(idle);
  const { spec: pushed } = await world.machine('a');
  // As in MCM v0.62.1 it keeps its class.
  expect(pushed).toMatchObject({ drainTimeout: '5m', class: { name: 'small' } });
  const counts = [(await world.old()).status, (await world.new()).status];
  expect(counts).toMatchObject([
    { replicas: 1, fullyLabeledReplicas: 1, availableReplicas: 1 },
    { replicas: 2, fullyLabeledReplicas: 2, availableReplicas: 2 },
  ]);
});

test('neither counts as overshooting', async () => {
  await inTheMiddle();
  await move();
  const { sets } = await checkOvershoot(world.world, { namespace, up: 1, down: 1 });
  expect(sets.filter(({ count, limit }) => count >= limit)).toEqual([]);
});
