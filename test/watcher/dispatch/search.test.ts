import { Cluster } from '../cluster.ts';
import { aMachine, aMachineSet } from '../objects.ts';

test('a machine is found by the MachineDeployment of its set', () => {
  const cluster = new Cluster();
  cluster.machineSets.put(cluster.now(aMachineSet({ owner: 'pool' })));
  cluster.signals();
  cluster.machines.put(cluster.now(aMachine({ owner: 'a' })));
  expect(cluster.signals()[0]).toMatchObject({
    kind: 'machine',
    start: { machineSet: 'a', machineDeployment: 'pool' },
  });
});
