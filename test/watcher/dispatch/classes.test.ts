import { Cluster } from '../cluster.ts';
import { aClass, aMachine, aMachineDeployment, aSecret } from '../objects.ts';

let cluster: Cluster;

beforeEach(() => {
  cluster = new Cluster();
});

const told = (): string[] => cluster.told().filter((line) => line.startsWith('classChanged'));

/** What the workflow of the class is told, in short. */
const judgements = (): string[] =>
  cluster
    .signals()
    .filter(({ kind, name }) => kind === 'machineClass' && name === 'classChanged')
    .map(({ object, payload, start }) => {
      const isEdited = 'isEdited' in payload;
      return `${object}${isEdited ? ' edited' : ''}${start ? '' : ', if it runs'}`;
    });

describe('a machine that is being deleted', () => {
  beforeEach(() => {
    cluster.classes.put(cluster.now(aClass({ secret: 'keys' })));
    cluster.secrets.put(cluster.now(aSecret({ name: 'keys' })));
    const going = { isDeleting: true, hasFinalizer: true, phase: 'Terminating' } as const;
    cluster.machines.put(cluster.now(aMachine({ name: 'going', ...going })));
    told();
  });

  test('hears of an edited class, because its deletion may have failed for that class', () => {
    cluster.classes.put(cluster.now(aClass({ secret: 'keys', size: 'huge' })));
    expect(told()).toContain('classChanged machine/going');
  });

  test('hears of an edited Secret, because its deletion may have failed for the credentials', () => {
    cluster.secrets.put(cluster.now(aSecret({ name: 'keys' })));
    expect(told()).toContain('classChanged machine/going');
  });

  test('hears that the class has no fault any more', () => {
    const annotations = { 'millwright.dev/invalid': 'the cloud refuses the credentials' };
    cluster.classes.put(cluster.now(aClass({ secret: 'keys', annotations })));
    told();
    cluster.classes.put(cluster.now(aClass({ secret: 'keys' })));
    expect(told()).toEqual(['classChanged machine/going']);
  });
});

describe('a class', () => {
  test('is validated when it is seen for the first time, when it is edited, and when it is gone', () => {
    cluster.classes.put(cluster.now(aClass({ name: 'new' })));
    expect(judgements()).toEqual(['new']);
    cluster.classes.put(cluster.now(aClass({ name: 'new', size: 'huge' })));
    expect(judgements()).toEqual(['new edited']);
    cluster.classes.remove(cluster.now(aClass({ name: 'new', size: 'huge' })));
    expect(judgements()).toEqual(['new edited, if it runs']);
  });

  test('is validated where it was made again and listed before the end of the first is heard of', () => {
    const before = cluster.now(aClass({ name: 'new', uid: 'uid-before' }));
    cluster.classes.put(cluster.now(aClass({ name: 'new' })));
    cluster.classes.remove(before);
    expect(judgements()).toEqual(['new']);
  });

  test('is validated when its Secret comes, changes and goes', () => {
    cluster.classes.put(cluster.now(aClass({ name: 'later', secret: 'late' })));
    told();
    cluster.secrets.put(cluster.now(aSecret({ name: 'late' })));
    expect(judgements()).toEqual(['later']);
    cluster.secrets.put(cluster.now(aSecret({ name: 'late' })));
    expect(judgements()).toEqual(['later edited']);
    cluster.secrets.remove(cluster.now(aSecret({ name: 'late' })));
    expect(judgements()).toEqual(['later edited']);
  });

  test('does not hear of a Secret of its own namespace that it names in another one', () => {
    cluster.classes.put(
      cluster.now(aClass({ name: 'foreign', secret: 'far', secretNamespace: 'garden' })),
    );
    told();
    cluster.secrets.put(cluster.now(aSecret({ name: 'far' })));
    expect(told()).toEqual([]);
  });

  test('is not validated because of the annotation that names its ignored keys', () => {
    cluster.classes.put(cluster.now(aClass({ name: 'typo' })));
    told();
    const annotations = { 'millwright.dev/ignored-keys': 'providerSpec.siz is no field' };
    cluster.classes.put(cluster.now(aClass({ name: 'typo', annotations })));
    expect(told()).toEqual([]);
  });

  test('is not validated because of the annotation that says what is wrong; machines hear when it goes', () => {
    const annotations = { 'millwright.dev/invalid': 'size is missing' };
    cluster.machines.put(cluster.now(aMachine({ name: 'running', phase: 'Running' })));
    cluster.machines.put(cluster.now(aMachine({ name: 'waiting' })));
    cluster.classes.put(cluster.now(aClass()));
    told();
    cluster.classes.put(cluster.now(aClass({ annotations })));
    expect(told()).toEqual([]);
    cluster.classes.put(cluster.now(aClass()));
    expect(told()).toEqual(['classChanged machine/waiting']);
  });
});

