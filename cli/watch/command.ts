/** `millwright watch`: the screen of `status`, live. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { FleetQuestion } from '../install/question.ts';
import type { ClusterOptions } from '../command-line/options.ts';
import { withCluster } from '../command-line/options.ts';

export type WatchQuestion = ClusterOptions &
  Pick<FleetQuestion, 'allNamespaces' | 'releaseNamespace'> & { output?: undefined };

const about = `
In a terminal it shows what "millwright status" shows, anew at each change. Elsewhere, as in a pipe, it prints a line for
each change of a machine, a set or a deployment. Ctrl-C ends it.

Examples:
  millwright watch -n shoot--dev
  millwright watch -A | tee rollout.log`;

export function addWatch(parent: Command, run: Run): void {
  const command = parent
    .command('watch')
    .summary('show machines and rollouts as they change')
    .description('Show machines and rollouts as they change.')
    .option('-A, --all-namespaces', 'machines of all namespaces')
    .option(
      '--release-namespace <name>',
      'of the Deployments of watcher and worker (default: that of the machines)',
    );
  withCluster(command)
    .addHelpText('after', about)
    .action((options: WatchQuestion) =>
      run(options, (asked) =>
        inCluster(asked, async (place) => {
          const { watch } = await import('./watch.ts');
          return await watch(place, asked);
        }),
      ),
    );
}
