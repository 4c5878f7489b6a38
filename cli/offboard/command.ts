import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import {
  withKubeconfig,
  withOutput,
  withPayloadKeys,
  withTemporal,
} from '../command-line/options.ts';

export interface OffboardQuestion extends ClusterOptions, TemporalOptions, OutputOptions {
  namespace: string;
  /** Undefined: the one that the namespace is claimed for. */
  install?: string | undefined;
  /** Undefined: the UID of the namespace kube-system. */
  clusterId?: string | undefined;
  clusterName?: string | undefined;
  /** Of the Lease of our own. Undefined: the namespace itself. */
  leaseNamespace?: string | undefined;
  /** Machines, sets and deployments stay as they are. False: it refuses while there are any. */
  keepsMachines: boolean;
  /** False: it changes nothing, and says what it would remove. */
  isConfirmed: boolean;
}

interface Options extends ClusterOptions, TemporalOptions, OutputOptions {
  install?: string;
  clusterId?: string;
  clusterName?: string;
  leaderElectResourceNamespace?: string;
  keepMachines?: boolean;
  yes?: boolean;
}

const about = `
It removes the Schedules, open workflows and claims of the namespace in Temporal, and its Leases. It refuses while a watcher
serves the namespace, and while there are Machines. Exit code 1: something is left to remove.

Examples:
  millwright offboard shoot--dev
  millwright offboard shoot--dev --yes`;

export function addOffboard(parent: Command, run: Run): void {
  const command = parent
    .command('offboard')
    .summary('remove what is kept for a namespace that is served no more')
    .description('Remove what is kept for a namespace that is served no more.')
    .argument('<namespace>', 'of the machines')
    .option('--yes', 'do it; without, it says what it would remove')
    .option(
      '--keep-machines',
      'Machines may stay, with their instances, for MCM or another install',
    )
    .option('--install <name>', 'whose namespace it is (default: the install that has claimed it)')
    .option('--cluster-id <id>', 'as the processes have it')
    .option('--cluster-name <name>', 'as the processes have it')
    .option('--leader-elect-resource-namespace <name>', 'as the processes have it');
  withPayloadKeys(withTemporal(withOutput(withKubeconfig(command))))
    .addHelpText('after', about)
    .action((namespace: string, options: Options) =>
      run(questionOf(namespace, options), (asked) =>
        inCluster(asked, async (place) => {
          const { offboard } = await import('./offboard.ts');
          return await offboard(place, asked);
        }),
      ),
    );
}

function questionOf(namespace: string, options: Options): OffboardQuestion {
  const { leaderElectResourceNamespace, keepMachines = false, yes = false, ...others } = options;
  return {
    ...others,
    namespace,
    leaseNamespace: leaderElectResourceNamespace,
    keepsMachines: keepMachines,
    isConfirmed: yes,
  };
}
