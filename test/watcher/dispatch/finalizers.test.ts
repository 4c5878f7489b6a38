import { Cluster } from '../cluster.ts';
import { aClass, aMachine, aSecret } from '../objects.ts';
import type { MachineLooks } from '../objects.ts';

let cluster: Cluster;

beforeEach(() => {
  cluster = new Cluster();
});

const machine = (looks: MachineLooks): void => cluster.machines.put(cluster.now(aMachine(looks)));

const putClass = (looks: Parameters<typeof aClass>[0]): void =>
  cluster.classes.put(cluster.now(aClass(looks)));

/** Since the last look. */
const useTold = (): string[] => cluster.told().filter((told) => told.startsWith('useChanged'));

describe('the use of a class', () => {
  test('is signalled with its first machine', () => {
    putClass({});
    expect(useTold()).toEqual([]);
    machine({});
    expect(useTold()).toEqual(['useChanged machineClass/small']);
  });

  test('is signalled for a machine that came before its class', () => {
    machine({});
    expect(useTold()).toEqual([]);
    putClass({});
    expect(useTold()).toEqual(['useChanged machineClass/small']);
  });

  test('is signalled with the end of its last machine only', () => {
    putClass({ hasFinalizer: true });
    machine({});
    machine({ name: 'b' });
    cluster.told();
    cluster.machines.remove(cluster.now(aMachine({})));
    expect(useTold()).toEqual([]);
    cluster.machines.remove(cluster.now(aMachine({ name: 'b' })));
    expect(useTold()).toEqual(['useChanged machineClass/small']);
  });

  test('is signalled for the class that its last machine left, and for the one that it came to', () => {
    for (const name of ['small', 'large']) putClass({ name });
    machine({ className: 'small' });
    putClass({ name: 'small', hasFinalizer: true });
    cluster.told();
    machine({ className: 'large' });
    expect(useTold().toSorted()).toEqual([
      'useChanged machineClass/large',
      'useChanged machineClass/small',
    ]);
  });

  test('is signalled for a Secret when a class names it and when none does any more', () => {
    cluster.secrets.put(cluster.now(aSecret({ name: 's' })));
    putClass({ secret: 's' });
    expect(useTold()).toEqual(['useChanged secret/s']);
    cluster.secrets.put(cluster.now(aSecret({ name: 's', hasSecretFinalizer: true })));
    putClass({});
    expect(useTold()).toEqual(['useChanged secret/s']);
  });

  test('is signalled once when the deletion of a class begins to wait for it', () => {
    putClass({ hasFinalizer: true });
    machine({});
    cluster.told();
    putClass({ hasFinalizer: true, isDeleting: true });
    expect(useTold()).toEqual(['useChanged machineClass/small']);
    putClass({ hasFinalizer: true, isDeleting: true, size: 'other' });
    expect(useTold()).toEqual([]);
  });

  test('is signalled once when the deletion of a Secret begins to wait for it', () => {
    const secret = { name: 's', hasSecretFinalizer: true };
    cluster.secrets.put(cluster.now(aSecret(secret)));
    putClass({ secret: 's' });
    cluster.told();
    cluster.secrets.put(cluster.now(aSecret({ ...secret, isDeleting: true })));
    expect(useTold()).toEqual(['useChanged secret/s']);
    cluster.secrets.put(cluster.now(aSecret({ ...secret, isDeleting: true })));
    expect(useTold()).toEqual([]);
  });

  test('is not over for a Secret when a class names it in another namespace by mistake', () => {
    putClass({ secret: 's' });
    cluster.secrets.put(cluster.now(aSecret({ name: 's', hasSecretFinalizer: true })));
    cluster.told();
    putClass({ secret: 's', secretNamespace: 'kube-system' });
    expect(useTold()).toEqual([]);
    putClass({});
    expect(useTold()).toEqual(['useChanged secret/s']);
  });
});
