/** `millwright tree`: what an object is made of, down to the instances. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { readReference, withReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { withCluster, withListOutput } from '../command-line/options.ts';

export interface TreeQuestion extends ClusterOptions, OutputOptions {
  object: ObjectReference;
}

type Options = Omit<TreeQuestion, 'object'>;

const about = `
Examples:
  millwright tree mcd/pool
  millwright tree machine pool-86b9f-rpz4r -o wide`;

export function addTree(parent: Command, run: Run): void {
  const command = parent
    .command('tree')
    .summary('show a deployment with its sets, machines, Nodes and instances')
    .description(
      'Show a deployment with its sets, machines, Nodes and instances, and what each waits for.',
    );
  withReference(command);
  withListOutput(withCluster(command))
    .addHelpText('after', about)
    .action((words: string[], options: Options) =>
      run(
        {
          ...options,
          object: readReference(words, ['machinedeployment', 'machineset', 'machine']),
        },
        (asked) =>
          inCluster(asked, async (place) => {
            const { tree } = await import('./tree.ts');
            return await tree(place, asked);
          }),
      ),
    );
}
