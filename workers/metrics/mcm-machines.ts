/** Series of Machines under the names of MCM v0.62.1. */
import type { MachineView } from '../../watcher/cache/views.ts';
import type { Sample, Series } from './computed.ts';
import type { Listed } from './leading.ts';
import { conditionSamples, createdAtLabel, itemsSeries } from './mcm-samples.ts';
import { poolLabel } from './pools.ts';
import type { LastSeconds, McmLabels } from './term-recorder.ts';

/** All others are 0. */
const phaseValues: Record<string, number> = {
  Terminating: -4,
  Failed: -3,
  CrashLoopBackOff: -2,
  Unknown: -1,
  Running: 1,
};

const mcmPool = ['namespace', 'machine_deployment', 'instance_type', 'zone'];

export const mcmMachineSeries: readonly Series<Listed>[] = [
  itemsSeries('mcm_machine_items_total', 'machines', 'Machines.'),
  {
    name: 'mcm_machine_current_status_phase',
    type: 'gauge',
    help: 'Phase: -4 Terminating, -3 Failed, -2 CrashLoopBackOff, -1 Unknown, 1 Running, 0 any other.',
    labels: ['name', 'namespace'],
    read: (listed) =>
      ofMachines(listed, ({ name, phase }, { namespace }) => [
        { labels: { name, namespace }, value: phaseValues[phase] ?? 0 },
      ]),
  },
  {
    name: 'mcm_machine_info',
    type: 'gauge',
    help: '1 for each Machine.',
    labels: [
      'name',
      'namespace',
      'createdAt',
      'spec_provider_id',
      'spec_class_api_group',
      'spec_class_kind',
      'spec_class_name',
      'node_name',
    ],
    read: (listed) => ofMachines(listed, (machine) => [infoOf(machine, listed.namespace)]),
  },
  {
    name: 'mcm_machine_status_condition',
    type: 'gauge',
    help: 'Conditions of the Machine, with those of its Node: 0 False, 1 True, 2 Unknown.',
    labels: ['name', 'namespace', 'condition'],
    read: (listed) =>
      ofMachines(listed, ({ name, figures }, { namespace }) =>
        conditionSamples({ name, namespace }, figures.conditions),
      ),
  },
  {
    name: 'mcm_machine_create_duration_seconds',
    type: 'gauge',
    help: 'From the creation of the Machine until its instance was there, of the newest one.',
    labels: mcmPool,
    read: (listed) => lastSamples(listed, 'launched'),
  },
  {
    name: 'mcm_machine_join_duration_seconds',
    type: 'gauge',
    help: 'From the creation of the Machine until it was Running, of the newest one.',
    labels: mcmPool,
    read: (listed) => lastSamples(listed, 'running'),
  },
  {
    name: 'mcm_machine_delete_duration_seconds',
    type: 'gauge',
    help: 'From the deletion of the Machine until it was gone, of the last one.',
    labels: mcmPool,
    read: (listed) => lastSamples(listed, 'deleted'),
  },
  {
    name: 'mcm_machine_num_failed_join',
    type: 'counter',
    help: 'Machines that failed as no Node joined within the creation timeout.',
    labels: mcmPool,
    read: (listed) => ofPoolsThere(listed, listed.recorder.failedJoins()),
  },
  {
    name: 'mcm_machine_stale_machines_total',
    type: 'counter',
    help: 'Failed Machines that were deleted.',
    labels: ['namespace'],
    read: ({ namespace, recorder }) => [{ labels: { namespace }, value: recorder.staleMachines }],
  },
];

function* ofMachines(
  listed: Listed,
  samples: (machine: MachineView, listed: Listed) => Iterable<Sample>,
): Iterable<Sample> {
  for (const machine of listed.store.all('machines')) yield* samples(machine, listed);
}

function infoOf(
  { name, createdAt, className, nodeName = '', figures }: MachineView,
  namespace: string,
): Sample {
  const labels = {
    name,
    namespace,
    createdAt: createdAtLabel(createdAt),
    spec_provider_id: figures.providerID,
    spec_class_api_group: figures.classApiGroup,
    spec_class_kind: figures.classKind,
    spec_class_name: className,
    node_name: nodeName,
  };
  return { labels, value: 1 };
}

/** In whole seconds. */
function lastSamples(listed: Listed, event: LastSeconds['event']): Sample[] {
  return ofPoolsThere(listed, listed.recorder.last(event)).map(({ labels, seconds }) => ({
    labels,
    value: Math.floor(seconds),
  }));
}

/** Without those of pools that have no machine and no MachineDeployment any more. */
function ofPoolsThere<T extends { labels: McmLabels }>(
  { store }: Listed,
  samples: readonly T[],
): readonly T[] {
  if (samples.length === 0) return samples;
  const pools = new Set([...store.all('machines')].map(({ labels }) => labels[poolLabel]));
  return samples.filter(
    ({ labels: { machine_deployment: pool } }) =>
      pools.has(pool) || store.find('machineDeployments', pool) !== undefined,
  );
}
