/** Machines whose Node falls ill, gets well again, or is deleted. */
import { node } from '../../../kube/client/paths.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  machinesOf,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { setReady } from '../support/node-health.ts';
import { useScenario } from '../support/scenario.ts';

describe('the health of a machine', () => {
  const scenario = useScenario('health', { isDoubled: true });
  const { cluster, workflows } = scenario;

  /** Replicas whose health timeout is a few seconds. Returns their names. */
  async function pool(name: string, replicas: number, healthTimeout = '4s') {
    const deployment = await createDeployment(scenario, name, {
      replicas,
      template: {
        metadata: { labels: { name: scenario.named(name).name } },
        spec: { class: { kind: 'MachineClass', name: 'small' }, healthTimeout },
      },
    });
    const machines = await untilRunning(scenario, deployment, replicas);
    return { deployment, names: machines.map(({ metadata }) => metadata.name) };
  }

  test('follows its Node: Unknown and Running again, and each change is an Event', async () => {
    const name = await createMachine(scenario, 'sick');
    await untilPhase(scenario, name, 'Running');
    await setReady(scenario, name, false);
    const sick = await untilPhase(scenario, name, 'Unknown');
    expect(sick.status?.lastOperation).toMatchObject({
      description: expect.stringContaining('changing MachinePhase to Unknown'),
      state: 'Processing',
      type: 'HealthCheck',
    });
    await eventually('its page says what is wrong', async () => {
      expect((await workflows.pageOf('machine', name)).details).toContain('Ready is False');
    });
    await setReady(scenario, name, true);
    const well = await untilPhase(scenario, name, 'Running');
    expect(well.status?.lastOperation).toMatchObject({
      description: `Machine ${name} successfully re-joined the cluster`,
      state: 'Successful',
    });
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'Unhealthy' });
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'Healthy' });
    await deleteMachine(scenario, name);
  });

  test('two of four that stay ill are replaced', async () => {
    const { deployment, names } = await pool('ill', 4);
    const ill = names.slice(0, 2);
    for (const name of ill) await setReady(scenario, name, false);
    await eventually('both are gone', async () => {
      const left = (await machinesOf(scenario, deployment)).map(({ metadata }) => metadata.name);
      expect(left.filter((name) => ill.includes(name))).toEqual([]);
    });
    await untilRunning(scenario, deployment, 4);
    const { metadata } = await cluster.deployment(deployment);
    expect(ill).toContain(metadata.annotations?.['millwright.dev/replacing']);
    await deleteDeployment(scenario, deployment);
  });

  test('three of four at once look like an outage: nobody is Failed, and all come back', async () => {
    const { deployment, names } = await pool('outage', 4, '20s');
    const silent = names.slice(0, 3);
    // All are Unknown before the first one's time is over: two alone would be replaced.
    await Promise.all(silent.map((name) => setReady(scenario, name, false)));
    for (const name of silent) {
      await eventually(`${name} waits, and says why`, async () => {
        const { details } = await workflows.pageOf('machine', name);
        expect(details).toContain('3 of 4 machines are Unknown at once');
      });
    }
    for (const name of silent) await setReady(scenario, name, true);
    const machines = await untilRunning(scenario, deployment, 4);
    expect(machines.map(({ metadata }) => metadata.name).toSorted()).toEqual(names.toSorted());
    await deleteDeployment(scenario, deployment);
  });

  test('a Node that is deleted by hand takes its machine with it', async () => {
    const { deployment, names } = await pool('handmade', 2, '10m');
    const [name = '', other] = names;
    await cluster.delete(node(name));
    await untilGone(scenario, cluster.pathOf('machines', name));
    const machines = await untilRunning(scenario, deployment, 2);
    expect(machines.map(({ metadata }) => metadata.name)).toContain(other);
    await deleteDeployment(scenario, deployment);
  });
});
