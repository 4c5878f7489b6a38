import type { Machine } from '../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import type { Changes } from '../../support/builders.ts';
import { aMachineDeployment, createdAt } from '../../support/builders.ts';
import { DeploymentWorld, nextTemplate, ownSet } from './deployment-world.ts';

type MachineChanges = Changes<Machine> & { phase?: MachinePhase };

const old = (changes: Parameters<typeof ownSet>[1] = {}) =>
  ownSet('old', {
    spec: { replicas: 3, template: { metadata: { labels: { pool: 'a' } }, ...nextTemplate } },
    ...changes,
  });

/** An old set with these machines, and what is seen of it. */
async function look(
  machines: MachineChanges[],
  deployment: Parameters<typeof aMachineDeployment>[0] = {},
) {
  const world = new DeploymentWorld(aMachineDeployment(deployment), old());
  const set = await world.set();
  for (const machine of machines) world.addMachine(set, machine);
  const facts = await world.survey();
  return { world, facts, set: facts.sets.find(({ name }) => name === 'old') };
}

const at = (seconds: number): string =>
  new Date(Date.parse(createdAt) + 3_600_000 - seconds * 1000).toISOString();

const runningFor = (seconds: number): MachineChanges => ({
  status: {
    currentStatus: { phase: 'Running' },
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(seconds) }],
  },
});

const kept = (preserveExpiryTime: string): MachineChanges => ({
  status: { currentStatus: { phase: 'Failed', preserveExpiryTime } },
});

test('the first machine that fails is named, with a short reason', async () => {
  const { world, set } = await look([]);
  expect(set).not.toHaveProperty('failing');
  const description = `no such machine type ${'x'.repeat(5_000)}`;
  const failedMachines = ['a', 'b'].map((name) => ({ name, lastOperation: { description } }));
  world.report(await world.set(), { failedMachines });
  const { sets } = await world.survey();
  expect(sets.find(({ name }) => name === 'old')?.failing).toEqual({
    name: 'a',
    why: description.slice(0, 200),
  });
});

