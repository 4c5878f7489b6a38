import type { Node } from '../../../kube/objects/nodes.ts';
import { disruptionPolicy } from '../../../kube/client/paths.ts';
import type {
  DisruptionGrant,
  DisruptionPolicy,
} from '../../../workflows/api/disruption-policy.ts';
import { aDisruptionPolicy, aNode, namespace } from '../../support/builders.ts';
import { machinePath } from './deployment-world.ts';
import type { InPlaceStep } from '../../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { InPlaceMember, Wordless } from './in-place-world.ts';
import {
  avoidance,
  critical,
  failedReason,
  instance,
  InPlaceWorld,
  result,
} from './in-place-world.ts';

type Step<Action extends InPlaceStep['action']> = Extract<InPlaceStep, { action: Action }>;

let world: InPlaceWorld;

async function withMembers(...members: InPlaceMember[]): Promise<void> {
  world = new InPlaceWorld();
  await world.add(...members);
}

/** How many a step does, in both clusters. */
async function writesOf(step: () => Promise<void>): Promise<number> {
  const clients = [world.control, world.world.target];
  const count = (): number => clients.reduce((sum, client) => sum + client.writes().length, 0);
  const before = count();
  await step();
  return count() - before;
}

/** What takes away the ground of any step while it waits. */
const endings: Record<string, () => Promise<unknown>> = {
  'a deletion': () =>
    world.control.delete(
      '/apis/machine.sapcloud.io/v1alpha1/namespaces/shoot/machinedeployments/workers',
    ),
  'another strategy': () => world.change({ spec: { strategy: { type: 'Recreate' } } }),
};

/** The template is that of the old set, or of none. */
const templates = {
  old: () => world.change({ spec: { template: { spec: { class: { name: 'small' } } } } }),
  none: () => world.change({ spec: { template: { spec: { class: { name: 'huge' } } } } }),
};

const steps: { [Action in InPlaceStep['action']]: Wordless<Step<Action>> } = {
  markCandidates: { action: 'markCandidates', machines: ['m'] },
  unmarkNodes: { action: 'unmarkNodes', machines: ['m'] },
  selectForUpdate: { action: 'selectForUpdate', machines: ['m'], most: 1 },
  moveMachines: { action: 'moveMachines', machines: ['m'], to: 'workers-new' },
  tidyUpdated: { action: 'tidyUpdated', machines: ['m'] },
};

const actions = [
  'markCandidates',
  'unmarkNodes',
  'selectForUpdate',
  'moveMachines',
  'tidyUpdated',
] as const;

/** One for which the step is right. */
const right: Record<InPlaceStep['action'], InPlaceMember> = {
  markCandidates: { name: 'm' },
  unmarkNodes: { name: 'm', isNew: true, reason: 'CandidateForUpdate', marks: 'c' },
  selectForUpdate: { name: 'm', reason: 'CandidateForUpdate', marks: 'c' },
  moveMachines: { name: 'm', reason: 'UpdateSuccessful', marks: 'cs+', isCordoned: true },
  tidyUpdated: {
    name: 'm',
    isNew: true,
    isMoved: true,
    reason: 'UpdateSuccessful',
    marks: 'cs+',
    isCordoned: true,
  },
};

describe.each(actions)('%s', (action) => {
  const step = steps[action];

  beforeEach(async () => {
    await withMembers(right[action]);
    await world.resize({ new: action === 'tidyUpdated' ? 1 : 0 });
  });

  test('says what it did, once', async () => {
    await world.do(step);
    expect(await world.events()).toEqual([expect.stringMatching(/: 1 of 1 \(m\)$/)]);
    expect(await writesOf(() => world.do(step))).toBe(0);
  });

  test.each(Object.entries(endings))('does nothing after %s', async (_, end) => {
    await end();
    expect(await writesOf(() => world.do(step))).toBe(0);
  });

  test('leaves a machine alone that goes', async () => {
    await world.control.patch(machinePath('m'), 'merge', { metadata: { finalizers: ['x'] } });
    await world.control.delete(machinePath('m'));
    expect(await writesOf(() => world.do(step))).toBe(0);
  });

  test('leaves the Node of another instance alone, and its machine', async () => {
    const { metadata, status } = await world.node('m');
    world.world.target.put(
      aNode({ metadata, spec: { providerID: 'local:///z/other' }, ...(status && { status }) }),
    );
    const { target } = world.world;
    await world.do(step);
    expect(target.writes()).toEqual([]);
  });

  test('names that are gone are no error', async () => {
    expect(await writesOf(() => world.do({ ...step, machines: ['gone'] }))).toBe(0);
  });
});

