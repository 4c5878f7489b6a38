import type { MachineSetSpec } from '../../../workflows/api/machine-set.ts';
import type { InPlaceMachines } from '../../../workflows/plan/machine-deployment/rollout/facts.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { trimmed } from '../../../activities/machine-set/machine-lists.ts';
import { aMachine, aMachineDeployment, aNode } from '../../support/builders.ts';
import { DeploymentWorld, ownSet } from './deployment-world.ts';
import type { InPlaceMember } from './in-place-world.ts';
import { InPlaceWorld, selected } from './in-place-world.ts';

const failed = (why: string) => [{ name: 'm', why }];

interface Case {
  name: string;
  member: Omit<InPlaceMember, 'name' | 'isNew'>;
  old?: Partial<InPlaceMachines>;
  /** The same machine in the set of the template. Default: as there is none. */
  new?: Partial<InPlaceMachines>;
}

const selectedOne = { selected: ['m'] };

const cases: Case[] = [
  { name: 'has joined', member: {}, old: { unmarked: ['m'] } },
  {
    name: 'was updated to an earlier template',
    member: { reason: 'UpdateSuccessful' },
    old: { unmarked: ['m'] },
  },
  {
    name: 'is a candidate',
    member: { reason: 'CandidateForUpdate', marks: 'c' },
    old: { ready: ['m'] },
    new: { marked: ['m'] },
  },
  {
    name: 'is a candidate and does not work',
    member: { reason: 'CandidateForUpdate', marks: 'c', phase: 'Unknown' },
    old: { faulty: ['m'] },
    new: { marked: ['m'] },
  },
  {
    name: 'is selected, as the Node alone says',
    member: { reason: 'CandidateForUpdate', marks: 'cs' },
    old: { ...selectedOne, selectedAvailable: 1 },
    new: { ...selectedOne, selectedAvailable: 1, marked: ['m'] },
  },
  {
    name: 'is selected no more, as the Node alone says',
    member: { reason: 'SelectedForUpdate', marks: 'c' },
    old: { ...selectedOne, selectedAvailable: 1 },
    new: { ...selectedOne, selectedAvailable: 1, marked: ['m'] },
  },
  {
    name: 'is with the agent',
    member: { reason: 'ReadyForUpdate', marks: 'cs', phase: 'InPlaceUpdating' },
    old: selectedOne,
    new: selectedOne,
  },
  {
    name: 'is with the agent, and its Node is selected no more',
    member: { reason: 'DrainSuccessful', marks: 'c', phase: 'InPlaceUpdating' },
    old: selectedOne,
    new: selectedOne,
  },
  {
    name: 'was updated, and the Machine does not say so yet',
    member: { reason: 'ReadyForUpdate', nodeReason: 'UpdateSuccessful', marks: 'cs+' },
    old: { ...selectedOne, selectedAvailable: 1 },
    new: { arrived: ['m'] },
  },
  {
    name: 'was updated, and is still InPlaceUpdating',
    member: { reason: 'UpdateSuccessful', marks: 'cs+', phase: 'InPlaceUpdating' },
    old: selectedOne,
    new: { arrived: ['m'] },
  },
  {
    name: 'was updated',
    member: { reason: 'UpdateSuccessful', marks: 'cs+' },
    old: { updated: ['m'] },
    new: { arrived: ['m'] },
  },
  {
    name: 'was updated before there was a set of the template',
    member: { reason: 'UpdateSuccessful', marks: 'cs+', since: '2025-12-31T23:59:59Z' },
    old: { arrived: ['m'] },
    new: { arrived: ['m'] },
  },
  {
    name: 'was updated in the second in which the set of the template was made',
    member: { reason: 'UpdateSuccessful', marks: 'cs+', since: '2026-01-01T00:00:00Z' },
    old: { updated: ['m'] },
    new: { arrived: ['m'] },
  },
  {
    name: 'was moved',
    member: { reason: 'UpdateSuccessful', marks: 'cs+', isMoved: true },
    // For an earlier template.
    old: { arrived: ['m'] },
    new: { arrived: ['m'] },
  },
  {
    name: 'was moved, and the Node is tidy',
    member: { reason: 'UpdateSuccessful', isMoved: true },
    old: { arrived: ['m'] },
    new: { arrived: ['m'] },
  },
  {
    name: 'could not be updated',
    member: {
      reason: 'UpdateFailed',
      message: 'Node in-place update failed: no space',
      marks: 'cs-',
      phase: 'InPlaceUpdateFailed',
    },
    old: { ...selectedOne, failed: failed('Node in-place update failed: no space') },
    new: { ...selectedOne, failed: failed('Node in-place update failed: no space') },
  },
  {
    name: 'had no answer in time',
    member: {
      reason: 'ReadyForUpdate',
      marks: 'cs',
      phase: 'InPlaceUpdateFailed',
      lastOperation: { description: 'no answer in 20m' },
    },
    old: { ...selectedOne, failed: failed('no answer in 20m') },
    new: { ...selectedOne, failed: failed('no answer in 20m') },
  },
  {
    name: 'could not be updated, and a person has taken it out',
    member: { reason: 'UpdateFailed', marks: 'c-', phase: 'InPlaceUpdateFailed' },
    old: {},
    new: {},
  },
  {
    name: 'is Failed',
    member: { reason: 'CandidateForUpdate', marks: 'c', phase: 'Failed' },
    old: {},
    new: {},
  },
  {
    name: 'is Failed after its selection',
    member: { reason: 'ReadyForUpdate', marks: 'cs', phase: 'Failed' },
    old: selectedOne,
    new: selectedOne,
  },
  {
    name: 'goes',
    member: {
      reason: 'UpdateSuccessful',
      marks: 'cs+',
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] },
    },
    old: {},
    new: {},
  },
];

