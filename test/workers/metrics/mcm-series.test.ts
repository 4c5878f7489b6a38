/** The series of MCM v0.62.1, from objects as an API server holds them. */
import type { MachineSummary } from '../../../workflows/api/machine-set.ts';
import type { Machine, MachineStatus } from '../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import {
  aMachine,
  aMachineClass,
  aMachineDeployment,
  aMachineSet,
  controlledBy,
} from '../../support/builders.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { LeadingWatcher } from './leading-watcher.ts';

let watcher: LeadingWatcher;
beforeEach(() => {
  watcher = new LeadingWatcher();
});

const running = (status: MachineStatus = {}): Machine =>
  aMachine({
    metadata: { name: 'pool-0', labels: { name: 'workers', node: 'node-0' } },
    spec: {
      class: { apiGroup: 'machine.sapcloud.io', kind: 'MachineClass', name: 'small' },
      providerID: 'virtual:///0',
    },
    status: { currentStatus: { phase: 'Running' }, ...status },
  });

const conditions = (ready: 'True' | 'False') => [
  { type: 'Ready', status: ready },
  { type: 'a=b/Disk', status: 'Unknown' as const },
];

describe('of a Machine', () => {
  test.each<[MachinePhase | undefined, number]>([
    ['Terminating', -4],
    ['Failed', -3],
    ['CrashLoopBackOff', -2],
    ['Unknown', -1],
    ['Pending', 0],
    ['Available', 0],
    ['InPlaceUpdating', 0],
    [undefined, 0],
    ['Running', 1],
  ])('the phase %s is the value %d', async (phase, value) => {
    watcher.put(aMachine({ metadata: { name: 'm' }, ...(phase && { phase }) }));
    expect(await watcher.lines('mcm_machine_current_status_phase')).toEqual([
      `mcm_machine_current_status_phase{name="m",namespace="shoot"} ${value}`,
    ]);
  });

  test('the info names what it is made of', async () => {
    watcher.put(running());
    expect(await watcher.lines('mcm_machine_info')).toEqual([
      'mcm_machine_info{name="pool-0",namespace="shoot",createdAt="1767225600",spec_provider_id="virtual:///0",spec_class_api_group="machine.sapcloud.io",spec_class_kind="MachineClass",spec_class_name="small",node_name="node-0"} 1',
    ]);
  });

  test('conditions are 0, 1 and 2, and follow the object', async () => {
    watcher.put(running({ conditions: conditions('False') }));
    const of = 'mcm_machine_status_condition{name="pool-0",namespace="shoot",condition=';
    expect(await watcher.lines('mcm_machine_status_condition')).toEqual([
      `${of}"Ready"} 0`,
      `${of}"a=b/Disk"} 2`,
    ]);
    watcher.put({ ...running({ conditions: conditions('True') }) });
    expect(await watcher.lines('mcm_machine_status_condition')).toContain(`${of}"Ready"} 1`);
  });

  test('all series go with it', async () => {
    watcher.put(running({ conditions: [{ type: 'Ready', status: 'True' }] }));
    expect(await watcher.registry.metrics()).toContain('pool-0');
    watcher.remove(running());
    expect(await watcher.registry.metrics()).not.toContain('pool-0');
    expect(await watcher.lines('mcm_machine_items_total')).toEqual([
      'mcm_machine_items_total{namespace="shoot"} 0',
    ]);
  });
});

const failed: MachineSummary = {
  name: 'pool-0',
  ownerRef: 'pool',
  providerID: 'virtual:///0',
  lastOperation: { state: 'Failed', type: 'Create', description: 'no room' },
};
const failedLabels =
  'failed_machine_name="pool-0",failed_machine_provider_id="virtual:///0",failed_machine_owner_ref="pool",failed_machine_last_operation_state="Failed",failed_machine_last_operation_machine_operation_type="Create"';