describe.each(['markCandidates', 'selectForUpdate', 'moveMachines'] as const)('%s', (action) => {
  test.each(Object.entries(templates))('not for the template of %s', async (_, change) => {
    await withMembers(right[action]);
    await change();
    expect(await writesOf(() => world.do(steps[action]))).toBe(0);
  });
});

describe('markCandidates', () => {
  test('labels Nodes of old sets alone', async () => {
    await withMembers({ name: 'm' }, { name: 'n', isNew: true }, { name: 'o', phase: 'Failed' });
    await world.do({ action: 'markCandidates', machines: ['m', 'n', 'o'] });
    expect(await world.marksOf('m')).toBe('c');
    expect(await world.marksOf('n')).toBe('');
    expect(await world.marksOf('o')).toBe('');
  });

  test('a Node without labels gets some', async () => {
    await withMembers({ name: 'm' });
    const { spec, status } = await world.node('m');
    world.world.target.put(
      aNode({ metadata: { name: 'm' }, ...(spec && { spec }), ...(status && { status }) }),
    );
    await world.do(steps.markCandidates);
    expect(await world.marksOf('m')).toBe('c');
  });

  test('one that was updated without being selected is found by the label of those', async () => {
    await withMembers({ name: 'm', reason: 'UpdateSuccessful', marks: 'c+' });
    expect((await world.inPlace()).old).toEqual({ unmarked: ['m'] });
    await world.do(steps.markCandidates);
    expect((await world.inPlace()).old).toEqual({ updated: ['m'] });
  });
});

describe('unmarkNodes', () => {
  test.each<{ name: string; changes: Partial<InPlaceMember>; isCordoned: boolean }>([
    { name: 'a candidate, which others cordoned', changes: {}, isCordoned: true },
    { name: 'one that is selected', changes: { marks: 'cs' }, isCordoned: false },
    {
      name: 'one that is being drained',
      changes: { reason: 'SelectedForUpdate', marks: 'cs' },
      isCordoned: false,
    },
    { name: 'what an agent said before its time', changes: { marks: 'cs-' }, isCordoned: false },
  ])('takes the marks off: $name', async ({ changes, isCordoned }) => {
    await withMembers({ ...right.unmarkNodes, isCordoned: true, ...changes });
    await world.do(steps.unmarkNodes);
    expect(await world.marksOf('m')).toBe('');
    const { metadata, spec } = await world.node('m');
    expect(failedReason in (metadata.annotations ?? {})).toBe(false);
    expect(spec?.unschedulable ?? false).toBe(isCordoned);
  });

  test.each(['DrainSuccessful', 'ReadyForUpdate', 'UpdateFailed'] as const)(
    'leaves alone what an agent works on, or has failed on: %s',
    async (nodeReason) => {
      // The Machine's copy of the condition follows later.
      await withMembers({ ...right.unmarkNodes, nodeReason, marks: 'cs', isCordoned: true });
      expect(await writesOf(() => world.do(steps.unmarkNodes))).toBe(0);
    },
  );

  test('the agent may begin between read and write', async () => {
    await withMembers({ ...right.unmarkNodes, reason: 'SelectedForUpdate', marks: 'cs' });
    const node = await world.node('m');
    meddleOnce('PATCH', () => world.world.target.put(withReason(node, 'ReadyForUpdate')));
    await world.do(steps.unmarkNodes);
    expect(await world.marksOf('m')).toBe('cs');
  });

  test('not where the set is not wanted any more', async () => {
    await withMembers({ ...right.unmarkNodes, isNew: false });
    expect(await writesOf(() => world.do(steps.unmarkNodes))).toBe(0);
  });
});

const candidates = (...names: string[]): InPlaceMember[] =>
  names.map((name) => ({ name, reason: 'CandidateForUpdate', marks: 'c' }));

