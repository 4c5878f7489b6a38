/** Drains that something is in the way of: what people see, and how they go on. */
import { namespaced } from '../../../kube/client/paths.ts';
import {
  attemptsOf,
  untilDrainAddsNoEvent,
  untilDrainFailureSays,
} from '../support/drain-attempts.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

interface EventList {
  items: { reason: string; message: string; involvedObject: { kind: string; name: string } }[];
}

describe('a blocked drain', () => {
  const scenario = useScenario('blocked', {
    isDoubled: false,
    workerFlags: ['--machine-pv-detach-timeout=20s', '--machine-pv-reattach-timeout=3s'],
  });
  const { cluster, namespace, workflows } = scenario;
  const workloads = new Workloads(scenario);

  const pathOf = (name: string): string => cluster.pathOf('machines', name);

  async function untilBlockedBy(name: string, what: string): Promise<void> {
    await eventually(`the search says that ${what} blocks ${name}`, async () => {
      const query = `State="DrainBlocked" and Attention="external" and BlockedBy="${what}"`;
      expect(await workflows.running(query)).toContain(`machine/${namespace}/${name}`);
    });
  }

  test('is seen in search, page, query and Events, adds nothing to the history, and survives a kill', async () => {
    const name = await createMachine(scenario, 'seen');
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'web', nodeName: name, replicas: 30 });
    await workloads.guard('web', { app: 'web', minAvailable: 28 });
    await cluster.delete(pathOf(name));
    const budget = `PodDisruptionBudget/${namespace}/web`;
    await untilBlockedBy(name, budget);
    await untilDrainFailureSays(scenario, name, `PodDisruptionBudget ${namespace}/web`);
    await eventually('its page says what blocks it', async () => {
      const { details } = await workflows.pageOf('machine', name);
      expect(details).toContain(`blocked by \`${budget}\``);
    });
    expect(await workflows.handleOf('machine', name).query('drain')).toMatchObject({
      isBlocked: true,
    });
    await eventually('Machine and budget carry an Event', async () => {
      const { items } = await cluster.kube.get<EventList>(namespaced('events', namespace));
      const told = items.filter(({ reason }) => reason === 'DrainBlocked');
      const kinds = new Set(told.map(({ involvedObject }) => involvedObject.kind));
      expect(kinds).toEqual(new Set(['Machine', 'PodDisruptionBudget']));
    });
    const before = await untilDrainAddsNoEvent(scenario, name);
    await scenario.operator.kill9('worker');
    const after = await eventually('another worker tried again', async () => {
      const present = await attemptsOf(scenario, name);
      expect(present.attempt).toBeGreaterThan(before.attempt);
      return present;
    });
    await untilDrainFailureSays(scenario, name, `PodDisruptionBudget ${namespace}/web`);
    expect(after.events).toBe(before.events);
    await cluster.delete(workloads.budgets('web'));
    await untilGone(scenario, pathOf(name));
    await workloads.end('web');
  });

  test('by a pod that never terminates ends with the drain timeout', async () => {
    const name = await createMachine(scenario, 'endless', { drainTimeout: '10s' });
    await untilPhase(scenario, name, 'Running');
    const annotations = { 'local.millwright.dev/never-terminates': 'true' };
    await workloads.start({ app: 'endless', nodeName: name, annotations });
    await cluster.delete(pathOf(name));
    await untilGone(scenario, pathOf(name));
    expect(await scenario.cloud.instances()).toEqual([]);
    await workloads.end('endless');
  });
});
