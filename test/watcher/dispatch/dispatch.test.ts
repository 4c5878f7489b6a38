import { Cluster } from '../cluster.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import { aClass, aMachine, aMachineDeployment, aMachineSet, aNode, aSecret } from '../objects.ts';
import type { MachineLooks, NodeLooks, SetLooks } from '../objects.ts';

let cluster: Cluster;

beforeEach(() => {
  cluster = new Cluster();
});

const machine = (looks: MachineLooks): void => cluster.machines.put(cluster.now(aMachine(looks)));
const machineSet = (looks: SetLooks): void =>
  cluster.machineSets.put(cluster.now(aMachineSet(looks)));
const deployment = (looks: SetLooks): void =>
  cluster.machineDeployments.put(cluster.now(aMachineDeployment(looks)));
const node = (looks: NodeLooks): void => cluster.nodes.put(cluster.now(aNode(looks)));

const aHook = { 'suspend-instance-deletion.node.machine.sapcloud.io/etcd': 'etcd-druid' };

/** Signals to machines since the last look. */
const machinesTold = (): string[] => cluster.told().filter((told) => told.includes(' machine/'));

/** What `step` leads to, after `before`. */
function toldOf(before: () => void, step: () => void): string[] {
  before();
  cluster.told();
  step();
  return cluster.told();
}

describe('a Machine', () => {
  test('starts its workflow and wakes its set', () => {
    machine({ owner: 'set' });
    const [observed, changed] = cluster.signals();
    expect(observed).toMatchObject({
      kind: 'machine',
      object: 'a',
      name: 'machineObserved',
      payload: { cluster: 'c', epoch: 7, resourceVersion: '101', uid: 'uid-a', isDeleting: false },
      start: { summary: 'Machine default/a of MachineSet set', machineClass: 'small' },
    });
    expect(changed).toMatchObject({ kind: 'machineSet', object: 'set', name: 'machinesChanged' });
    expect(changed?.start).toBeUndefined();
  });

  test.each<{ name: string; from: MachineLooks; to: MachineLooks; told: string[] }>([
    {
      name: 'a finalizer that was stripped is signalled',
      from: { hasFinalizer: true },
      to: {},
      told: ['machineObserved machine/a'],
    },
    {
      name: 'a change of the spec is signalled to the machine and its set',
      from: { owner: 'set' },
      to: { owner: 'set', generation: 2, className: 'large' },
      told: ['machineObserved machine/a', 'machinesChanged machineSet/set'],
    },
    {
      name: 'the label force-deletion is signalled to the machine and its set',
      from: { owner: 'set' },
      to: { owner: 'set', labels: { 'force-deletion': 'T' } },
      told: ['machineObserved machine/a', 'machinesChanged machineSet/set'],
    },

    {
      name: 'a deletion is signalled to the machine and its set',
      from: { owner: 'set' },
      to: { owner: 'set', isDeleting: true },
      told: ['machineObserved machine/a', 'machinesChanged machineSet/set'],
    },

    {
      name: 'a failure is signalled to the set only',
      from: { owner: 'set', failure: 'no quota' },
      to: { owner: 'set', failure: 'no zone' },
      told: ['machinesChanged machineSet/set'],
    },

    {
      name: 'what an operator asks of its drain is signalled to itself',
      from: { owner: 'set', isDeleting: true },
      to: { owner: 'set', isDeleting: true, annotations: { 'millwright.dev/skip-drain': 'true' } },
      told: ['machineObserved machine/a'],
    },
    {
      name: 'nobody hears of that before there is a drain',
      from: { owner: 'set' },
      to: { owner: 'set', annotations: { 'millwright.dev/skip-drain': 'true' } },
      told: [],
    },
    {
      name: 'a hook in its deletion is signalled to itself',
      from: { owner: 'set', isDeleting: true },
      to: { owner: 'set', isDeleting: true, annotations: aHook },
      told: ['machineObserved machine/a'],
    },
    {
      name: 'the end of a hook is signalled to itself',
      from: { owner: 'set', isDeleting: true, annotations: aHook },
      to: { owner: 'set', isDeleting: true },
      told: ['machineObserved machine/a'],
    },
    {
      name: 'a hook of a machine that stays is no news',
      from: { owner: 'set' },
      to: { owner: 'set', annotations: aHook },
      told: [],
    },
  ])('$name', ({ from, to, told }) => {
    expect(
      toldOf(
        () => machine(from),
        () => machine(to),
      ),
    ).toEqual(told);
  });

  test('hooks are in the signals of a deletion alone', () => {
    machine({ owner: 'set', annotations: aHook });
    machine({ owner: 'set', annotations: aHook, generation: 2, className: 'large' });
    machine({ owner: 'set', annotations: aHook, isDeleting: true });
    machine({ owner: 'set', isDeleting: true });
    const payloads = cluster.signals().filter(({ name }) => name === 'machineObserved');
    const [annotation, owner] = Object.entries(aHook)[0] ?? [];
    expect(
      payloads.map(({ payload }) => Object.entries(payload).filter(([k]) => k === 'hooks')),
    ).toEqual([[], [], [['hooks', { instance: [{ annotation, owner }] }]], []]);
  });

  test('a Machine that vanished is signalled with its UID, and never starts a workflow', () => {
    machine({ owner: 'set' });
    cluster.signals();
    cluster.machines.remove(cluster.now(aMachine({ owner: 'set' })));
    const signals = cluster.signals();
    expect(signals.map(({ name }) => name)).toEqual(['machineGone', 'machinesChanged']);
    expect(signals[0]?.payload).toMatchObject({ uid: 'uid-a', resourceVersion: '102' });
    expect(signals.every(({ start }) => start === undefined)).toBe(true);
  });

  test.each<{ name: string; last: MachineLooks; told: string[] }>([
    {
      name: 'by the hand of its own workflow is signalled to its set only',
      last: { owner: 'set', isDeleting: true, hasFinalizer: true },
      told: ['machinesChanged machineSet/set'],
    },
    {
      name: 'without our finalizer is signalled to itself too',
      last: { owner: 'set', isDeleting: true },
      told: ['machineGone machine/a', 'machinesChanged machineSet/set'],
    },
  ])('a Machine that went $name', ({ last, told }) => {
    const gone = aMachine({ ...last, hasFinalizer: false });
    expect(
      toldOf(
        () => machine(last),
        () => cluster.machines.remove(cluster.now(gone)),
      ),
    ).toEqual(told);
  });

  test('with a new UID under its name is an end and a beginning', () => {
    const told = toldOf(
      () => machine({}),
      () => machine({ uid: 'other' }),
    );
    expect(told).toEqual(['machineGone machine/a', 'machineObserved machine/a']);
  });

  test('without an owner wakes every set that could claim it', () => {
    const told = toldOf(
      () => {
        machineSet({ name: 'red', selector: { colour: 'red' } });
        machineSet({ name: 'blue', selector: { colour: 'blue' } });
        machineSet({ name: 'all', selector: {} });
      },
      () => machine({ labels: { colour: 'red' } }),
    );
    expect(told).toEqual(['machineObserved machine/a', 'machinesChanged machineSet/red']);
  });

  test('with another controller wakes no set', () => {
    machineSet({ name: 'red', selector: { colour: 'red' } });
    cluster.told();
    const owned = aMachine({ owner: 'x', labels: { colour: 'red' } });
    const references = owned.metadata.ownerReferences?.map((ref) => ({ ...ref, kind: 'Job' }));
    const metadata = { ...owned.metadata, ...(references && { ownerReferences: references }) };
    cluster.machines.put(cluster.now({ ...owned, metadata }));
    expect(cluster.told()).toEqual(['machineObserved machine/a']);
  });

  test('whose Node is known gets nodeObserved once it has the label', () => {
    const told = toldOf(
      () => {
        node({ name: 'n' });
        machine({});
      },
      () => machine({ node: 'n' }),
    );
    expect(told).toEqual(['nodeObserved machine/a']);
  });
});