describe('of a MachineSet', () => {
  const of = '{name="pool",namespace="shoot"}';

  test.each([
    ['info_spec_replicas', 3],
    ['info_spec_min_ready_seconds', 5],
    ['status_replicas', 4],
    ['status_ready_replicas', 2],
    ['status_available_replicas', 1],
    ['status_fully_labelled_replicas', 3],
  ])('%s is what the object says', async (suffix, value) => {
    watcher.put(
      aMachineSet({
        spec: { replicas: 3, minReadySeconds: 5 },
        status: { replicas: 4, readyReplicas: 2, availableReplicas: 1, fullyLabeledReplicas: 3 },
      }),
    );
    const name = `mcm_machine_set_${suffix}`;
    expect(await watcher.lines(name)).toEqual([`${name}${of} ${value}`]);
  });

  test('its failed machines and conditions go when they are over', async () => {
    const set = aMachineSet({
      status: {
        failedMachines: [failed],
        machineSetCondition: [{ type: 'ReplicaFailure', status: 'True' }],
      },
    });
    watcher.put(set);
    expect(await watcher.lines('mcm_machine_set_failed_machines')).toEqual([
      `mcm_machine_set_failed_machines{name="pool",namespace="shoot",${failedLabels}} 1`,
    ]);
    expect(await watcher.lines('mcm_machine_set_status_condition')).toEqual([
      'mcm_machine_set_status_condition{name="pool",namespace="shoot",condition="ReplicaFailure"} 1',
    ]);
    watcher.put({ ...set, status: {} });
    expect(await watcher.lines('mcm_machine_set_failed_machines')).toEqual([]);
    expect(await watcher.lines('mcm_machine_set_status_condition')).toEqual([]);
  });

  test('the info names its class', async () => {
    watcher.put(aMachineSet());
    expect(await watcher.lines('mcm_machine_set_info')).toEqual([
      'mcm_machine_set_info{name="pool",namespace="shoot",createdAt="1767225600",spec_machine_class_api_group="",spec_machine_class_kind="MachineClass",spec_machine_class_name="small"} 1',
    ]);
  });
});

describe('of a MachineDeployment', () => {
  const of = '{name="workers",namespace="shoot"}';
  const deployment = aMachineDeployment({
    spec: {
      replicas: 10,
      paused: true,
      minReadySeconds: 7,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: '25%', maxUnavailable: 2 },
      },
      revisionHistoryLimit: 4,
      progressDeadlineSeconds: 600,
      rollbackTo: { revision: 3 },
    },
    status: {
      replicas: 11,
      readyReplicas: 9,
      availableReplicas: 8,
      unavailableReplicas: 2,
      updatedReplicas: 6,
      collisionCount: 1,
    },
  });

  test.each([
    ['info_spec_paused', 1],
    ['info_spec_replicas', 10],
    ['info_spec_min_ready_seconds', 7],
    ['info_spec_rolling_update_max_surge', 3],
    ['info_spec_rolling_update_max_unavailable', 2],
    ['info_spec_revision_history_limit', 4],
    ['info_spec_progress_deadline_seconds', 600],
    ['info_spec_rollback_to_revision', 3],
    ['status_replicas', 11],
    ['status_ready_replicas', 9],
    ['status_available_replicas', 8],
    ['status_unavailable_replicas', 2],
    ['status_updated_replicas', 6],
    ['status_collision_count', 1],
  ])('%s is what the object says', async (suffix, value) => {
    watcher.put(deployment);
    const name = `mcm_machine_deployment_${suffix}`;
    expect(await watcher.lines(name)).toEqual([`${name}${of} ${value}`]);
  });

  test.each([
    'info_spec_revision_history_limit',
    'info_spec_progress_deadline_seconds',
    'info_spec_rollback_to_revision',
    'status_collision_count',
  ])('%s has no series where nothing is written', async (suffix) => {
    watcher.put(aMachineDeployment());
    expect(await watcher.lines(`mcm_machine_deployment_${suffix}`)).toEqual([]);
  });

  test('its failed machines go when they are over', async () => {
    watcher.put({ ...deployment, status: { failedMachines: [failed] } });
    expect(await watcher.lines('mcm_machine_deployment_failed_machines')).toEqual([
      `mcm_machine_deployment_failed_machines{name="workers",namespace="shoot",${failedLabels}} 1`,
    ]);
    watcher.put(deployment);
    expect(await watcher.lines('mcm_machine_deployment_failed_machines')).toEqual([]);
  });

  test('the info names its strategy', async () => {
    watcher.put(deployment);
    expect(await watcher.lines('mcm_machine_deployment_info')).toEqual([
      'mcm_machine_deployment_info{name="workers",namespace="shoot",createdAt="1767225600",spec_strategy_type="RollingUpdate"} 1',
    ]);
  });
});