const toPools = (): string[] =>
  cluster
    .signals()
    .filter(({ kind }) => kind === 'machineDeployment')
    .map(({ object, name }) => `${name} ${object}`);

describe('what a class says of new Nodes', () => {
  const annotations = { 'millwright.dev/scale-from-zero': 'true' };
  test('concerns the pools that pass it on, and only when it changes', () => {
    const pools = [
      aMachineDeployment({ name: 'asks', className: 'small', annotations }),
      aMachineDeployment({ name: 'silent', className: 'small' }),
      aMachineDeployment({ name: 'other', className: 'large', annotations }),
    ];
    for (const pool of pools) cluster.machineDeployments.put(cluster.now(pool));
    toPools();
    cluster.classes.put(cluster.now(aClass({ virtualCapacity: { gpu: '1' } })));
    expect(toPools()).toEqual(['machineSetsChanged asks']);
    cluster.classes.put(cluster.now(aClass({ virtualCapacity: { gpu: '1' }, size: 'huge' })));
    expect(toPools()).toEqual([]);
  });
});

const putAsking = (annotations: Record<string, string>): void =>
  cluster.classes.put(cluster.now(aClass({ name: 'asking', secret: 'keys', annotations })));

describe('a class that asks for user data', () => {
  const notes = {
    'millwright.dev/user-data': 'ConfigMap/mine',
    'millwright.dev/user-data-config': 'pool',
  };
  beforeEach(() => {
    putAsking(notes);
    const machine = { className: 'asking' } as const;
    cluster.machines.put(
      cluster.now(aMachine({ name: 'waits', phase: 'CrashLoopBackOff', ...machine })),
    );
    cluster.machines.put(cluster.now(aMachine({ name: 'runs', phase: 'Running', ...machine })));
    told();
  });

  test.each(['mine', 'pool'])(
    'is validated when its ConfigMap "%s" comes, changes and goes',
    (name) => {
      const woken = ['classChanged machine/waits', 'classChanged machineClass/asking'];
      cluster.configMaps.put(cluster.now(aSecret({ name })));
      expect(told().toSorted()).toEqual(woken);
      cluster.configMaps.put(cluster.now(aSecret({ name })));
      expect(cluster.signals().some(({ payload }) => 'isEdited' in payload)).toBe(false);
      cluster.configMaps.remove(cluster.now(aSecret({ name })));
      expect(told()).toEqual(['classChanged machineClass/asking']);
    },
  );

  test('does not hear of other ConfigMaps, nor of Secrets while nothing is wrong with it', () => {
    cluster.configMaps.put(cluster.now(aSecret({ name: 'theirs' })));
    cluster.secrets.put(cluster.now(aSecret({ name: 'theirs' })));
    expect(told()).toEqual([]);
  });

  test('hears of each Secret while something is wrong with it: its config may name it', () => {
    putAsking({
      ...notes,
      'millwright.dev/invalid': 'config.yaml: files[0].secret: Secret "a" is not there',
    });
    told();
    cluster.secrets.put(cluster.now(aSecret({ name: 'a' })));
    expect(told().toSorted()).toEqual([
      'classChanged machine/waits',
      'classChanged machineClass/asking',
    ]);
  });

  test('is validated when it asks in another way', () => {
    putAsking({ ...notes, 'millwright.dev/user-data': 'ubuntu-24.04' });
    expect(judgements()).toEqual(['asking edited']);
  });
});