describe.each(cases)('a machine that $name', ({ member, old = {}, new: ofNew }) => {
  test('of an old set', async () => {
    const world = new InPlaceWorld();
    await world.add({ ...member, name: 'm' });
    expect((await world.inPlace()).old).toEqual(old);
  });

  test('of the set of the template', async () => {
    const world = new InPlaceWorld();
    // Something is under way in any case.
    await world.add({ ...member, name: 'm', isNew: true }, { name: 'other' });
    expect((await world.inPlace()).new).toEqual(ofNew ?? {});
  });
});

test('a machine whose Node has not joined is not to be marked', async () => {
  const world = new InPlaceWorld();
  world.addMachine(await world.old(), { phase: 'Pending', metadata: { labels: { node: 'n' } } });
  expect((await world.inPlace()).old).toEqual({});
});

const one = (name: string, metadata: InPlaceMember['metadata']): InPlaceMember => ({
  name,
  reason: 'CandidateForUpdate',
  marks: 'c',
  ...(metadata && { metadata }),
});

test('candidates stand in the order of their selection: priority, then the oldest', async () => {
  const world = new InPlaceWorld();
  await world.add(
    one('a', {}),
    one('b', { creationTimestamp: '2025-01-01T00:00:00Z' }),
    one('c', { annotations: { 'machinepriority.machine.sapcloud.io': '1' } }),
    { ...one('d', {}), phase: 'Unknown' },
  );
  expect((await world.inPlace()).old).toEqual({ ready: ['c', 'b', 'a'], faulty: ['d'] });
});

test('Nodes of others that are selected do not count', async () => {
  const world = new InPlaceWorld();
  await world.add({ name: 'a', reason: 'CandidateForUpdate', marks: 'c' });
  const labels = { [selected]: 'true', 'node.gardener.cloud/machine-name': 'of-others' };
  world.world.target.put(aNode({ metadata: { name: 'b', labels } }));
  await world.add({ name: 'c', reason: 'CandidateForUpdate', marks: 'cs' });
  const { spec: _other, ...node } = await world.node('c');
  world.world.target.put({ ...node, kind: 'Node', spec: { providerID: 'local:///z/other' } });
  expect((await world.inPlace()).old).toEqual({ ready: ['a', 'c'] });
});

test('of many a hundred are named, but all that are selected', async () => {
  const world = new InPlaceWorld({ replicas: 120 });
  for (let count = 100; count < 220; count += 1)
    await world.add({ name: `m${count}`, reason: 'ReadyForUpdate', marks: 'cs' });
  for (let count = 300; count < 420; count += 1) await world.add({ name: `m${count}` });
  const { old } = await world.inPlace();
  expect([old?.selected?.length, old?.unmarked?.length]).toEqual([120, 100]);
});

const lists = (world: DeploymentWorld): string[] =>
  world.world.target.calls.filter((call) => call.startsWith('GET'));

