/**
 * /metrics of watcher and worker beside the objects that they speak of: values, series that go with
 * their object, and a watcher that stands by.
 */
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { documented } from '../../workers/metrics/metrics-page.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import type { TextSample } from '../support/metrics-text.ts';
import { samplesIn, typesIn } from '../support/metrics-text.ts';
import type { Program } from '../support/operator.ts';
import { metricsOf } from '../support/probes.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

const scenario = useScenario('metrics', { isDoubled: false });
const { cluster, namespace } = scenario;

async function samplesOf(program: Program, name: string): Promise<TextSample[]> {
  return samplesIn(await metricsOf(scenario, program)).filter((sample) => sample.name === name);
}

/** Of the samples of one object, or of all. */
async function valuesOf(name: string, labels: Record<string, string> = {}): Promise<number[]> {
  const samples = await samplesOf('watcher', name);
  return samples
    .filter((one) => Object.entries(labels).every(([label, of]) => one.labels[label] === of))
    .map(({ value }) => value);
}

const blockedByBudgets = (): Promise<number[]> =>
  valuesOf('millwright_drains_blocked', { by: 'PodDisruptionBudget' });

const secondsOf = (time: string): string => String(Date.parse(time) / 1_000);
const statusValues: Record<string, number> = { False: 0, True: 1, Unknown: 2 };

async function expectMachine({ metadata, spec, status }: Machine): Promise<void> {
  const own = { name: metadata.name, namespace };
  expect(await valuesOf('mcm_machine_current_status_phase', own)).toEqual([1]);
  const info = {
    ...own,
    createdAt: secondsOf(metadata.creationTimestamp),
    spec_provider_id: spec.providerID,
    spec_class_name: spec.class?.name,
    node_name: metadata.labels?.['node'],
  };
  const found = await samplesOf('watcher', 'mcm_machine_info');
  expect(found).toContainEqual(
    expect.objectContaining({ labels: expect.objectContaining(info), value: 1 }),
  );
  for (const { type, status: is } of status?.conditions ?? []) {
    const condition = { ...own, condition: type };
    expect(await valuesOf('mcm_machine_status_condition', condition)).toEqual([statusValues[is]]);
  }
}

/** Of two machines. */
async function expectSetAndConditions(pool: string): Promise<void> {
  const own = { name: pool, namespace };
  const [set] = await cluster.list<MachineSet>(cluster.pathOf('machinesets'));
  const ofSet = { name: set?.metadata.name ?? '', namespace };
  expect(await valuesOf('mcm_machine_set_status_replicas', ofSet)).toEqual([2]);
  expect(await valuesOf('mcm_machine_deployment_info_spec_replicas', own)).toEqual([2]);
  const { status: now } = await cluster.deployment(pool);
  for (const { type, status } of now?.conditions ?? []) {
    const condition = { ...own, condition: type };
    const found = await valuesOf('mcm_machine_deployment_status_condition', condition);
    expect(found).toEqual([statusValues[status]]);
  }
}