const inPhase = (phase: MachinePhase, seconds = 30): MachineStatus => ({
  currentStatus: {
    phase,
    lastUpdateTime: new Date(Date.now() - seconds * 1_000).toISOString(),
  },
});

describe('what befalls machines', () => {
  const machineClass = aMachineClass({
    nodeTemplate: { capacity: {}, instanceType: 'large', region: 'r', zone: 'r1' },
  });
  const deployment = aMachineDeployment();
  const set = aMachineSet({ metadata: { ownerReferences: controlledBy(deployment) } });
  const pool = '{namespace="shoot",machine_deployment="workers",instance_type="large",zone="r1"}';
  const created = new Date(Date.now() - 90_000).toISOString();

  function member(changes: { providerID?: string; status?: MachineStatus; deletedAt?: string }) {
    const { providerID, status, deletedAt } = changes;
    return aMachine({
      metadata: {
        name: 'pool-0',
        creationTimestamp: created,
        labels: { name: 'workers' },
        ownerReferences: controlledBy(set),
        ...(deletedAt !== undefined && { deletionTimestamp: deletedAt }),
      },
      spec: {
        class: { kind: 'MachineClass', name: 'small' },
        nodeTemplate: { metadata: { labels: { 'topology.kubernetes.io/zone': 'r1' } } },
        ...(providerID !== undefined && { providerID }),
      },
      ...(status && { status }),
    });
  }
  const providerID = 'virtual:///0';

  async function valueOf(name: string): Promise<number> {
    const [line = ''] = (await watcher.lines(name)).filter((one) => one.startsWith(name + pool));
    return Number(line.split(' ').at(-1));
  }

  beforeEach(() => watcher.put(machineClass, deployment, set));

  test('its way to Running is timed, and goes with its pool', async () => {
    watcher.put(member({}));
    watcher.put(member({ providerID }));
    expect(await valueOf('mcm_machine_create_duration_seconds')).toBeCloseTo(90, -1);
    watcher.put(member({ providerID, status: inPhase('Pending') }));
    expect(await watcher.lines('mcm_machine_join_duration_seconds')).toEqual([]);
    watcher.put(member({ providerID, status: inPhase('Running', 0) }));
    expect(await valueOf('mcm_machine_join_duration_seconds')).toBeCloseTo(90, -1);
    const pools = { kube_namespace: 'shoot', machine_deployment: 'workers' };
    for (const name of ['launch', 'join', 'running'])
      expect(await watcher.value(`millwright_machine_${name}_seconds_count`, pools)).toBe(1);
    expect(await watcher.value('millwright_machine_join_seconds_sum')).toBeCloseTo(30, -1);
    watcher.remove(member({ providerID }), deployment);
    expect(await watcher.lines('mcm_machine_join_duration_seconds')).toEqual([]);
  });

  test('its histograms go an hour after its pool and the last of its machines', async () => {
    const system = new HandSystem();
    const countOf = (part: string): Promise<number | undefined> =>
      system.run(() =>
        watcher.value(`millwright_machine_${part}_seconds_count`, {
          machine_deployment: 'workers',
        }),
      );
    const failedJoins = (): Promise<string[]> =>
      system.run(() => watcher.lines('mcm_machine_num_failed_join'));
    const last = { providerID, status: timedOut, deletedAt: new Date().toISOString() };
    system.run(() => {
      watcher.put(member({}));
      watcher.put(member({ providerID, status: inPhase('Pending') }));
      watcher.put(member({ providerID, status: timedOut }));
    });
    expect(await failedJoins()).toHaveLength(1);
    await system.run(() => system.to(1_000_000));
    system.run(() => watcher.remove(deployment));
    await system.run(() => system.to(4_000_000));
    system.run(() => watcher.remove(member(last), set));
    expect(await failedJoins()).toEqual([]);
    await system.run(() => system.to(7_500_000));
    expect([await countOf('launch'), await countOf('deletion')]).toEqual([1, 1]);
    await system.run(() => system.to(7_700_000));
    expect([await countOf('launch'), await countOf('deletion')]).toEqual([undefined, undefined]);
  });

  test('its histograms stay while its pool is there, also where that was made anew', async () => {
    const system = new HandSystem();
    system.run(() => {
      watcher.put(member({}));
      watcher.put(member({ providerID }));
      watcher.remove(deployment);
      watcher.put(deployment);
    });
    await system.run(() => system.to(4_000_000));
    const name = 'millwright_machine_launch_seconds_count';
    expect(await system.run(() => watcher.value(name))).toBe(1);
  });

  test('what a leader finds when it begins was counted by an earlier one', async () => {
    watcher.put(member({ providerID, status: inPhase('Running') }));
    expect(await watcher.lines('millwright_machine_running_seconds_count')).toEqual([]);
  });

  test('a machine that recovers has not joined anew', async () => {
    watcher.put(member({ providerID, status: inPhase('Unknown') }));
    watcher.put(member({ providerID, status: inPhase('Running') }));
    expect(await watcher.lines('millwright_machine_running_seconds_count')).toEqual([]);
  });

  test('its deletion is timed', async () => {
    const deletedAt = new Date(Date.now() - 45_000).toISOString();
    watcher.put(member({ providerID, status: inPhase('Terminating'), deletedAt }));
    watcher.remove(member({ providerID, status: inPhase('Terminating'), deletedAt }));
    expect(await valueOf('mcm_machine_delete_duration_seconds')).toBeCloseTo(45, -1);
    expect(await watcher.value('millwright_machine_deletion_seconds_count')).toBe(1);
  });

  const timedOut: MachineStatus = {
    ...inPhase('Failed'),
    lastOperation: { type: 'Create', state: 'Failed', description: 'failed to join' },
  };

  test('one that did not join counts once, and is stale when it is deleted', async () => {
    watcher.put(member({ providerID, status: inPhase('Pending') }));
    watcher.put(member({ providerID, status: timedOut }));
    watcher.put(member({ providerID, status: timedOut }));
    expect(await valueOf('mcm_machine_num_failed_join')).toBe(1);
    const stale = () => watcher.lines('mcm_machine_stale_machines_total');
    expect(await stale()).toEqual(['mcm_machine_stale_machines_total{namespace="shoot"} 0']);
    const deletedAt = new Date().toISOString();
    watcher.put(member({ providerID, status: timedOut, deletedAt }));
    watcher.put(member({ providerID, status: inPhase('Terminating'), deletedAt }));
    expect(await stale()).toEqual(['mcm_machine_stale_machines_total{namespace="shoot"} 1']);
  });

  test('one that failed its health check did not fail to join', async () => {
    watcher.put(member({ providerID, status: inPhase('Unknown') }));
    const unhealthy = { type: 'HealthCheck', state: 'Failed', description: 'no Node' } as const;
    watcher.put(member({ providerID, status: { ...inPhase('Failed'), lastOperation: unhealthy } }));
    expect(await watcher.lines('mcm_machine_num_failed_join')).toEqual([]);
  });
});

test('signals that wait are the queues of MCM, by kind', async () => {
  watcher.backlog.set('machineSet', 2);
  watcher.recorder.added('machineSet');
  watcher.recorder.added('machineSet');
  watcher.recorder.failed('machine');
  watcher.recorder.begun('machine', 20);
  const text = await watcher.registry.metrics();
  for (const line of [
    'mcm_workqueue_depth{name="machineset",namespace="shoot"} 2',
    'mcm_workqueue_depth{name="machine",namespace="shoot"} 0',
    'mcm_workqueue_adds_total{name="machineset",namespace="shoot"} 2',
    'mcm_workqueue_retries_total{name="machine",namespace="shoot"} 1',
  ])
    expect(text).toContain(line);
  const waits = 'mcm_workqueue_queue_duration_seconds_count';
  expect(await watcher.value(waits, { name: 'machine', namespace: 'shoot' })).toBe(1);
});