describe('Nodes are listed', () => {
  test('once, by their label', async () => {
    const world = new InPlaceWorld();
    await world.add({ name: 'a' }, { name: 'b' });
    await world.survey();
    expect(lists(world)).toEqual(['GET /api/v1/nodes']);
  });

  test('not where no machine was ever updated in place', async () => {
    const world = new InPlaceWorld();
    await world.add({ name: 'a', isNew: true });
    expect(await world.inPlace()).toEqual({ old: undefined, new: undefined });
    expect(lists(world)).toEqual([]);
  });

  test.each<{ name: string; marks: string; code?: number; found: object | undefined }>([
    { name: 'which may show none', marks: '', found: undefined },
    { name: 'which may be out of reach', marks: 'cs+', code: 503, found: undefined },
    { name: 'which may show one that was not tidied', marks: 'cs+', found: { arrived: ['a'] } },
  ])('after an update in place, $name', async ({ marks, code, found }) => {
    const world = new InPlaceWorld();
    await world.add({ name: 'a', isNew: true, reason: 'UpdateSuccessful', marks });
    if (code !== undefined) world.world.target.fault = () => ({ code, reason: 'Unavailable' });
    expect((await world.inPlace()).new).toEqual(found);
    expect(await world.survey()).not.toHaveProperty('selectionUnknown');
  });

  test('and what the other cluster does not answer fails nothing', async () => {
    const world = new InPlaceWorld();
    await world.add({ name: 'a', reason: 'CandidateForUpdate', marks: 'cs' });
    world.world.target.fault = () => ({ code: 503, reason: 'HTTP503' });
    expect((await world.survey()).selectionUnknown).toContain('HTTP503');
    expect((await world.inPlace()).old).toEqual({ ready: ['a'] });
  });

  test('and a cluster that says nothing is not waited for', async () => {
    const world = new InPlaceWorld();
    await world.add({ name: 'a' });
    world.world.target.list = () => new Promise(() => {});
    const system = new HandSystem();
    const survey = system.run(() => world.survey());
    await system.to(1_000);
    expect((await survey).selectionUnknown).toContain('took more than 1000 ms');
  });
});

const strategyOf = (orchestrationType: 'Auto' | 'Manual') => ({
  type: 'InPlaceUpdate' as const,
  inPlaceUpdate: { maxSurge: 0, maxUnavailable: 1, orchestrationType },
});

const isManual = async (type: 'Auto' | 'Manual'): Promise<true | undefined> =>
  (await new InPlaceWorld({ strategy: strategyOf(type) }).survey()).isManual;

const read = async (type: 'RollingUpdate' | 'InPlaceUpdate'): Promise<boolean> => {
  const bounds = { maxSurge: 0, maxUnavailable: 1 };
  const strategy = {
    type,
    rollingUpdate: bounds,
    inPlaceUpdate: { ...bounds, orchestrationType: 'Auto' as const },
  };
  const spec: MachineSetSpec = { replicas: 3 };
  const world = new DeploymentWorld(
    aMachineDeployment({ spec: { strategy } }),
    ownSet('only', { spec: { ...ownSet('only').spec, ...spec } }),
  );
  await world.survey();
  return world.control.calls.some((call) => call.endsWith('/machines'));
};

describe('strategies', () => {
  test('people select only where that is said', async () => {
    expect([await isManual('Manual'), await isManual('Auto')]).toEqual([true, undefined]);
  });

  test.each([
    { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    { type: 'Recreate' as const },
  ])('$type has no field and no read more', async (strategy) => {
    const world = new InPlaceWorld({ strategy });
    await world.add({ name: 'a', reason: 'CandidateForUpdate', marks: 'cs' });
    const facts = await world.survey();
    expect(facts).not.toHaveProperty('isManual');
    expect(facts).not.toHaveProperty('selectionUnknown');
    for (const set of facts.sets) expect(set).not.toHaveProperty('inPlace');
    expect(world.world.target.calls).toEqual([]);
  });

  test('of one set at rest the machines are read for an update in place alone', async () => {
    expect([await read('RollingUpdate'), await read('InPlaceUpdate')]).toEqual([false, true]);
  });
});

test('a copy of Machines keeps the conditions that are read', () => {
  const conditions = ['Ready', 'DiskPressure', 'InPlaceUpdate'].map((type) => ({
    type,
    status: 'True' as const,
  }));
  const kept = trimmed(aMachine({ status: { conditions } })).status?.conditions;
  expect(kept?.map(({ type }) => type)).toEqual(['Ready', 'InPlaceUpdate']);
});
