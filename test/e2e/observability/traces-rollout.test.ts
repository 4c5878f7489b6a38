/**
 * A rollout is one trace, and what it starts links to it, also a drain that is blocked for a
 * while.
 */
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  deleteDeployment,
  machinesOf,
  untilRunning,
} from '../support/machines.ts';
import { changeClass, createClass, untilComplete } from '../support/rollouts.ts';
import { useScenario } from '../support/scenario.ts';
import { first, useTraces } from '../support/traces.ts';
import { Workloads } from '../support/workloads.ts';

const traces = useTraces();
const { env, expectShape, operation, traceOf } = traces;

describe('with --traces=otlp', () => {
  const scenario = useScenario('rolled-traced', {
    flags: ['--traces=otlp'],
    env,
    isDoubled: false,
  });
  const { cluster } = scenario;
  const workloads = new Workloads(scenario);

  test('a rollout is one trace; launch and removal, blocked for a while, link to it', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 1, minReadySeconds: 0 });
    const [old] = await untilRunning(scenario, pool, 1);
    const oldName = old?.metadata.name ?? '';
    await untilComplete(scenario, pool);
    const creation = await operation('rollout MachineDeployment', {
      'millwright.machine_deployment': pool,
    });
    await workloads.start({ app: 'guarded', nodeName: oldName, tolerates: 'dedicated' });
    await workloads.guard('guarded-0', { app: 'guarded', maxUnavailable: 0 });
    await changeClass(scenario, pool, await createClass(scenario, 'second'));
    await eventually('the drain is blocked', async () => {
      const { drainNode } = await scenario.workflows.pendingFailures('machine', oldName);
      expect(drainNode).toContain('PodDisruptionBudget');
    });
    await cluster.delete(workloads.budgets('guarded-0'));
    const [young] = await eventually('only the new machine is left', async () => {
      const machines = await machinesOf(scenario, pool);
      expect(machines).toHaveLength(1);
      expect(machines[0]?.metadata.name).not.toBe(oldName);
      return machines;
    });
    await untilComplete(scenario, pool);
    const rollout = await eventually('the second rollout has arrived', async () => {
      const all = traces.receiver.spans.filter(({ name }) => name === 'rollout MachineDeployment');
      return first(all.filter(({ traceId }) => traceId !== creation.traceId));
    });
    const root = await expectShape(rollout, 'machineDeploymentObserved');
    expect(rollout.events.join('\n')).toMatch(/createSet.*\n(.*\n)*.*scaleSet/);
    const youngName = young?.metadata.name ?? '';
    const launch = await operation('launch Machine', { 'millwright.machine': youngName });
    const removal = await operation('removal Machine', { 'millwright.machine': oldName });
    const link = { traceId: root.traceId, spanId: root.spanId };
    expect(launch.links).toEqual([link]);
    expect(removal.links).toEqual([link]);
    // The failed attempts of the drain are told apart.
    await eventually('the attempts of the drain have arrived', () => {
      const drains = traceOf(removal).filter(({ name }) => name === 'drainNode');
      expect(drains.length).toBeGreaterThan(1);
      expect(drains[0]).toMatchObject({ status: 2 });
      expect(drains.at(-1)).toMatchObject({ status: 0 });
    });
    await deleteDeployment(scenario, pool);
  });
});