const select = (most: number, ...machines: string[]): Promise<void> =>
  world.do({ action: 'selectForUpdate', machines, most });

const selectedOf = async (...names: string[]): Promise<string[]> => {
  const marks = await Promise.all(names.map((name) => world.marksOf(name)));
  return names.filter((_, index) => marks[index]?.includes('s'));
};

const selectDisrupting = (...machines: string[]): Promise<void> =>
  world.do({ action: 'selectForUpdate', machines, most: 3, disrupts: true });

const policyPath = disruptionPolicy(namespace, 'pool');

const grants = async (): Promise<readonly DisruptionGrant[]> =>
  (await world.control.read<DisruptionPolicy>(policyPath)).status?.grants ?? [];

function withPolicy(spec: DisruptionPolicy['spec']): void {
  const policy = aDisruptionPolicy({ metadata: { name: 'pool' }, spec });
  world.control.put(policy);
  world.world.policies = {
    current: () => ({ policies: [policy] }),
    noteWritten: (written) => Object.assign(policy, written),
  };
}

describe('selectForUpdate', () => {
  test.each<{ name: string; busy: Partial<InPlaceMember>; isCounted: boolean }>([
    {
      name: 'selected meanwhile',
      busy: { reason: 'CandidateForUpdate', marks: 'cs' },
      isCounted: true,
    },
    {
      name: 'with an agent, in the set of the template',
      busy: { isNew: true, reason: 'ReadyForUpdate', marks: 'cs' },
      isCounted: true,
    },
    { name: 'that failed', busy: { reason: 'UpdateFailed', marks: 'cs-' }, isCounted: true },
    {
      name: 'that is updated',
      busy: { reason: 'UpdateSuccessful', marks: 'cs+' },
      isCounted: false,
    },
    {
      name: 'that is only a candidate',
      busy: { reason: 'CandidateForUpdate', marks: 'c' },
      isCounted: false,
    },
  ])('the first, cut by one $name: $isCounted', async ({ busy, isCounted }) => {
    await withMembers(...candidates('a', 'b'), { name: 'busy', ...busy });
    await select(2, 'b', 'a');
    expect(await selectedOf('b', 'a')).toEqual(isCounted ? ['b'] : ['b', 'a']);
  });

  test.each<{ name: string; change: Partial<InPlaceMember> }>([
    { name: 'whose Node is no candidate', change: { marks: '' } },
    { name: 'that an agent has said something of', change: { marks: 'c-' } },
    { name: 'whose Node is not called a candidate yet', change: { nodeReason: 'UpdateFailed' } },
    { name: 'of the set of the template', change: { isNew: true } },
    { name: 'that is Failed', change: { phase: 'Failed' } },
    { name: 'that is no candidate', change: { reason: 'UpdateSuccessful' } },
  ])('never one $name', async ({ change }) => {
    await withMembers({ ...right.selectForUpdate, ...change });
    expect(await writesOf(() => select(1, 'm'))).toBe(0);
  });

  test.each<{ name: string; patch: object }>([
    { name: 'paused', patch: { spec: { paused: true } } },
    {
      name: 'left to people',
      patch: { spec: { strategy: { inPlaceUpdate: { orchestrationType: 'Manual' } } } },
    },
    {
      name: 'told to wait',
      patch: {
        metadata: { annotations: { 'millwright.dev/rollout-after': '2999-01-01T00:00:00Z' } },
      },
    },
  ])('not while the deployment is $name', async ({ patch }) => {
    await withMembers(...candidates('m'));
    await world.change(patch);
    expect(await writesOf(() => select(1, 'm'))).toBe(0);
  });

  test('not while it is not known which are selected', async () => {
    await withMembers(...candidates('m'));
    let lists = 0;
    world.world.target.fault = ({ method }) =>
      method === 'GET' && (lists += 1) === 1 ? { code: 503, reason: 'HTTP503' } : undefined;
    await expect(select(1, 'm')).rejects.toThrow('HTTP503');
    expect(world.world.target.writes()).toEqual([]);
  });

  describe('under a policy', () => {
    test('so many as it allows, granted by name before they are written', async () => {
      world = new InPlaceWorld({ replicas: 4 });
      await world.add(...candidates('a', 'b', 'c'), { name: 'ill', phase: 'Unknown' });
      withPolicy({ atATime: { machines: 2 } });
      const disrupted: unknown[] = [];
      world.world.disrupted = (...call) => disrupted.push(call);
      await selectDisrupting('b', 'c', 'a');
      expect(await selectedOf('a', 'b', 'c')).toEqual(['b']);
      expect(disrupted).toEqual([['Rollout', 1]]);
      expect(await grants()).toMatchObject([{ set: 'workers-old', machine: 'b' }]);
      // It is still a candidate as far as the Machine says: the grant counts.
      await selectDisrupting('c', 'a');
      expect(await selectedOf('a', 'b', 'c')).toEqual(['b']);
      // Once it says more, it is counted for that, and the grant is over.
      await world.add({ name: 'b', reason: 'SelectedForUpdate', marks: 'cs' });
      const wider = { spec: { atATime: { machines: 3 } } };
      world.world.policies.noteWritten(await world.control.patch(policyPath, 'merge', wider));
      await selectDisrupting('c', 'a');
      expect(await selectedOf('a', 'b', 'c')).toEqual(['b', 'c']);
      expect((await grants()).map(({ machine }) => machine)).toEqual(['c']);
    });

    test('what was granted stays so where its Node cannot be written, and is asked for once', async () => {
      await withMembers(...candidates('m'));
      withPolicy({ atATime: { machines: 1 } });
      world.world.target.fault = ({ method }) =>
        method === 'PATCH' ? { code: 503, reason: 'HTTP503' } : undefined;
      await expect(selectDisrupting('m')).rejects.toThrow('HTTP503');
      const taken = await grants();
      expect(taken).toMatchObject([{ machine: 'm' }]);
      world.world.target.fault = () => undefined;
      await selectDisrupting('m');
      expect(await world.marksOf('m')).toBe('cs');
      expect(await grants()).toEqual(taken);
    });

    test.each([{ isUrgent: true as const }, {}])(
      'outside of its windows only what goes back in the middle: %j',
      async (urgency) => {
        await withMembers(...candidates('m'));
        withPolicy({ windows: [{ schedule: '0 2 29 2 *', duration: '1h' }] });
        await world.do({ ...steps.selectForUpdate, disrupts: true, ...urgency });
        expect(await world.marksOf('m')).toBe('isUrgent' in urgency ? 'cs' : 'c');
      },
    );

    test('one that does not work, and is counted for that, needs no room', async () => {
      await withMembers({ ...right.selectForUpdate, phase: 'Unknown' });
      withPolicy({ atATime: { machines: 1 } });
      await selectDisrupting('m');
      expect(await world.marksOf('m')).toBe('cs');
    });

    test('none while it is closed', async () => {
      await withMembers(...candidates('m'));
      withPolicy({ atATime: { machines: 0 } });
      await selectDisrupting('m');
      expect(await world.marksOf('m')).toBe('c');
    });

    test('none while it cannot be read', async () => {
      await withMembers(...candidates('m'));
      world.world.policies = {
        current: () => ({ unreadable: 'no answer' }),
        noteWritten: () => {},
      };
      await selectDisrupting('m');
      expect(await world.marksOf('m')).toBe('c');
    });

    test('none while another deployment has the turn', async () => {
      await withMembers(...candidates('m'));
      withPolicy({ atATime: { deployments: 1 } });
      const turns = [{ deployment: 'other', uid: 'uid-of-other', since: '2026-01-01T00:00:00Z' }];
      const [policy] = world.world.policies.current().policies ?? [];
      const { metadata, ...deployment } = await world.deployment();
      const other = { ...metadata, name: 'other', uid: 'uid-of-other' };
      world.control.put({ ...deployment, metadata: other });
      if (policy) world.control.put(Object.assign(policy, { status: { turns } }));
      await selectDisrupting('m');
      expect(await world.marksOf('m')).toBe('c');
    });
  });
});

