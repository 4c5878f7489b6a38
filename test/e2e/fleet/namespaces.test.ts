/** Operators side by side, and one without a target cluster. */
import {
  createDeployment,
  createMachine,
  deleteMachine,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

describe('two namespaces with an operator each', () => {
  const one = useScenario('left');
  const other = useScenario('right');

  test('do not touch what is the other’s', async () => {
    const [left, right] = await Promise.all([
      createDeployment(one, 'pool', { replicas: 3 }),
      createDeployment(other, 'pool', { replicas: 4 }),
    ]);
    await Promise.all([untilRunning(one, left, 3), untilRunning(other, right, 4)]);
    await one.cluster.delete(one.cluster.pathOf('machinedeployments', left));
    await other.cluster.scale(right, 5);
    await untilRunning(other, right, 5);
    const { createsPerName } = await other.cloud.calls();
    expect(Object.keys(createsPerName)).toHaveLength(5);
  });
});

describe('an operator without a target cluster', () => {
  const scenario = useScenario('no-target', { target: 'none' });

  test('makes its machines Available, and deletes them without a drain', async () => {
    // The cloud has a cluster all the same: a Node in it would be nobody's.
    await scenario.cloud.addFault({ kind: 'neverJoin' });
    const name = await createMachine(scenario, 'nodeless');
    const machine = await untilPhase(scenario, name, 'Available');
    expect(machine.status?.lastOperation).toMatchObject({
      description: expect.stringMatching(/^Instance \S+ was created$/),
      state: 'Successful',
      type: 'Create',
    });
    expect(machine.spec.providerID).toMatch(/^local:/);
    expect(machine.metadata.labels).not.toHaveProperty('node');
    await deleteMachine(scenario, name);
  });
});