describe('letters of the machines', () => {
  test.each<{ name: string; machines: MachineChanges[]; letters: string }>([
    {
      name: 'A for Running and Available, U for anything else, in the order of a scale-down',
      machines: [
        { phase: 'Running' },
        { phase: 'Available' },
        { phase: 'Pending' },
        { phase: 'Unknown' },
        { phase: 'CrashLoopBackOff' },
        { phase: 'Failed' },
        { phase: '' },
      ],
      letters: 'UUUUUAA',
    },
    {
      name: 'a Running machine of a lower priority goes before one that is not there yet',
      machines: [
        { phase: 'Pending' },
        {
          phase: 'Running',
          metadata: { annotations: { 'machinepriority.machine.sapcloud.io': '1' } },
        },
      ],
      letters: 'AU',
    },
    {
      name: 'nonsense of a priority counts as 3, the default',
      machines: [
        { phase: 'Running' },
        {
          phase: 'Pending',
          metadata: { annotations: { 'machinepriority.machine.sapcloud.io': 'first' } },
        },
      ],
      letters: 'UA',
    },
    {
      name: 'a preserved machine goes last',
      machines: [
        {
          status: {
            currentStatus: { phase: 'Failed', preserveExpiryTime: '2999-01-01T00:00:00Z' },
          },
        },
        { phase: 'Running' },
      ],
      letters: 'AU',
    },
  ])('$name', async ({ machines, letters }) => {
    expect((await look(machines)).set).toMatchObject({ machines: letters, going: 0 });
  });

  test('Failed machines that are preserved are counted, while their time lasts', async () => {
    const { set } = await look([
      kept('2999-01-01T00:00:00Z'),
      kept('2020-01-01T00:00:00Z'),
      { phase: 'Failed' },
    ]);
    expect(set).toMatchObject({ preserved: 1 });
  });

  test('machines that are going have none, but are counted', async () => {
    const deletionTimestamp = '2026-01-01T00:30:00Z';
    const finalizers = ['x'];
    const { set } = await look([
      { phase: 'Running' },
      { phase: 'Running', metadata: { deletionTimestamp, finalizers } },
      { phase: 'Terminating' },
    ]);
    expect(set).toMatchObject({ machines: 'A', going: 2 });
  });

  test.each([
    { option: 'millwright.dev/soak', value: '60s', seconds: 60 },
    { option: 'millwright.dev/honor-min-ready-seconds', value: 'true', seconds: 30 },
  ])(
    'R for a machine that has not run for long enough: $option',
    async ({ option, value, seconds }) => {
      const { facts, set } = await look([runningFor(10), runningFor(20), runningFor(seconds + 1)], {
        metadata: { annotations: { [option]: value } },
        spec: { minReadySeconds: 30 },
      });
      expect(set?.machines.split('').toSorted().join('')).toBe('ARR');
      expect(facts.nextAvailableAt).toBe(Date.parse(at(19 - seconds)));
    },
  );

  test('the longer of both counts', async () => {
    const annotations = {
      'millwright.dev/soak': '10s',
      'millwright.dev/honor-min-ready-seconds': 'true',
    };
    const { set } = await look([runningFor(20)], {
      metadata: { annotations },
      spec: { minReadySeconds: 30 },
    });
    expect(set?.machines).toBe('R');
  });

  test('minReadySeconds alone does nothing', async () => {
    const { facts, set } = await look([runningFor(1)], { spec: { minReadySeconds: 30 } });
    expect(set?.machines).toBe('A');
    expect(facts).not.toHaveProperty('nextAvailableAt');
  });

  test('without a Ready condition the time of the phase counts', async () => {
    const annotations = { 'millwright.dev/soak': '60s' };
    const since = (seconds: number): MachineChanges => ({
      status: { currentStatus: { phase: 'Running', lastUpdateTime: at(seconds) } },
    });
    const { facts, set } = await look([since(10), since(70)], { metadata: { annotations } });
    expect(set?.machines.split('').toSorted().join('')).toBe('AR');
    expect(facts.nextAvailableAt).toBe(Date.parse(at(9 - 60)));
  });

  test.each([
    { seconds: 60, letter: 'R' },
    { seconds: 61, letter: 'A' },
  ])(
    'a time that is cut to its second may be of the end of that second: $seconds s ago, $letter',
    async ({ seconds, letter }) => {
      const annotations = { 'millwright.dev/soak': '60s' };
      const { set } = await look([runningFor(seconds)], { metadata: { annotations } });
      expect(set?.machines).toBe(letter);
    },
  );

  test('a Node that was Ready before its Machine was Running counts from the latter', async () => {
    const annotations = { 'millwright.dev/soak': '60s' };
    const machine: MachineChanges = {
      status: {
        currentStatus: { phase: 'Running', lastUpdateTime: at(30) },
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(70) }],
      },
    };
    const { facts, set } = await look([machine], { metadata: { annotations } });
    expect(set?.machines).toBe('R');
    expect(facts.nextAvailableAt).toBe(Date.parse(at(29 - 60)));
  });

  test('without a soak a machine counts in the second in which it became Running', async () => {
    const { set } = await look([runningFor(0)]);
    expect(set?.machines).toBe('A');
  });

  test('one that is going is no reason to look again', async () => {
    const annotations = { 'millwright.dev/soak': '60s' };
    const deletionTimestamp = '2026-01-01T00:30:00Z';
    const { facts } = await look(
      [{ ...runningFor(10), metadata: { deletionTimestamp, finalizers: ['x'] } }],
      { metadata: { annotations } },
    );
    expect(facts).not.toHaveProperty('nextAvailableAt');
  });
});

const listsOf = async (world: DeploymentWorld): Promise<number> => {
  world.control.calls.length = 0;
  await world.survey();
  return world.control.calls.filter((call) => call.endsWith('/machines')).length;
};

describe('machines are listed', () => {
  const template = { metadata: { labels: { pool: 'a' } }, ...nextTemplate };

  test('preserved ones by the counts of a set that is alone, as the last', async () => {
    const status = { replicas: 4, availableReplicas: 2, preservedFailedReplicas: 1 };
    const world = new DeploymentWorld(
      aMachineDeployment(),
      ownSet('only', { spec: { replicas: 4 }, status }),
    );
    const { sets } = await world.survey();
    expect(sets).toMatchObject([{ machines: 'UAAU', preserved: 1 }]);
  });

  test('only where the counts of the sets do not tell enough', async () => {
    const world = new DeploymentWorld();
    await world.settle();
    world.report(await world.set(), { replicas: 4, availableReplicas: 2 });
    expect(await listsOf(world)).toBe(0);
    expect((await world.survey()).sets).toMatchObject([{ machines: 'UUAA', going: 0 }]);
  });

  test.each([
    { when: 'an old set is to have some', set: old() },
    {
      when: 'an old set still has some',
      set: old({ spec: { replicas: 0, template }, status: { replicas: 1 } }),
    },
    {
      when: 'a grant of the budget is to be taken back',
      set: ownSet('new', { metadata: { annotations: { 'millwright.dev/replacements': '' } } }),
    },
  ])('when $when', async ({ set }) => {
    expect(await listsOf(new DeploymentWorld(aMachineDeployment(), set))).toBe(1);
  });

  test.each([
    { 'millwright.dev/replacement-budget': '1' },
    { 'millwright.dev/honor-min-ready-seconds': 'true' },
    { 'node.machine.sapcloud.io/trigger-deletion-by-mcm': 'a~2026-01-01T00:00:00Z' },
  ])('when the deployment says %j', async (annotations) => {
    const deployment = aMachineDeployment({ metadata: { annotations: { ...annotations } } });
    expect(await listsOf(new DeploymentWorld(deployment, ownSet('new')))).toBe(1);
  });
});

