/**
 * How preservation ends: by its time, also while the worker was away, or with its machine; and what
 * a set keeps on its own.
 */
import { annotations } from '../../../workflows/api/constants.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createMachine,
  deleteDeployment,
  deleteMachine,
  machinesOf,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { setReady } from '../support/node-health.ts';
import {
  annotateMachine,
  createPool,
  expiryOf,
  namesOf,
  setExpiry,
  untilNotPreserved,
  untilPreserved,
} from '../support/preservation.ts';
import { useScenario } from '../support/scenario.ts';

describe('preservation', () => {
  const scenario = useScenario('preserve-ends', { isDoubled: false });
  const { cluster } = scenario;

  test('an operator who moves the expiry is followed, to the second; a value that nobody knows is said', async () => {
    const name = await createMachine(scenario, 'edited');
    await untilPhase(scenario, name, 'Running');
    await annotateMachine(scenario, name, 'always');
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'InvalidPreserveValue' });
    await annotateMachine(scenario, name, 'now');
    const machine = await untilPreserved(scenario, name);
    const end = Date.now() + 5_000;
    await setExpiry(scenario, name, end);
    await untilNotPreserved(scenario, name);
    expect(Date.now()).toBeGreaterThan(end - 1_000);
    // The end that it had at first.
    expect(Date.now()).toBeLessThan(expiryOf(machine) ?? 0);
    const { metadata } = await cluster.machine(name);
    expect(metadata.annotations?.[annotations.preserve]).toBeUndefined();
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'PreservationExpired' });
    await deleteMachine(scenario, name);
  });

  test('its time is over, also while the worker was away: deleted, replaced, and not preserved once more', async () => {
    const { deployment, names } = await createPool(scenario, 'over', {
      replicas: 1,
      preserveTimeout: '30s',
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
    const { deployment, names } = await createPool(scenario, 'rolled', { replicas: 3 });
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
    const { deployment, names } = await createPool(scenario, 'refused', { replicas: 1, most: 1 });
    const [name = ''] = names;
    await annotateMachine(scenario, name, 'false');
    await setReady(scenario, name, false);
    await untilGone(scenario, cluster.pathOf('machines', name));
    const [other] = await untilRunning(scenario, deployment, 1);
    expect(other?.metadata.name).not.toBe(name);
    await deleteDeployment(scenario, deployment);
  });

  test('a set keeps one of two on its own, and lets it go when it may keep none', async () => {
    const { deployment, names } = await createPool(scenario, 'auto', { replicas: 3, most: 1 });
    const ill = names.slice(0, 2);
    for (const name of ill) await setReady(scenario, name, false);
    const kept = await eventually('one is kept, the other replaced', async () => {
      const present = await namesOf(scenario, deployment);
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
    expect(await namesOf(scenario, deployment)).not.toContain(kept);
    await deleteDeployment(scenario, deployment);
  });
});