describe('a MachineSet', () => {
  test('starts its workflow and wakes its deployment', () => {
    machineSet({ owner: 'pool' });
    const [observed, changed] = cluster.signals();
    expect(observed).toMatchObject({
      name: 'machineSetObserved',
      payload: { uid: 'uid-a', generation: 1 },
      start: { summary: 'MachineSet default/a of MachineDeployment pool' },
    });
    expect(changed).toMatchObject({ kind: 'machineDeployment', name: 'machineSetsChanged' });
  });

  test.each<{ name: string; from: SetLooks; to: SetLooks; told: string[] }>([
    {
      name: 'its own counts are signalled to the deployment only',
      from: { owner: 'pool' },
      to: { owner: 'pool', replicas: 3 },
      told: ['machineSetsChanged machineDeployment/pool'],
    },
    {
      name: 'revisions and counts of the deployment are echoes',
      from: { owner: 'pool' },
      to: { owner: 'pool', annotations: { 'deployment.kubernetes.io/desired-replicas': '3' } },
      told: [],
    },
    {
      name: 'an annotation of ours is signalled',
      from: {},
      to: { annotations: { 'millwright.dev/pause': 'true' } },
      told: ['machineSetObserved machineSet/a'],
    },
    {
      name: 'a new generation is signalled to both',
      from: { owner: 'pool' },
      to: { owner: 'pool', generation: 2 },
      told: ['machineSetObserved machineSet/a', 'machineSetsChanged machineDeployment/pool'],
    },
    {
      name: 'that its deployment let it go is signalled to both',
      from: { owner: 'pool' },
      to: {},
      told: ['machineSetObserved machineSet/a', 'machineSetsChanged machineDeployment/pool'],
    },
  ])('$name', ({ from, to, told }) => {
    expect(
      toldOf(
        () => machineSet(from),
        () => machineSet(to),
      ),
    ).toEqual(told);
  });

  test('a MachineSet that vanished is signalled to its own workflow and to its deployment', () => {
    machineSet({ owner: 'pool' });
    cluster.told();
    cluster.machineSets.remove(cluster.now(aMachineSet({ owner: 'pool' })));
    expect(cluster.told()).toEqual([
      'machineSetGone machineSet/a',
      'machineSetsChanged machineDeployment/pool',
    ]);
  });

  test('without an owner wakes every deployment that could claim it', () => {
    const told = toldOf(
      () => deployment({ name: 'pool', selector: { name: 'pool' } }),
      () => machineSet({ labels: { name: 'pool' } }),
    );
    expect(told).toEqual([
      'machineSetObserved machineSet/a',
      'machineSetsChanged machineDeployment/pool',
    ]);
  });
});

