/** What others do to the machines of a set must not make it create without bound. */
import { createMachines } from '../../../activities/machine-set/batches.ts';
import { observeMachineSet } from '../../../activities/machine-set/observe.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { planMachineSet } from '../../../workflows/plan/machine-set/plan.ts';
import { newNames } from '../../../workflows/values/names.ts';
import { aMachine, aMachineDeployment, aMachineSet } from '../../support/builders.ts';
import { controlledBy, createdAt, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { lifeOf, placeOf } from '../../support/world.ts';

const path = customResource('machines', namespace);
const setPath = customResource('machinesets', namespace, 'pool');
const now = Date.parse('2026-01-01T01:00:00Z');
const progress = { done: [], report() {}, made() {}, isSuperseded: () => false };

type Change = (machine: Machine) => void;

/** A policy that changes what is created, as a mutating webhook does. */
class ChangingClient extends InMemoryClient {
  change: Change | undefined;

  override async create<T>(at: string, body: Machine): Promise<T> {
    const changed = structuredClone(body);
    if (at === path) this.change?.(changed);
    return await super.create<T>(at, changed);
  }
}

const machinesIn = async (control: InMemoryClient): Promise<Machine[]> =>
  (await control.list<Machine>(path)).items;

const isOutside = ({ metadata }: Machine): boolean => metadata.labels?.['pool'] !== 'a';

/** One turn of the set's workflow. Returns why it waits, if it does. */
async function turn(control: InMemoryClient, batchSize: number): Promise<string | undefined> {
  const unmatched = (await machinesIn(control)).filter(isOutside).map((one) => one.metadata.name);
  const input = { set: { namespace, name: 'pool' }, now, unmatched };
  const outcome = await observeMachineSet(placeOf(control), input);
  if (!outcome.found) throw new Error('the set is gone');
  const { observation } = outcome;
  const step = planMachineSet({ observation, createdSince: 0, batchSize }, now);
  if (step.action !== 'create') return step.reason;
  const names = newNames({
    prefix: 'pool',
    count: step.count,
    taken: new Set(),
    random: Math.random,
  });
  const basis = { generation: 1, replicas: 3 };
  await createMachines(placeOf(control), { set: lifeOf('pool'), names, basis }, progress);
  return undefined;
}

const ofDeployment = aMachineSet({
  metadata: {
    ownerReferences: controlledBy(aMachineDeployment()),
    annotations: {
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '5',
    },
  },
});

const stripLabel: Change = ({ metadata }) => delete metadata.labels?.['pool'];
const stripOwner: Change = ({ metadata }) => (metadata.ownerReferences = []);
const takeOver: Change = ({ metadata }) =>
  (metadata.ownerReferences = [
    { apiVersion: 'v1', kind: 'Policy', name: 'p', uid: 'uid-p', controller: true },
  ]);
const terminate: Change = (machine) =>
  Object.assign(machine, { status: { currentStatus: { phase: 'Terminating' } } });

describe.each([
  { kind: 'of its own', set: aMachineSet(), most: 6 },
  { kind: 'of a deployment with surge 2', set: ofDeployment, most: 5 },
])(
  'a set $kind makes no more than it wants and the surge where another writer',
  ({ set, most }) => {
    test.each([
      { name: 'takes labels off', changes: [stripLabel] },
      { name: 'takes labels and owners off', changes: [stripLabel, stripOwner] },
      { name: 'becomes their controller', changes: [takeOver] },
      { name: 'says that they are Terminating', changes: [terminate] },
    ])('$name', async ({ changes }) => {
      const control = new InMemoryClient(set);
      for (let turns = 0; turns < 20; turns += 1) {
        await turn(control, 100);
        for (const machine of await machinesIn(control)) {
          for (const change of changes) change(machine);
          control.put(machine);
        }
      }
      expect((await machinesIn(control)).length).toBeLessThanOrEqual(most);
      expect(await turn(control, 1)).toContain('do not count as its own any more');
      expect(await control.read<MachineSet>(setPath)).toMatchObject({
        status: { machineSetCondition: [{ type: 'ReplicaFailure', reason: 'FailedCreate' }] },
      });
    });
  },
);

test.each([
  { name: 'label', changes: [stripLabel], says: 'labels pool' },
  { name: 'controller', changes: [takeOver], says: 'owner' },
  { name: 'owner and label', changes: [stripOwner, stripLabel], says: 'labels pool' },
])(
  'a machine that comes back from its create with another $name is undone, and said',
  async (policy) => {
    const control = new ChangingClient(aMachineSet());
    control.change = (machine) => policy.changes.forEach((change) => change(machine));
    const made: string[] = [];
    const names = Array.from({ length: 40 }, (_, index) => `pool-${index}`);
    const batch = { set: lifeOf('pool'), names, basis: { generation: 1, replicas: 40 } };
    const outcome = await createMachines(placeOf(control), batch, {
      ...progress,
      made: ({ metadata }) => made.push(metadata.name),
    });
    expect(outcome).toMatchObject({ created: [], error: expect.stringContaining(policy.says) });
    expect(made).toEqual([]);
    const left = (await machinesIn(control)).filter(({ metadata }) => !metadata.deletionTimestamp);
    expect(left).toEqual([]);
    expect(
      control.writes().filter((call) => call.startsWith('POST') && call.endsWith('/machines'))
        .length,
    ).toBeLessThanOrEqual(16);
  },
);

test('a machine without its owner is the set’s all the same: the next read adopts it', async () => {
  const control = new ChangingClient(aMachineSet());
  control.change = stripOwner;
  const batch = { set: lifeOf('pool'), names: ['pool-a'], basis: { generation: 1, replicas: 3 } };
  expect(await createMachines(placeOf(control), batch, progress)).toEqual({
    created: ['pool-a'],
    taken: [],
  });
});

test.each<{ name: string; machine: Parameters<typeof aMachine>[0] }>([
  {
    name: 'of an earlier set of this name',
    machine: { metadata: { name: 'pool-bcdfg', creationTimestamp: '2025-01-01T00:00:00Z' } },
  },
  { name: 'of another name', machine: { metadata: { name: 'pool-of-a-person' } } },
  {
    name: 'that another set controls',
    machine: {
      metadata: {
        name: 'pool-bcdfg',
        ownerReferences: controlledBy(aMachineSet({ metadata: { name: 'other' } })),
      },
    },
  },
  {
    name: 'that is being deleted',
    machine: { metadata: { name: 'pool-bcdfg', deletionTimestamp: createdAt } },
  },
])('a machine $name holds up nothing', async ({ machine }) => {
  const control = new InMemoryClient(aMachineSet(), aMachine(machine));
  const input = { set: { namespace, name: 'pool' }, now };
  const outcome = await observeMachineSet(placeOf(control), input);
  expect(outcome).toMatchObject({ found: true });
  expect(outcome).not.toHaveProperty('observation.uncounted');
});

test('what holds a set up is looked at again, as nothing signals that one was deleted', async () => {
  const uncounted = ['pool-bbbbb', 'pool-ccccc', 'pool-ddddd'].map((name) =>
    aMachine({ metadata: { name } }),
  );
  const control = new InMemoryClient(aMachineSet({ spec: { replicas: 1 } }), ...uncounted);
  const input = { set: { namespace, name: 'pool' }, now };
  expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
    observation: { uncounted: { count: 3, surge: 1 }, holdsUntil: now + 120_000 },
  });
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([{ reason: 'FailedCreate', type: 'Warning' }]);
});
