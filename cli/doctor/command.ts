/** `millwright doctor`: whether all that Millwright needs is there, and what to do where not. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inUntriedCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import { withCluster, withOutput, withPayloadKeys, withTemporal } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import { withTarget } from '../connection/target.ts';

export interface DoctorQuestion
  extends ClusterOptions, OutputOptions, TargetOptions, TemporalOptions {
  /** Of the Deployments. Undefined: that of the machines. */
  releaseNamespace?: string | undefined;
  /** `--install` of the watcher. Undefined: as its Deployment says, else the namespace. */
  install?: string | undefined;
}

const about = `
One line for each check: ok, warning, error, or skipped where it cannot be found out. An error stops Millwright itself,
for this namespace. Exit code 1: there is an error. 0: there is none; there may be warnings. It writes nothing, and
changes nothing.

Examples:
  millwright doctor -n shoot--dev
  millwright doctor -n shoot--dev --temporal-address temporal.example:7233 --temporal-namespace machines
  millwright doctor -o json`;

export function addDoctor(parent: Command, run: Run): void {
  const command = parent
    .command('doctor')
    .summary('check all that Millwright needs, and say how to repair it')
    .description('Check all that Millwright needs, and say how to repair it.')
    .option('--release-namespace <name>', 'of the Deployments (default: that of the machines)')
    .option('--install <name>', '--install of the watcher (default: as its Deployment says)');
  withOutput(withPayloadKeys(withTemporal(withTarget(withCluster(command)))))
    .addHelpText('after', about)
    .action((options: DoctorQuestion) =>
      run(options, (asked) =>
        inUntriedCluster(asked, async (place) => {
          const { doctor } = await import('./doctor.ts');
          return await doctor(place, asked);
        }),
      ),
    );
}