describe('a MachineSet that is deleted with --cascade=orphan', () => {
  test('is signalled when the garbage collector has let its machines go', () => {
    const going = { isDeleting: true, generation: 2 };
    const told = toldOf(
      () => machineSet({ ...going, finalizers: [finalizers.machine, 'orphan'] }),
      () => machineSet({ ...going, finalizers: [finalizers.machine] }),
    );
    expect(told).toEqual(['machineSetObserved machineSet/a']);
  });
});

describe('a MachineDeployment', () => {
  test('is signalled when it is new, changed and gone', () => {
    deployment({});
    deployment({ generation: 2 });
    deployment({ generation: 2 });
    cluster.machineDeployments.remove(cluster.now(aMachineDeployment()));
    expect(cluster.told()).toEqual([
      'machineDeploymentObserved machineDeployment/a',
      'machineDeploymentObserved machineDeployment/a',
      'machineDeploymentGone machineDeployment/a',
    ]);
  });
});

describe('a class', () => {
  const inUse = { secret: 's', hasFinalizer: true };

  beforeEach(() => {
    machine({ name: 'waiting', phase: 'CrashLoopBackOff' });
    machine({ name: 'new' });
    machine({ name: 'running', phase: 'Running' });
    machine({ name: 'going', phase: 'Terminating' });
    machine({ name: 'other', className: 'large' });
    cluster.classes.put(cluster.now(aClass(inUse)));
    cluster.secrets.put(cluster.now(aSecret({ name: 's' })));
    cluster.told();
  });

  const toWaiting = [
    'classChanged machine/waiting',
    'classChanged machine/new',
    'classChanged machine/going',
  ];

  test('a class that is repaired is signalled to the machines that wait for it, also for their deletion', () => {
    cluster.classes.put(cluster.now(aClass({ ...inUse, size: 'huge' })));
    expect(machinesTold()).toEqual(toWaiting);
  });

  test('a class with another virtual capacity is signalled to the machines that run, too', () => {
    const toAll = [...toWaiting, 'classChanged machine/running'];
    cluster.classes.put(
      cluster.now(aClass({ ...inUse, virtualCapacity: { 'example.com/a': '1' } })),
    );
    expect(machinesTold().toSorted()).toEqual(toAll.toSorted());
    cluster.classes.put(cluster.now(aClass(inUse)));
    expect(machinesTold().toSorted()).toEqual(toAll.toSorted());
  });

  test('a class that only got our finalizer concerns no machine', () => {
    cluster.classes.put(cluster.now(aClass({ secret: 's' })));
    cluster.told();
    cluster.classes.put(cluster.now(aClass(inUse)));
    expect(machinesTold()).toEqual([]);
  });

  test('whose Secret changed is signalled', () => {
    cluster.secrets.put(cluster.now(aSecret({ name: 's' })));
    expect(machinesTold()).toEqual(toWaiting);
  });

  test('whose Secret only got our finalizer wakes no machine', () => {
    cluster.secrets.put(cluster.now(aSecret({ name: 's', hasSecretFinalizer: true })));
    expect(cluster.told()).toEqual([]);
  });

  test('whose Secret was replaced, and lost our finalizer with that, is signalled', () => {
    cluster.secrets.put(cluster.now(aSecret({ name: 's', hasSecretFinalizer: true })));
    cluster.told();
    cluster.secrets.put(cluster.now(aSecret({ name: 's' })));
    expect(machinesTold()).toEqual(toWaiting);
  });

  test('does not hear of the Secrets of others', () => {
    cluster.secrets.put(cluster.now(aSecret({ name: 'helm' })));
    expect(cluster.told()).toEqual([]);
  });
});
