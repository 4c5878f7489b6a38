/** Commands that check and foresee, and those that stop everything. */
import { readReference, withReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import {
  wholeNumber,
  withCluster,
  withOutput,
  withPayloadKeys,
  withTemporal,
} from '../command-line/options.ts';
import { inUntriedCluster } from '../connection/cluster.ts';
import { withTarget } from '../connection/target.ts';
import type { DoctorOptions } from '../doctor/doctor.ts';
import type { DrainOptions } from '../drain/drain.ts';
import type { PlanOptions } from '../plan/plan.ts';
import type { StopOptions } from '../stop/stop.ts';
import { command, onCluster } from './command.ts';

/** The largest that the API takes. */
const mostReplicas = 2 ** 31 - 1;

export const checkCommands = [
  command<DoctorOptions>({
    name: 'doctor',
    summary: 'check all that Millwright needs, and say how to repair it',
    options: [
      (doctor) =>
        doctor
          .option(
            '--release-namespace <name>',
            'of the Deployments (default: that of the machines)',
          )
          .option('--install <name>', '--install of the watcher (default: as its Deployment says)'),
      withCluster,
      withTarget,
      withTemporal,
      withPayloadKeys,
      withOutput,
    ],
    about: `One line for each check: ok, warning, error, or skipped where it cannot be found out. An error stops Millwright itself,
for this namespace. Exit code 1: there is an error. 0: there is none; there may be warnings. It writes nothing, and
changes nothing.`,
    examples: [
      'doctor -n shoot--dev',
      'doctor -n shoot--dev --temporal-address temporal.example:7233 --temporal-namespace machines',
      'doctor -o json',
    ],
    run: async (options) =>
      await inUntriedCluster(options, async (scope) => {
        const { doctor } = await import('../doctor/doctor.ts');
        return await doctor(scope, options);
      }),
  }),
  command<PlanOptions, PlanFlags>({
    name: 'plan',
    summary: 'say what a change of a machine deployment would do, and how long it may take',
    description: 'Say what a change of a MachineDeployment would do, and how long it may take.',
    options: [
      (plan) =>
        plan
          .argument('[kind/name...]', 'mcd/NAME')
          .option('-f, --filename <file>', 'YAML with the changed MachineDeployment')
          .option('--replicas <n>', 'another number of machines', wholeNumber([0, mostReplicas]))
          .option('--class <name>', 'another MachineClass'),
      withCluster,
      withTarget,
      withOutput,
    ],
    about: `The planners of the workflows decide, on the objects as they are now, and time passes as it did for machines of the
same class or provider. Nothing is written, and rights to read are enough. Fields that a file leaves out stay as they
are. Exit code 1: the change would be refused, or machines of it cannot be made.`,
    examples: [
      'plan -f pool.yaml',
      'plan mcd/pool --class large',
      'plan mcd/pool --replicas 20 -o json',
    ],
    read: readPlan,
    run: onCluster(async () => (await import('../plan/plan.ts')).plan),
  }),
  command<DrainOptions, Omit<DrainOptions, 'name'> & { dryRun?: boolean }>({
    name: 'drain',
    summary: 'with --dry-run: say what the drain of a machine would meet',
    description: 'Say what the drain of a machine would meet.',
    options: [
      withReference,
      (drain) => drain.option('--dry-run', 'the only way that there is'),
      withCluster,
      withTarget,
      withOutput,
    ],
    about: `Which pods would leave, in which order, which budgets would refuse, which volumes are waited for, and for how long at
most. Nothing is written. There is no drain without --dry-run: a machine is drained when it is deleted.
Exit code 0: no budget would refuse now. 1: one would, or pods would be deleted by force.`,
    examples: [
      'drain --dry-run machine/pool-86b9f-rpz4r',
      'drain --dry-run machine/pool-86b9f-rpz4r --target-kubeconfig shoot.yaml',
    ],
    read: ({ dryRun = false, ...options }, words, refuse) => {
      const { name } = readReference(words, ['machine']);
      if (dryRun) return { ...options, name };
      const { namespace } = options;
      const kubectl = namespace === undefined ? 'kubectl' : `kubectl -n ${namespace}`;
      return refuse(
        `there is only --dry-run: a machine is drained when it is deleted, ${kubectl} delete machine ${name}`,
      );
    },
    run: onCluster(async () => (await import('../drain/drain.ts')).drain),
  }),
];

interface PlanFlags extends Omit<PlanOptions, 'change'> {
  filename?: string;
  replicas?: number;
  class?: string;
}

function readPlan(
  { filename, replicas, class: className, ...options }: PlanFlags,
  words: readonly string[],
  refuse: (fault: string) => never,
): PlanOptions {
  const isChanged = replicas !== undefined || className !== undefined;
  if (filename !== undefined) {
    if (words.length > 0 || isChanged) refuse('--filename goes with no other change');
    return { ...options, change: { file: filename } };
  }
  const { name } = readReference(words, ['machinedeployment']);
  if (!isChanged) refuse('nothing is to change: say --replicas, --class, or -f FILE');
  return {
    ...options,
    change: {
      name,
      ...(replicas !== undefined && { replicas }),
      ...(className !== undefined && { class: className }),
    },
  };
}

export const stopCommands = [
  command<StopOptions, StopOptions & { status?: boolean }>({
    name: 'stop',
    summary: 'keep everything from being created or deleted, within seconds',
    options: [
      (stop) =>
        stop
          .option('--reason <text>', 'why; everybody who waits sees it')
          .option('--by <name>', 'who stops it; not checked')
          .option(
            '--status',
            'only say whether everything is stopped, since when, by whom and why',
          ),
      withCluster,
      withOutput,
    ],
    about: `A stop is the ConfigMap "millwright-stop" in the namespace of the machines: "kubectl apply" and "kubectl delete" do the
same. It outlives restarts of everything. While it stands no machine, no instance and no Node is created or deleted,
and no pod is evicted; machines that run go on running, and no machine becomes Failed because of it.`,
    examples: [
      'stop -n shoot--dev --reason "the cloud deletes the wrong disks" --by alice',
      'stop -n shoot--dev --status -o json',
      'start -n shoot--dev',
    ],
    read: ({ status = false, reason, ...options }, _words, refuse) => {
      if (status) return options;
      if (reason !== undefined && reason.trim() !== '') return { ...options, reason };
      return refuse(
        '--reason is missing: say why, e.g. --reason "the cloud deletes the wrong disks"',
      );
    },
    run: onCluster(async () => (await import('../stop/stop.ts')).stop),
  }),
  command<ClusterOptions & OutputOptions>({
    name: 'start',
    summary: 'end a stop',
    description: 'End a stop: machines are created and deleted again.',
    options: [withCluster, withOutput],
    examples: ['start -n shoot--dev'],
    run: onCluster(async () => (await import('../stop/stop.ts')).start),
  }),
];
