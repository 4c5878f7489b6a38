/**
 * Machines that an annotation on the Machine or its Node preserves. `preservation-ends` has those
 * that a MachineSet preserves on its own, by night.
 */
import { annotations } from '../../../workflows/api/constants.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createMachine,
  deleteDeployment,
  deleteMachine,
  untilGone,
  untilPhase,
} from '../support/machines.ts';
import { setReady } from '../support/node-health.ts';
import {
  annotateMachine,
  annotateNode,
  createPool,
  expiryOf,
  namesOf,
  untilNotPreserved,
  untilPreserved,
} from '../support/preservation.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

describe('preservation', () => {
  const scenario = useScenario('preserve', { isDoubled: false });
  const { cluster, namespace, workflows } = scenario;
  const workloads = new Workloads(scenario);

  test('now: a Running machine is kept until somebody says otherwise', async () => {
    const spec = { machinePreserveTimeout: '10m' };
    const name = await createMachine(scenario, 'now', spec);
    await untilPhase(scenario, name, 'Running');
    const before = Date.now();
    await annotateMachine(scenario, name, 'now');
    const machine = await untilPreserved(scenario, name, {
      isTainted: false,
      status: 'True',
      reason: 'Preserved by user.',
      message: expect.stringMatching(/^Machine preserved until .*Z\.$/),
    });
    const expiry = expiryOf(machine);
    expect(expiry).toBeGreaterThan(before + 599_000);
    // In whole seconds, rounded up.
    expect(expiry).toBeLessThanOrEqual(Date.now() + 601_000);
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'Preserved' });
    await eventually('its page and the search say until when', async () => {
      expect((await workflows.pageOf('machine', name)).details).toContain('**Preserved until**');
      const query = `State="Running" and Deadline > "${new Date().toISOString()}"`;
      expect(await workflows.running(query)).toContain(`machine/${namespace}/${name}`);
    });
    await eventually('the Machine has the condition of its Node', async () => {
      const { status } = await cluster.machine(name);
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Preserved' }));
    });
    await annotateMachine(scenario, name, 'false');
    await untilNotPreserved(scenario, name);
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'PreservationStopped' });
    await deleteMachine(scenario, name);
  });

  test('when-failed on the Node: no replacement, tainted and drained; it gets well and goes on', async () => {
    const { deployment, names } = await createPool(scenario, 'kept', { replicas: 2 });
    const [name = ''] = names;
    await workloads.start({ app: 'kept', nodeName: name, replicas: 3 });
    await annotateNode(scenario, name, 'when-failed');
    await eventually('the Machine has a copy', async () => {
      const { metadata } = await cluster.machine(name);
      expect(metadata.annotations?.[annotations.lastAppliedPreserve]).toBe('when-failed');
    });
    await setReady(scenario, name, false);
    await untilPhase(scenario, name, 'Failed');
    await untilPreserved(scenario, name, {
      isTainted: true,
      status: 'True',
      reason: 'Preserved by user.',
      message: expect.stringContaining('Preserved node drained successfully.'),
    });
    expect(await workloads.podsOn(name, 'kept')).toEqual([]);
    await eventually('set and deployment count it', async () => {
      const { status } = await cluster.deployment(deployment);
      expect(status).toMatchObject({ replicas: 2, preservedFailedReplicas: 1 });
    });
    expect((await namesOf(scenario, deployment)).toSorted()).toEqual(names.toSorted());
    await setReady(scenario, name, true);
    await untilPhase(scenario, name, 'Running');
    await untilNotPreserved(scenario, name);
    expect((await namesOf(scenario, deployment)).toSorted()).toEqual(names.toSorted());
    await workloads.end('kept');
    await deleteDeployment(scenario, deployment);
  });

  test('a deletion ends it at any moment, also in the middle of its drain', async () => {
    const name = await createMachine(scenario, 'deleted', { healthTimeout: '3s' });
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'stays', nodeName: name });
    await workloads.guard('stays', { app: 'stays', maxUnavailable: 0 });
    await annotateMachine(scenario, name, 'when-failed');
    await setReady(scenario, name, false);
    await untilPreserved(scenario, name, { isTainted: true });
    await eventually('the search says that its drain is blocked', async () => {
      const blocked = await workflows.running('State="DrainBlocked"');
      expect(blocked).toContain(`machine/${namespace}/${name}`);
    });
    await cluster.delete(cluster.pathOf('machines', name));
    const going = await untilPhase(scenario, name, 'Terminating');
    expect(expiryOf(going)).toBeUndefined();
    await cluster.delete(workloads.budgets('stays'));
    await untilGone(scenario, cluster.pathOf('machines', name));
    await workloads.end('stays');
  });
});
