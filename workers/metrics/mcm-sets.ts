/** Series of MachineSets and MachineDeployments under the names of MCM v0.62.1. */
import type { MachineDeploymentView, MachineSetView } from '../../watcher/cache/views.ts';
import type { Series } from './computed.ts';
import type { Listed } from './leading.ts';
import {
  conditionSamples,
  createdAtLabel,
  failedMachineLabels,
  failedMachineSamples,
  itemsSeries,
} from './mcm-samples.ts';

interface Views {
  machineSets: MachineSetView;
  machineDeployments: MachineDeploymentView;
}

interface Prefixed<R extends keyof Views> {
  resource: R;
  /** Prefix of the names of its series. */
  prefix: string;
}

const sets: Prefixed<'machineSets'> = { resource: 'machineSets', prefix: 'mcm_machine_set' };
const deployments: Prefixed<'machineDeployments'> = {
  resource: 'machineDeployments',
  prefix: 'mcm_machine_deployment',
};

type NumberOf<R extends keyof Views> = (figures: Views[R]['figures']) => number | undefined;

/** No series of an object that does not have the number. */
function numberSeries<R extends keyof Views>(
  { resource, prefix }: Prefixed<R>,
  [suffix, help, of]: [suffix: string, help: string, of: NumberOf<R>],
): Series<Listed> {
  return {
    name: `${prefix}_${suffix}`,
    type: 'gauge',
    help,
    labels: ['name', 'namespace'],
    *read({ namespace, store }) {
      for (const { name, figures } of store.all<R>(resource)) {
        const value = of(figures);
        if (value !== undefined) yield { labels: { name, namespace }, value };
      }
    },
  };
}

/** Series that both kinds have. */
function commonSeries<R extends keyof Views>(
  kind: Prefixed<R>,
  what: string,
): readonly Series<Listed>[] {
  const { resource, prefix } = kind;
  return [
    itemsSeries(`${prefix}_items_total`, resource, `${what}s.`),
    numberSeries(kind, ['info_spec_replicas', 'Machines wanted.', (f) => f.replicas ?? 0]),
    numberSeries(kind, [
      'info_spec_min_ready_seconds',
      '`minReadySeconds`.',
      (f) => f.minReadySeconds ?? 0,
    ]),
    {
      name: `${prefix}_status_condition`,
      type: 'gauge',
      help: `Conditions of the ${what}: 0 False, 1 True, 2 Unknown.`,
      labels: ['name', 'namespace', 'condition'],
      *read({ namespace, store }) {
        for (const { name, figures } of store.all<R>(resource))
          yield* conditionSamples({ name, namespace }, figures.conditions);
      },
    },
    {
      name: `${prefix}_failed_machines`,
      type: 'gauge',
      help: `1 for each machine in \`failedMachines\` of the status of the ${what}.`,
      labels: failedMachineLabels,
      *read({ namespace, store }) {
        for (const { name, figures } of store.all<R>(resource))
          yield* failedMachineSamples({ name, namespace }, figures.failedMachines);
      },
    },
  ];
}

export const mcmSetSeries: readonly Series<Listed>[] = [
  ...commonSeries(sets, 'MachineSet'),
  {
    name: 'mcm_machine_set_info',
    type: 'gauge',
    help: '1 for each MachineSet.',
    labels: [
      'name',
      'namespace',
      'createdAt',
      'spec_machine_class_api_group',
      'spec_machine_class_kind',
      'spec_machine_class_name',
    ],
    *read({ namespace, store }) {
      for (const { name, figures } of store.all('machineSets')) {
        const labels = {
          name,
          namespace,
          createdAt: createdAtLabel(figures.createdAt),
          spec_machine_class_api_group: figures.classApiGroup,
          spec_machine_class_kind: figures.classKind,
          spec_machine_class_name: figures.className,
        };
        yield { labels, value: 1 };
      }
    },
  },
  ...(
    [
      ['status_replicas', 'Machines, those that go included.', ({ status }) => status.replicas],
      ['status_ready_replicas', 'Running machines.', ({ status }) => status.readyReplicas],
      ['status_available_replicas', 'Available machines.', (f) => f.status.availableReplicas],
      [
        'status_fully_labelled_replicas',
        'Machines with the labels of the template.',
        (f) => f.status.fullyLabeledReplicas,
      ],
    ] satisfies [string, string, NumberOf<'machineSets'>][]
  ).map((number) => numberSeries(sets, number)),
];

const specNumbers: [string, string, NumberOf<'machineDeployments'>][] = [
  ['info_spec_paused', '1 while it is paused.', ({ isPaused }) => Number(isPaused)],
  ['info_spec_rolling_update_max_surge', '`maxSurge`, in machines.', ({ maxSurge }) => maxSurge],
  [
    'info_spec_rolling_update_max_unavailable',
    '`maxUnavailable`, in machines.',
    ({ maxUnavailable }) => maxUnavailable,
  ],
  [
    'info_spec_revision_history_limit',
    'Old MachineSets that are kept, where it is written.',
    ({ revisionHistoryLimit }) => revisionHistoryLimit,
  ],
  [
    'info_spec_progress_deadline_seconds',
    '`progressDeadlineSeconds`, where it is written.',
    ({ progressDeadlineSeconds }) => progressDeadlineSeconds,
  ],
  [
    'info_spec_rollback_to_revision',
    'Revision that is asked for, while it is.',
    ({ rollbackTo }) => rollbackTo,
  ],
];

const statusNumbers: [string, string, NumberOf<'machineDeployments'>][] = [
  ['status_replicas', 'Machines, those that go included.', ({ status }) => status.replicas],
  ['status_ready_replicas', 'Running machines.', ({ status }) => status.readyReplicas],
  ['status_available_replicas', 'Available machines.', (f) => f.status.availableReplicas],
  [
    'status_unavailable_replicas',
    'Machines wanted that are not available.',
    (f) => f.status.unavailableReplicas,
  ],
  ['status_updated_replicas', 'Machines of the present template.', (f) => f.status.updatedReplicas],
  [
    'status_collision_count',
    'How often the name of a new MachineSet was taken, where it was.',
    (f) => f.status.collisionCount,
  ],
];

export const mcmDeploymentSeries: readonly Series<Listed>[] = [
  ...commonSeries(deployments, 'MachineDeployment'),
  {
    name: 'mcm_machine_deployment_info',
    type: 'gauge',
    help: '1 for each MachineDeployment.',
    labels: ['name', 'namespace', 'createdAt', 'spec_strategy_type'],
    *read({ namespace, store }) {
      for (const { name, figures } of store.all('machineDeployments')) {
        const createdAt = createdAtLabel(figures.createdAt);
        const labels = { name, namespace, createdAt, spec_strategy_type: figures.strategy };
        yield { labels, value: 1 };
      }
    },
  },
  ...[...specNumbers, ...statusNumbers].map((number) => numberSeries(deployments, number)),
];