describe('moveMachines', () => {
  test('in one patch, and the Node is uncordoned', async () => {
    const foreign = { apiVersion: 'v1', kind: 'Policy', name: 'p', uid: 'uid-p' };
    await withMembers(right.moveMachines);
    const { metadata } = await world.machine('m');
    const owners = [...(metadata.ownerReferences ?? []), foreign];
    await world.control.patch(machinePath('m'), 'merge', { metadata: { ownerReferences: owners } });
    await world.do(steps.moveMachines);
    expect(await world.members()).toEqual({ old: [], new: ['m'] });
    const moved = await world.machine('m');
    expect(moved.metadata.labels).toEqual({
      node: 'm',
      pool: 'a',
      'machine-template-hash': 'new',
      [result]: 'successful',
    });
    expect(moved.metadata.ownerReferences).toContainEqual(foreign);
    expect(moved.spec.providerID).toBe(instance);
    expect((await world.node('m')).spec).not.toHaveProperty('unschedulable');
    expect(await world.marksOf('m')).toBe('cs+');
  });

  test('without a mark of the autoscaler, by which the other set would delete it', async () => {
    const mark = 'machine.sapcloud.io/marked-for-deletion-time';
    await withMembers(right.moveMachines);
    const notes = { [mark]: '2026-01-01T00:00:00Z', note: 'x' };
    await world.control.patch(machinePath('m'), 'merge', { metadata: { annotations: notes } });
    await world.do(steps.moveMachines);
    const { metadata } = await world.machine('m');
    expect(metadata.annotations).toMatchObject({ note: 'x' });
    expect(metadata.annotations).not.toHaveProperty([mark]);
  });

  test('also while the deployment is paused: no Node is to stay cordoned for that', async () => {
    await withMembers(right.moveMachines);
    await world.change({ spec: { paused: true } });
    await world.do(steps.moveMachines);
    expect((await world.members()).new).toEqual(['m']);
  });

  test.each<{ name: string; change: Partial<InPlaceMember> }>([
    { name: 'whose Node has no answer', change: { marks: 'cs' } },
    { name: 'whose Node says that it failed', change: { marks: 'cs-' } },
    { name: 'whose condition is not there yet', change: { nodeReason: 'ReadyForUpdate' } },
    {
      name: 'that does not know of it yet',
      change: { reason: 'ReadyForUpdate', nodeReason: 'UpdateSuccessful' },
    },
    { name: 'that is InPlaceUpdating', change: { phase: 'InPlaceUpdating' } },
    { name: 'that is Failed', change: { phase: 'Failed' } },
    { name: 'that was moved for an earlier template', change: { isMoved: true } },
    {
      name: 'that was updated to an earlier template',
      change: { since: '2025-01-01T00:00:00Z' },
    },
  ])('not one $name', async ({ change }) => {
    await withMembers({ ...right.moveMachines, ...change });
    expect(await writesOf(() => world.do(steps.moveMachines))).toBe(0);
  });

  test('not out of a set that would make another', async () => {
    await withMembers(right.moveMachines);
    const key = 'node.machine.sapcloud.io/scale-up-disabled';
    await world.changeSet('workers-old', { metadata: { labels: { [key]: null } } });
    expect(await writesOf(() => world.do(steps.moveMachines))).toBe(0);
  });

  test('not into a set that is not that of the template, or goes', async () => {
    await withMembers(right.moveMachines);
    expect(await writesOf(() => world.do({ ...steps.moveMachines, to: 'workers-old' }))).toBe(0);
    await world.changeSet('workers-new', { metadata: { finalizers: ['x'] } });
    await world.control.delete(
      `${machinePath('m').replace('machines/m', 'machinesets')}/workers-new`,
    );
    expect(await writesOf(() => world.do(steps.moveMachines))).toBe(0);
  });

  test('not where the set would let it go', async () => {
    await withMembers(right.moveMachines);
    const matchExpressions = [{ key: 'zone', operator: 'Exists' }];
    await world.changeSet('workers-new', { spec: { selector: { matchExpressions } } });
    await expect(world.do(steps.moveMachines)).rejects.toThrow('remove its matchExpressions');
    expect((await world.members()).old).toEqual(['m']);
  });

  test('what changes between read and write is read again', async () => {
    await withMembers(right.moveMachines);
    const machine = await world.machine('m');
    const currentStatus = { phase: 'Failed' as const };
    const status = { ...machine.status, currentStatus };
    meddleOnce('PATCH', () => world.control.put({ ...machine, status }), world.control);
    await world.do(steps.moveMachines);
    expect((await world.members()).old).toEqual(['m']);
  });
});

