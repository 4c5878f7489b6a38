/** `millwright plan`: what a change of a MachineDeployment would do. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import { readReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { wholeNumber, withCluster, withOutput } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import { withTarget } from '../connection/target.ts';

export interface PlanQuestion extends ClusterOptions, OutputOptions, TargetOptions {
  /** A file with MachineDeployments, or a change of one that is there. */
  change: { file: string } | { name: string; replicas?: number; class?: string };
}

interface Options extends ClusterOptions, OutputOptions, TargetOptions {
  filename?: string;
  replicas?: number;
  class?: string;
}

const about = `
The planners of the workflows decide, on the objects as they are now, and time passes as it did for machines of the
same class or provider. Nothing is written, and rights to read are enough. Fields that a file leaves out stay as they
are. Exit code 1: the change would be refused, or machines of it cannot be made.

Examples:
  millwright plan -f pool.yaml
  millwright plan mcd/pool --class large
  millwright plan mcd/pool --replicas 20 -o json`;

const mostReplicas = 2 ** 31 - 1;

export function addPlan(parent: Command, run: Run): void {
  const command = parent
    .command('plan')
    .summary('say what a change of a machine deployment would do, and how long it may take')
    .description('Say what a change of a MachineDeployment would do, and how long it may take.')
    .argument('[kind/name...]', 'mcd/NAME')
    .option('-f, --filename <file>', 'YAML with the changed MachineDeployment')
    .option('--replicas <n>', 'another number of machines', wholeNumber([0, mostReplicas]))
    .option('--class <name>', 'another MachineClass');
  withOutput(withTarget(withCluster(command)))
    .addHelpText('after', about)
    .action((words: string[], options: Options) =>
      run(questionOf(words, options, command), (asked) =>
        inCluster(asked, async (place) => {
          const { plan } = await import('./plan.ts');
          return await plan(place, asked);
        }),
      ),
    );
}

function questionOf(words: readonly string[], options: Options, command: Command): PlanQuestion {
  const { filename, replicas, class: className, ...others } = options;
  const isChanged = replicas !== undefined || className !== undefined;
  if (filename !== undefined) {
    if (words.length > 0 || isChanged) command.error('--filename goes with no other change');
    return { ...others, change: { file: filename } };
  }
  const { name } = readReference(words, ['machinedeployment']);
  if (!isChanged) command.error('nothing is to change: say --replicas, --class, or -f FILE');
  return {
    ...others,
    change: {
      name,
      ...(replicas !== undefined && { replicas }),
      ...(className !== undefined && { class: className }),
    },
  };
}
