import { miscountSignals, vanishedNodeSignals } from '../../watcher/resync.ts';
import { Cluster } from './cluster.ts';
import { aMachine, aMachineSet, aNode } from './objects.ts';

test('machines whose Node vanished are signalled, those whose Node never joined are not', () => {
  const cluster = new Cluster();
  cluster.nodes.put(aNode({ name: 'there' }));
  cluster.machines.put(aMachine({ name: 'well', node: 'there', phase: 'Running' }));
  cluster.machines.put(aMachine({ name: 'bereft', node: 'lost', phase: 'Running' }));
  cluster.machines.put(aMachine({ name: 'joining', node: 'coming', phase: 'Pending' }));
  cluster.machines.put(aMachine({ name: 'bare' }));
  expect(vanishedNodeSignals(cluster.scene, '500')).toMatchObject([
    { object: 'bereft', payload: { name: 'lost', exists: false, resourceVersion: '500' } },
  ]);
});

test('a set that must let a machine go is signalled, although its count is right', () => {
  const cluster = new Cluster();
  cluster.machineSets.put(aMachineSet({ name: 'red', selector: { colour: 'red' }, replicas: 1 }));
  cluster.machines.put(aMachine({ owner: 'red' }));
  expect(miscountSignals(cluster.scene, '500')).toMatchObject([
    { object: 'red', payload: { unmatched: ['a'] } },
  ]);
});

test('sets that count other machines than there are, or wait for their last one, are signalled', () => {
  const cluster = new Cluster();
  cluster.machineSets.put(aMachineSet({ name: 'right', replicas: 1 }));
  cluster.machineSets.put(aMachineSet({ name: 'wrong', replicas: 2 }));
  cluster.machineSets.put(aMachineSet({ name: 'going', isDeleting: true }));
  cluster.machines.put(aMachine({ name: 'a', owner: 'right' }));
  cluster.machines.put(aMachine({ name: 'b', owner: 'wrong' }));
  const told = miscountSignals(cluster.scene, '500').map(({ object }) => object);
  expect(told).toEqual(['wrong', 'going']);
});