describe('what is seen of a set', () => {
  test.each<{ name: string; set: Parameters<typeof ownSet>[1]; expected: object }>([
    {
      name: 'its notes, and whether it has seen its latest size',
      set: { status: { observedGeneration: 0, replicas: 2 } },
      expected: {
        revision: 1,
        desired: 3,
        max: 4,
        isObserved: false,
        reported: 2,
        isFormer: false,
      },
    },
    {
      name: 'notes that make no sense count as absent',
      set: {
        metadata: {
          annotations: {
            'deployment.kubernetes.io/revision': '-1',
            'deployment.kubernetes.io/desired-replicas': 'many',
            'deployment.kubernetes.io/revision-history': '3',
          },
        },
        status: { observedGeneration: 1 },
      },
      expected: { revision: 0, isFormer: true, isObserved: true, hasFreshScaling: false },
    },
    {
      name: 'that its Nodes are avoided and that it makes no machines',
      set: {
        metadata: {
          annotations: { 'deployment.machine.sapcloud.io/prefer-no-schedule': 'True' },
          labels: { 'node.machine.sapcloud.io/scale-up-disabled': 'true' },
        },
      },
      expected: { isTainted: true, isClosed: true },
    },
    {
      name: 'that it is frozen, by its label',
      set: { metadata: { labels: { freeze: 'True' } } },
      expected: { problem: 'Frozen: its label freeze is True' },
    },
    {
      name: 'that it is frozen, by its condition',
      set: {
        status: {
          machineSetCondition: [
            { type: 'Frozen', status: 'True', reason: 'OverShootingReplicaCount' },
          ],
        },
      },
      expected: { problem: 'Frozen: OverShootingReplicaCount' },
    },
    {
      name: 'that it is being deleted',
      set: { metadata: { deletionTimestamp: '2026-01-01T00:30:00Z' } },
      expected: { isDeleting: true },
    },
  ])('$name', async ({ set, expected }) => {
    const world = new DeploymentWorld(aMachineDeployment(), ownSet('only', set));
    expect((await world.survey()).sets[0]).toMatchObject(expected);
  });

  test('a condition that is over is no problem', async () => {
    const machineSetCondition = [{ type: 'Frozen', status: 'False' as const }];
    const world = new DeploymentWorld(
      aMachineDeployment(),
      ownSet('only', { status: { machineSetCondition } }),
    );
    expect((await world.survey()).sets[0]).not.toHaveProperty('problem');
  });
});

const named = (name: string, annotations: Record<string, string> = {}): MachineChanges => ({
  phase: 'Running',
  metadata: { name, annotations },
});

const chosenAt = (time: string) => ({ 'machine.sapcloud.io/delete-machine': time });

describe('machines that a cluster autoscaler chose', () => {
  const low = { 'machinepriority.machine.sapcloud.io': '1' };
  const time = '2026-01-02T03:04:05Z';

  test.each<{ name: string; machines: MachineChanges[]; list?: string; chosen?: number[] }>([
    { name: 'none', machines: [named('a'), named('b'), named('c')] },
    {
      name: 'with a time, by a priority, and on the list of the deployment',
      machines: [named('a', chosenAt(time)), named('b', low), named('c')],
      list: `c~${time},nobody`,
      chosen: [Date.parse(time), 0, 0],
    },
    {
      name: 'not those for which the set has shrunk already',
      machines: [named('a', chosenAt(time)), named('b', low), named('c'), named('d')],
      chosen: [0],
    },
    {
      name: 'not a preserved one, which goes last',
      machines: [
        named('a'),
        named('b'),
        { ...kept('2099-01-01T00:00:00Z'), metadata: { name: 'c', annotations: chosenAt(time) } },
      ],
    },
  ])('$name', async ({ machines, list = '', chosen }) => {
    const annotations = { 'node.machine.sapcloud.io/trigger-deletion-by-mcm': list };
    const { set } = await look(machines, { metadata: { annotations } });
    expect(set?.chosen).toEqual(chosen);
  });
});