describe('tidyUpdated', () => {
  test('leaves the Node as a new one, and the Machine without the label', async () => {
    await withMembers({ ...right.tidyUpdated, marks: 'cs+' });
    await world.world.target.patch('/api/v1/nodes/m', 'merge', {
      metadata: { annotations: { [failedReason]: 'of the first try' } },
    });
    await world.resize({ new: 1 });
    await world.do(steps.tidyUpdated);
    const { metadata, spec } = await world.node('m');
    expect(metadata.labels).toEqual({ 'node.gardener.cloud/machine-name': 'm' });
    expect(metadata.annotations ?? {}).toEqual({});
    expect(spec).toEqual({
      providerID: instance,
      taints: [{ key: critical, effect: 'NoSchedule' }],
    });
    expect((await world.machine('m')).metadata.labels).not.toHaveProperty([result]);
  });

  test.each<{ name: string; change: Partial<InPlaceMember> }>([
    { name: 'that was moved to it', change: {} },
    {
      name: 'that was updated before there was the present template',
      change: { isMoved: false, since: '2025-01-01T00:00:00Z' },
    },
  ])(
    'the Node of a set that is an old one by now is avoided as before: $name',
    async ({ change }) => {
      await withMembers({ ...right.tidyUpdated, isNew: false, ...change });
      await world.do(steps.tidyUpdated);
      const { spec } = await world.node('m');
      expect(spec?.taints).toEqual([avoidance, { key: critical, effect: 'NoSchedule' }]);
      expect((await world.inPlace()).old).toEqual({ unmarked: ['m'] });
    },
  );

  test('what is to be moved is not tidied', async () => {
    await withMembers({ ...right.tidyUpdated, isNew: false, isMoved: false });
    expect(await writesOf(() => world.do(steps.tidyUpdated))).toBe(0);
  });

  test('the taint is put there once', async () => {
    await withMembers(right.tidyUpdated);
    await world.resize({ new: 1 });
    const taint = { key: critical, effect: 'NoSchedule' };
    const body = { spec: { taints: [taint] } };
    await world.world.target.patch('/api/v1/nodes/m', 'merge', body);
    await world.do(steps.tidyUpdated);
    expect((await world.node('m')).spec?.taints).toEqual([taint]);
  });

  test.each([
    { replicas: 3, size: 1, isDone: false, why: 'its size does not count the machine yet' },
    { replicas: 3, size: 2, isDone: true, why: 'its size counts both' },
    { replicas: 1, size: 1, isDone: true, why: 'only one is wanted' },
  ])('a set of size $size: $isDone, as $why', async ({ replicas, size, isDone }) => {
    world = new InPlaceWorld({ replicas });
    await world.add(right.tidyUpdated, { name: 'n', isNew: true });
    await world.resize({ new: size });
    await world.do(steps.tidyUpdated);
    expect(result in ((await world.machine('m')).metadata.labels ?? {})).toBe(!isDone);
    expect(await world.marksOf('m')).toBe(isDone ? '' : 'cs+');
  });

  test('a Node that is gone keeps nothing from its end', async () => {
    await withMembers(right.tidyUpdated);
    await world.resize({ new: 1 });
    await world.world.target.delete('/api/v1/nodes/m');
    await world.do(steps.tidyUpdated);
    expect((await world.machine('m')).metadata.labels).not.toHaveProperty([result]);
  });
});

/** Before the first call of this kind something else is written. */
function meddleOnce(method: string, write: () => void, client = world.world.target): void {
  let isDone = false;
  client.fault = (call) => {
    if (call.method !== method || isDone) return undefined;
    isDone = true;
    write();
    return undefined;
  };
}

function withReason(node: Node, reason: string): Node & { kind: 'Node' } {
  const conditions = [{ type: 'InPlaceUpdate', status: 'True' as const, reason }];
  return { ...node, kind: 'Node', status: { conditions } };
}
