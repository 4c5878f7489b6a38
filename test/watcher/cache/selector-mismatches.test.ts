/** Machines outside the selector of the set that controls them. */
import fc from 'fast-check';
import { Cluster } from '../cluster.ts';
import { aMachine, aMachineSet } from '../objects.ts';
import type { MachineLooks, SetLooks } from '../objects.ts';

let cluster: Cluster;

const machine = (looks: MachineLooks): void => cluster.machines.put(cluster.now(aMachine(looks)));
const machineSet = (looks: SetLooks): void =>
  cluster.machineSets.put(cluster.now(aMachineSet(looks)));

const own = { owner: 'red', labels: { colour: 'red' } };
const outside = { owner: 'red', labels: { colour: 'blue' } };

/** What the last call to look names. */
function unmatchedNames(): unknown {
  const looks = cluster.signals().filter(({ name }) => name === 'machinesChanged');
  const { payload = {} } = looks.at(-1) ?? {};
  return 'unmatched' in payload ? payload.unmatched : undefined;
}

beforeEach(() => {
  cluster = new Cluster();
  machineSet({ name: 'red', selector: { colour: 'red' } });
});

test('unmatched machines are named in each machinesChanged, until they fit, go or have another owner', () => {
  machine(own);
  expect(unmatchedNames()).toBeUndefined();
  machine(outside);
  machine({ ...outside, name: 'b' });
  expect(unmatchedNames()).toEqual(['a', 'b']);
  machine(own);
  expect(unmatchedNames()).toEqual(['b']);
  machine({ ...outside, name: 'b', isDeleting: true });
  expect(unmatchedNames()).toBeUndefined();
  machine(outside);
  machine({ labels: outside.labels });
  expect(unmatchedNames()).toBeUndefined();
});

test('unmatched machines are not named any more when they are gone', () => {
  machine(outside);
  cluster.machines.remove(cluster.now(aMachine(outside)));
  expect(unmatchedNames()).toBeUndefined();
});

test('unmatched machines are signalled when the selector changes, and when it fits again', () => {
  machine(own);
  cluster.told();
  machineSet({ name: 'red', selector: { colour: 'blue' }, generation: 2 });
  expect(unmatchedNames()).toEqual(['a']);
  machineSet({ name: 'red', selector: { colour: 'red' }, generation: 3 });
  expect(unmatchedNames()).toBeUndefined();
});

test('unmatched machines are known although they were seen before their set', () => {
  machine({ owner: 'late', name: 'early', labels: { colour: 'blue' } });
  machineSet({ name: 'late', selector: { colour: 'red' } });
  expect(cluster.store.mismatchesOf('late')).toEqual(['early']);
  cluster.machineSets.remove(cluster.now(aMachineSet({ name: 'late' })));
  expect(cluster.store.mismatchesOf('late')).toEqual([]);
});

test('there are no unmatched machines when the selector asks for nothing', () => {
  machineSet({ name: 'red', selector: {}, generation: 2 });
  machine(outside);
  expect(unmatchedNames()).toBeUndefined();
});

test('unmatched machines are named a hundred at a time', () => {
  for (let index = 0; index < 101; index += 1) machine({ ...outside, name: `m${index}` });
  expect(unmatchedNames()).toHaveLength(100);
});

/** A history of a few machines and of the selector of the set that may control them. */
const strayHistory = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('machine' as const),
      name: fc.constantFrom('a', 'b', 'c'),
      owner: fc.constantFrom('set', 'other'),
      colour: fc.constantFrom('red', 'blue'),
      isDeleting: fc.boolean(),
      isGone: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('set' as const), colour: fc.constantFrom('red', 'blue') }),
  ),
  { maxLength: 30 },
);

test('the index of unmatched machines finds the same as a scan of all', () => {
  fc.assert(
    fc.property(strayHistory, (events) => {
      cluster = new Cluster();
      let wanted: string | undefined;
      for (const [index, event] of events.entries()) {
        if (event.kind === 'set') {
          wanted = event.colour;
          const selector = { colour: event.colour };
          const set = aMachineSet({ name: 'set', selector, generation: index + 1 });
          cluster.machineSets.put(cluster.now(set));
        } else {
          const { isGone, colour, kind: _kind, ...looks } = event;
          const object = cluster.now(aMachine({ ...looks, labels: { colour } }));
          if (isGone) cluster.machines.remove(object);
          else cluster.machines.put(object);
        }
      }
      const scanned = [...cluster.store.all('machines')]
        .filter(({ owner, isDeleting }) => owner === 'set' && !isDeleting)
        .filter(({ labels }) => wanted !== undefined && labels['colour'] !== wanted);
      const names = scanned.map(({ name }) => name).toSorted();
      expect(cluster.store.mismatchesOf('set').toSorted()).toEqual(names);
    }),
  );
});
