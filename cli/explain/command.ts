/** `millwright explain`: why an object is as it is. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { readReference, withReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import { withCluster, withOutput, withPayloadKeys, withTemporal } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import { withTarget } from '../connection/target.ts';

export interface ExplainQuestion
  extends ClusterOptions, TargetOptions, TemporalOptions, OutputOptions {
  object: ObjectReference;
  releaseNamespace?: string | undefined;
}

type Options = Omit<ExplainQuestion, 'object'>;

const about = `
It says what was decided last, what is waited for, since when and until when, how often it was tried, the last error, and
what a person can do. What is not in the objects comes from Temporal, where its address is known. The name before a
finding is that of a page that "millwright runbook NAME" prints.

Examples:
  millwright explain machine/pool-86b9f-rpz4r
  millwright explain mcd/pool -n shoot--dev -o json
  millwright explain node/ip-10-0-1-7 --target-kubeconfig shoot.yaml`;

export function addExplain(parent: Command, run: Run): void {
  const command = parent
    .command('explain')
    .summary('say why a machine, a set, a deployment or a Node is as it is')
    .description('Say why a machine, a set, a deployment or a Node is as it is.')
    .option(
      '--release-namespace <name>',
      'of the Deployments of watcher and worker (default: that of the machines)',
    );
  withReference(withTarget(command));
  withPayloadKeys(withTemporal(withOutput(withCluster(command))))
    .addHelpText('after', about)
    .action((words: string[], options: Options) =>
      run({ ...options, object: readReference(words) }, (asked) =>
        inCluster(asked, async (place) => {
          const { explain } = await import('./explain.ts');
          return await explain(place, asked);
        }),
      ),
    );
}
