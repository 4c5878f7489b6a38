/**
 * Machines that are kept for a look at them: by a word on the Machine or its Node, or because their
 * set may keep some.
 */
import { describe, expect, test } from 'vitest';
import { annotations } from '../../workflows/api/constants.ts';
import { untilEvent } from './support/events.ts';
import { eventually } from './support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  machinesOf,
  untilGone,
  untilPhase,
  untilRunning,
} from './support/machines.ts';
import { setReady } from './support/node-health.ts';
import {
  annotateMachine,
  annotateNode,
  expiryOf,
  setExpiry,
  untilNotPreserved,
  untilPreserved,
} from './support/preservation.ts';
import { useScenario } from './support/scenario.ts';
import { Workloads } from './support/workloads.ts';

describe('preservation', () => {
  const scenario = useScenario('preserve', { isDoubled: false });
  const { cluster, namespace, workflows } = scenario;
  const workloads = new Workloads(scenario);

  interface Pool {
    replicas: number;
    preserveTimeout?: string;
    most?: number;
  }

  /** Machines that are Failed a few seconds after their Node fell ill. */
  async function pool(name: string, { replicas, preserveTimeout = '10m', most = 0 }: Pool) {
    const deployment = await createDeployment(scenario, name, {
      replicas,
      autoPreserveFailedMachineMax: most,
      template: {
        metadata: { labels: { name: scenario.named(name).name } },
        spec: {
          class: { kind: 'MachineClass', name: 'small' },
          healthTimeout: '3s',
          machinePreserveTimeout: preserveTimeout,
        },
      },
    });
    const machines = await untilRunning(scenario, deployment, replicas);
    return { deployment, names: machines.map(({ metadata }) => metadata.name) };
  }

  async function namesOf(deployment: string): Promise<string[]> {
    return (await machinesOf(scenario, deployment)).map(({ metadata }) => metadata.name);
  }

  test('now: a Running machine is kept until somebody says otherwise', async () => {
    const spec = { machinePreserveTimeout: '10m' };
    const name = await createMachine(scenario, 'now', spec);
    await untilPhase(scenario, name, 'Running');
    await annotateMachine(scenario, name, 'now');
    const machine = await untilPreserved(scenario, name, {
      isTainted: false,
      status: 'True',
      reason: 'Preserved by user.',
      message: expect.stringMatching(/^Machine preserved until .*Z\.$/),
    });
    expect(Math.abs((expiryOf(machine) ?? 0) - Date.now() - 600_000)).toBeLessThan(30_000);
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

  test('an operator who moves the expiry is followed, to the second; a value that nobody knows is said', async () => {
    const name = await createMachine(scenario, 'edited');
    await untilPhase(scenario, name, 'Running');
    await annotateMachine(scenario, name, 'always');
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'InvalidPreserveValue' });
    await annotateMachine(scenario, name, 'now');
    await untilPreserved(scenario, name);
    const end = Date.now() + 5_000;
    await setExpiry(scenario, name, end);
    await untilNotPreserved(scenario, name);
    expect(Date.now()).toBeGreaterThan(end - 1_000);
    expect(Date.now()).toBeLessThan(end + 5_000);
    const { metadata } = await cluster.machine(name);
    expect(metadata.annotations?.[annotations.preserve]).toBeUndefined();
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'PreservationExpired' });
    await deleteMachine(scenario, name);
  });

  test('when-failed on the Node: no replacement, tainted and drained; it gets well and goes on', async () => {
    const { deployment, names } = await pool('kept', { replicas: 2 });
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
    expect((await namesOf(deployment)).toSorted()).toEqual(names.toSorted());
    await setReady(scenario, name, true);
    await untilPhase(scenario, name, 'Running');
    await untilNotPreserved(scenario, name);
    expect((await namesOf(deployment)).toSorted()).toEqual(names.toSorted());
    await workloads.end('kept');
    await deleteDeployment(scenario, deployment);
  });

  test('a set keeps one of two on its own, and lets it go when it may keep none', async () => {
    const { deployment, names } = await pool('auto', { replicas: 3, most: 1 });
    const ill = names.slice(0, 2);
    for (const name of ill) await setReady(scenario, name, false);
    const kept = await eventually('one is kept, the other replaced', async () => {
      const present = await namesOf(deployment);
      const left = ill.filter((name) => present.includes(name));
      expect(left).toHaveLength(1);
      expect(present).toHaveLength(3);
      return left[0] ?? '';
    });
    await untilPreserved(scenario, kept, { isTainted: true, reason: 'Preserved by MCM.' });
    const sets = await cluster.sets();
    expect(
      sets.find(({ metadata }) => metadata.name.startsWith(`${deployment}-`))?.status,
    ).toMatchObject({
      autoPreserveFailedMachineCount: 1,
      preservedFailedReplicas: 1,
    });
    const spec = { autoPreserveFailedMachineMax: 0 };
    await cluster.patch('machinedeployments', deployment, { spec });
    await untilRunning(scenario, deployment, 3);
    expect(await namesOf(deployment)).not.toContain(kept);
    await deleteDeployment(scenario, deployment);
  });

  test('its time is over, also while the worker was away: deleted, replaced, and not preserved once more', async () => {
    const { deployment, names } = await pool('over', {
      replicas: 1,
      preserveTimeout: '12s',
      most: 1,
    });
    const [name = ''] = names;
    await annotateMachine(scenario, name, 'when-failed');
    await setReady(scenario, name, false);
    const machine = await untilPreserved(scenario, name, { isTainted: true });
    await scenario.operator.kill9('worker');
    await untilGone(scenario, cluster.pathOf('machines', name));
    expect(Date.now()).toBeGreaterThan(expiryOf(machine) ?? Infinity);
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'PreservationExpired' });
    await untilRunning(scenario, deployment, 1);
    await deleteDeployment(scenario, deployment);
  });

  test('a rollout goes on, and takes it last', async () => {
    const { deployment, names } = await pool('rolled', { replicas: 3 });
    const [name = ''] = names;
    await annotateMachine(scenario, name, 'when-failed');
    await setReady(scenario, name, false);
    await untilPreserved(scenario, name, { isTainted: true });
    const template = { metadata: { annotations: { rolled: 'once' } } };
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    const spec = { strategy: { type: 'RollingUpdate', rollingUpdate }, template };
    await cluster.patch('machinedeployments', deployment, { spec });
    await eventually('all are new and Running', async () => {
      const present = await machinesOf(scenario, deployment);
      expect(present.filter(({ metadata }) => names.includes(metadata.name))).toEqual([]);
    });
    await untilRunning(scenario, deployment, 3);
    await deleteDeployment(scenario, deployment);
  });

  test('false: a set leaves it alone, and it is replaced', async () => {
    const { deployment, names } = await pool('refused', { replicas: 1, most: 1 });
    const [name = ''] = names;
    await annotateMachine(scenario, name, 'false');
    await setReady(scenario, name, false);
    await untilGone(scenario, cluster.pathOf('machines', name));
    const [other] = await untilRunning(scenario, deployment, 1);
    expect(other?.metadata.name).not.toBe(name);
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