describe('metrics', () => {
  test('say of machines, sets and deployments what the objects say', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    const own = { name: pool, namespace };
    await eventually('all is told', async () => {
      const { status } = await cluster.kube.get<MachineDeployment>(
        cluster.pathOf('machinedeployments', pool),
      );
      expect(status).toMatchObject({ replicas: 2, availableReplicas: 2, updatedReplicas: 2 });
      for (const machine of await cluster.machines()) await expectMachine(machine);
      for (const suffix of ['', 'ready_', 'available_', 'updated_'])
        expect(await valuesOf(`mcm_machine_deployment_status_${suffix}replicas`, own)).toEqual([2]);
    });
    const counted = { kube_namespace: namespace, machine_deployment: pool };
    // Each resource has a watch of its own, so that one may be behind another.
    await eventually('sets and conditions are told', async () => {
      await expectSetAndConditions(pool);
      expect(await valuesOf('millwright_machines', { ...counted, phase: 'Running' })).toEqual([2]);
      expect(await valuesOf('millwright_rollouts', counted)).toEqual([1]);
    });
    expect(await valuesOf('mcm_machine_items_total')).toEqual([2]);
    for (const part of ['launch', 'join', 'running'])
      expect(await valuesOf(`millwright_machine_${part}_seconds_count`, counted)).toEqual([2]);
    expect(await valuesOf('millwright_watcher_source_synced')).toEqual([1, 1, 1, 1, 1, 1, 1]);
    await eventually('each queue is served', async () => {
      // Of workflows, drains, and creates, deletes and reads of the virtual cloud.
      expect(await valuesOf('millwright_queue_unserved_seconds')).toEqual([0, 0, 0, 0, 0]);
    });

    await cluster.kube.patch(cluster.pathOf('machinedeployments', pool), 'merge', {
      spec: { replicas: 1 },
    });
    await untilRunning(scenario, pool, 1);
    await eventually('one is gone', async () => {
      expect(await valuesOf('mcm_machine_info')).toHaveLength(1);
      expect(await valuesOf('millwright_machine_deletion_seconds_count', counted)).toEqual([1]);
    });
    await deleteDeployment(scenario, pool);
    await eventually('nothing is said of what is gone', async () => {
      const text = await metricsOf(scenario, 'watcher');
      const left = samplesIn(text).filter(({ name }) => !/_(bucket|sum|count)$/.test(name));
      expect(left.filter(({ labels }) => Object.values(labels).includes(pool))).toEqual([]);
      expect(await valuesOf('mcm_machine_items_total')).toEqual([0]);
    });
  });

  test('say which drain is blocked, and how long it took', async () => {
    const workloads = new Workloads(scenario);
    const name = await createMachine(scenario, 'guarded');
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'db', nodeName: name });
    await workloads.guard('db', { app: 'db', minAvailable: 1 });
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    await eventually('it is blocked', async () => expect(await blockedByBudgets()).toEqual([1]));
    await cluster.delete(workloads.budgets('db'));
    await untilGone(scenario, path);
    await eventually('it is over', async () => {
      expect(await blockedByBudgets()).toEqual([0]);
      const ended = await samplesOf('worker', 'millwright_drain_duration_seconds_count');
      const drained = ended.filter(({ labels }) => labels['result'] === 'drained');
      expect(drained).toEqual([
        expect.objectContaining({ labels: { kube_namespace: namespace, result: 'drained' } }),
      ]);
    });
  });

  test('are on the page, with their types', async () => {
    const onPage = new Map(documented.map(({ name, type }) => [name, type]));
    const texts = [await metricsOf(scenario, 'watcher'), await metricsOf(scenario, 'worker')];
    const served = new Map(texts.flatMap((text) => [...typesIn(text)]));
    for (const [name, type] of served) expect([name, onPage.get(name)]).toEqual([name, type]);
    // Nothing of these happened here, and the SDK shows a counter once it has counted; the first is
    // there with --approve-kubelet-serving only. A front, which has pages of its own, is none here.
    const silent = [
      'millwright_kubelet_serving_requests_total',
      'millwright_runs_begun_anew_total',
      'millwright_safety_entities_healed_total',
      'millwright_safety_orphans_deleted_total',
    ];
    const missing = [...onPage.keys()].filter(
      (name) => !served.has(name) && !name.startsWith('millwright_front_'),
    );
    expect(missing.filter((name) => !silent.includes(name))).toEqual([]);
    const decided = await samplesOf('worker', 'millwright_decisions_total');
    expect(decided.map(({ labels }) => labels['kind'])).toEqual(
      expect.arrayContaining(['machine', 'machineSet', 'machineDeployment']),
    );
  });

  test('of a watcher that stands by are none of objects', async () => {
    scenario.operator.startStandby();
    await eventually('it stands by', async () => {
      const [leader] = await samplesOf('standby', 'millwright_watcher_leader');
      expect(leader).toMatchObject({ labels: { kube_namespace: namespace }, value: 0 });
    });
    const names = new Set(samplesIn(await metricsOf(scenario, 'standby')).map(({ name }) => name));
    const ofLeader = [...names].filter((name) => /^(mcm_|millwright_machine)/.test(name));
    expect(ofLeader).toEqual([]);
  });
});
