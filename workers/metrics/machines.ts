/** Metrics of the objects, in series of our own: numbers by pool, not by machine. */
import { hookPatienceMs } from '../../workflows/api/deletion-hooks.ts';
import type { DrainBlocker } from '../../workflows/api/drain-failure.ts';
import type { MachineView } from '../../watcher/cache/views.ts';
import type { HistogramSeries, Sample, Series } from './computed.ts';
import type { Leading, Listed } from './leading.ts';
import { deploymentOf } from './pools.ts';

/** Blockers that no drain has are 0, so that an alert need not know zero from nothing. */
const drainBlockers: readonly DrainBlocker[] = ['PodDisruptionBudget', 'Volume', 'Pod', 'Other'];

export const machineSeries: readonly Series<Listed>[] = [
  {
    name: 'millwright_machines',
    type: 'gauge',
    help: 'Machines by pool and phase; one without a phase is Pending.',
    labels: ['kube_namespace', 'machine_deployment', 'phase'],
    read: (listed) =>
      countsBy(listed, (machine) => ({
        machine_deployment: deploymentOf(machine, listed.store),
        phase: machine.phase || 'Pending',
      })),
  },
  {
    name: 'millwright_machines_not_joined',
    type: 'gauge',
    help: 'Machines with an instance whose Node has not joined in half of the creation timeout.',
    labels: ['kube_namespace', 'machine_deployment'],
    read: (listed) =>
      countsBy(listed, (machine) =>
        isJoiningForLong(machine, listed)
          ? { machine_deployment: deploymentOf(machine, listed.store) }
          : undefined,
      ),
  },
  {
    name: 'millwright_creations_failing',
    type: 'gauge',
    help: 'Machines whose creation failed last and is tried again, by the code of the failure and the trouble that "millwright stuck" names; empty where it has no page.',
    labels: ['kube_namespace', 'code', 'trouble'],
    read: (listed) =>
      countsBy(listed, ({ figures: { creationFailure, creationTrouble = '' } }) =>
        creationFailure === undefined
          ? undefined
          : { code: creationFailure, trouble: creationTrouble },
      ),
  },
  {
    name: 'millwright_drains_blocked',
    type: 'gauge',
    help: 'Machines whose drain does not get on, by what has been in the way for longest. Other: the drain itself fails.',
    labels: ['kube_namespace', 'by'],
    read: (listed) =>
      countsBy(
        listed,
        ({ figures: { drainBlockedBy } }) => drainBlockedBy && { by: drainBlockedBy },
        drainBlockers.map((by) => ({ by })),
      ),
  },
  {
    name: 'millwright_deletions_held',
    type: 'gauge',
    help: 'Machines whose deletion hooks have held for 30 minutes.',
    labels: ['kube_namespace'],
    read: (listed) =>
      countsBy(
        listed,
        ({ figures: { heldSince = Infinity } }) =>
          listed.now - heldSince >= hookPatienceMs ? {} : undefined,
        [{}],
      ),
  },
  {
    name: 'millwright_rollouts',
    type: 'gauge',
    help: '1 for the state that holds: complete, progressing, paused, blocked (progressDeadlineSeconds are over).',
    labels: ['kube_namespace', 'machine_deployment', 'state'],
    *read({ namespace, store }) {
      for (const { name, figures } of store.all('machineDeployments')) {
        const labels = { kube_namespace: namespace, machine_deployment: name };
        yield { labels: { ...labels, state: figures.rollout }, value: 1 };
      }
    },
  },
  {
    name: 'millwright_machine_sets_frozen',
    type: 'gauge',
    help: 'MachineSets that make no machines, as they had too many.',
    labels: ['kube_namespace'],
    read: ({ namespace, store }) => [
      {
        labels: { kube_namespace: namespace },
        value: [...store.all('machineSets')].filter(({ figures }) => figures.isFrozen).length,
      },
    ],
  },
];

const ofPools = ['kube_namespace', 'machine_deployment'];

export const machineHistograms: readonly HistogramSeries<Leading>[] = [
  {
    name: 'millwright_machine_launch_seconds',
    help: 'From the creation of a Machine until its instance was there.',
    labels: ofPools,
    of: (leading) => timesOf(leading, 'launched'),
  },
  {
    name: 'millwright_machine_join_seconds',
    help: 'From the instance until the Machine was Running.',
    labels: ofPools,
    of: (leading) => timesOf(leading, 'joined'),
  },
  {
    name: 'millwright_machine_running_seconds',
    help: 'From the creation of a Machine until it was Running for the first time.',
    labels: ofPools,
    of: (leading) => timesOf(leading, 'running'),
  },
  {
    name: 'millwright_machine_deletion_seconds',
    help: 'From the deletion of a Machine until it was gone, with its drain.',
    labels: ofPools,
    of: (leading) => timesOf(leading, 'deleted'),
  },
];

type MachineStepMetric = Parameters<Leading['recorder']['last']>[0];

function timesOf(
  { namespace, recorder }: Leading,
  event: MachineStepMetric,
): ReturnType<HistogramSeries<Leading>['of']> {
  return { histogram: recorder.timesOf(event), with: { kube_namespace: namespace } };
}

/** `always`: labels of which there is a series even for none. */
function countsBy(
  { namespace, store }: Listed,
  labelsOf: (machine: MachineView) => Record<string, string> | undefined,
  always: readonly Record<string, string>[] = [],
): Iterable<Sample> {
  const samples = new Map<string, Sample>();
  const add = (own: Record<string, string>, count: number): void => {
    const key = Object.values(own).join('\n');
    const labels = { kube_namespace: namespace, ...own };
    const sample = samples.get(key) ?? { labels, value: 0 };
    sample.value += count;
    samples.set(key, sample);
  };
  for (const own of always) add(own, 0);
  for (const machine of store.all('machines')) {
    const own = labelsOf(machine);
    if (own) add(own, 1);
  }
  return samples.values();
}

function isJoiningForLong(
  { phase, isDeleting, createdAt, figures, ...machine }: MachineView,
  { now, creationTimeoutSeconds: standard }: Listed,
): boolean {
  if (phase !== 'Pending' || isDeleting || figures.providerID === '') return false;
  const seconds = machine.creationTimeoutSeconds ?? standard;
  return now - createdAt > (seconds * 1_000) / 2;
}
