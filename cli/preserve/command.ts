/** `millwright preserve`: keeps a machine for inspection. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import type { ConsentOptions } from '../command-line/consent.ts';
import { withConsent } from '../command-line/consent.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { readReference, withReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { futureTime, withCluster, withOutput } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import { withTarget } from '../connection/target.ts';

/** Of the annotation `node.machine.sapcloud.io/preserve`; the others are those of MachineSets. */
export const preserveValues = ['now', 'when-failed', 'false'] as const;
export type PreserveValue = (typeof preserveValues)[number];

export interface PreserveQuestion
  extends ClusterOptions, OutputOptions, ConsentOptions, TargetOptions {
  object: ObjectReference;
  value: PreserveValue;
  /** Milliseconds. Undefined: as long as the Machine or the worker's flag says. */
  until?: number | undefined;
}

const about = `
Values: now keeps the machine whatever its phase; when-failed keeps it if it fails, instead of replacing it; false ends
that. What a Node says overrides its Machine. Exit code 1: it was not done, or not all of it, and it says what and why.

Examples:
  millwright preserve machine/pool-86b9f-rpz4r --until 2026-12-01T12:00:00Z --yes
  millwright preserve node/ip-10-0-1-7 --value when-failed
  millwright preserve machine/pool-86b9f-rpz4r --value false --yes`;

export function addPreserve(parent: Command, run: Run): void {
  const command = withReference(parent.command('preserve'))
    .summary('keep a machine for inspection instead of replacing it')
    .description('Keep a machine for inspection instead of replacing it.')
    .addOption(
      new Option('--value <value>', 'when it is kept').choices([...preserveValues]).default('now'),
    )
    .option('--until <time>', 'such as 2026-12-01T12:00:00Z; of a machine only', futureTime);
  withOutput(withConsent(withTarget(withCluster(command))))
    .addHelpText('after', about)
    .action((words: string[], options: Omit<PreserveQuestion, 'object'>) =>
      run(questionOf(words, options, command), async (asked) =>
        inCluster(asked, async (place) => {
          const { preserve } = await import('./preserve.ts');
          return await preserve(place, asked);
        }),
      ),
    );
}

function questionOf(
  words: readonly string[],
  options: Omit<PreserveQuestion, 'object'>,
  command: Command,
): PreserveQuestion {
  const object = readReference(words, ['machine', 'node']);
  if (options.until !== undefined && (object.kind === 'node' || options.value !== 'now')) {
    command.error('--until goes with machine/NAME and --value now');
  }
  return { ...options, object };
}
