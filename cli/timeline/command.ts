/** `millwright timeline`: the lifecycle of a machine, step by step. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { readReference, withReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import { withCluster, withOutput, withPayloadKeys, withTemporal } from '../command-line/options.ts';

export interface TimelineQuestion extends ClusterOptions, TemporalOptions, OutputOptions {
  object: ObjectReference;
  releaseNamespace?: string | undefined;
  /** Undefined: as the flags of the watcher say. */
  clusterName?: string | undefined;
}

type Options = Omit<TimelineQuestion, 'object'>;

const about = `
The steps come from the history of the machine's workflow in Temporal, also after the machine is gone, for as long as
Temporal keeps closed workflows. Where Temporal is not known, they are what the object and its Events say, and the answer
says so.

Examples:
  millwright timeline machine/pool-86b9f-rpz4r
  millwright timeline machine/pool-86b9f-rpz4r --temporal-address temporal.example:7233 -o json`;

export function addTimeline(parent: Command, run: Run): void {
  const command = parent
    .command('timeline')
    .summary('show the lifecycle of a machine as steps with their durations')
    .description(
      'Show the lifecycle of a machine as steps with their durations, also when it is gone.',
    )
    .option('--cluster-name <name>', 'as the processes have it (default: as their Deployments say)')
    .option(
      '--release-namespace <name>',
      'of the Deployments of watcher and worker (default: that of the machines)',
    );
  withReference(command);
  withPayloadKeys(withTemporal(withOutput(withCluster(command))))
    .addHelpText('after', about)
    .action((words: string[], options: Options) =>
      run({ ...options, object: readReference(words, ['machine']) }, (asked) =>
        inCluster(asked, async (place) => {
          const { timeline } = await import('./timeline.ts');
          return await timeline(place, asked);
        }),
      ),
    );
}
