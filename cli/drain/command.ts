/** `millwright drain --dry-run`: what the drain of a machine would meet. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import { readReference, withReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { withCluster, withOutput } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import { withTarget } from '../connection/target.ts';

export interface DrainQuestion extends ClusterOptions, OutputOptions, TargetOptions {
  /** Of the Machine. */
  name: string;
}

interface Options extends ClusterOptions, OutputOptions, TargetOptions {
  dryRun?: boolean;
}

const about = `
Which pods would leave, in which order, which budgets would refuse, which volumes are waited for, and for how long at
most. Nothing is written. There is no drain without --dry-run: a machine is drained when it is deleted.
Exit code 0: no budget would refuse now. 1: one would, or pods would be deleted by force.

Examples:
  millwright drain --dry-run machine/pool-86b9f-rpz4r
  millwright drain --dry-run machine/pool-86b9f-rpz4r --target-kubeconfig shoot.yaml`;

export function addDrain(parent: Command, run: Run): void {
  const command = withReference(parent.command('drain'))
    .summary('with --dry-run: say what the drain of a machine would meet')
    .description('Say what the drain of a machine would meet.')
    .option('--dry-run', 'the only way that there is');
  withOutput(withTarget(withCluster(command)))
    .addHelpText('after', about)
    .action((words: string[], { dryRun = false, ...options }: Options) => {
      const { name } = readReference(words, ['machine']);
      if (!dryRun) {
        const kubectl =
          options.namespace === undefined ? 'kubectl' : `kubectl -n ${options.namespace}`;
        command.error(
          `there is only --dry-run: a machine is drained when it is deleted, ${kubectl} delete machine ${name}`,
        );
      }
      return run({ ...options, name }, (asked) =>
        inCluster(asked, async (place) => {
          const { drain } = await import('./drain.ts');
          return await drain(place, asked);
        }),
      );
    });
}
