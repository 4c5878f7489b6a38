import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import type { OutputOptions, TemporalOptions } from '../command-line/options.ts';
import { matching, wholeNumber, withOutput, withTemporal } from '../command-line/options.ts';

export interface SetupQuestion extends TemporalOptions, OutputOptions {
  /** How long Temporal keeps closed workflows, where the namespace is made. */
  retentionDays: number;
  /** Changes nothing. */
  isCheck: boolean;
  /** Present: only this is done, and the namespace is checked. */
  version?: VersionQuestion;
}

export interface VersionQuestion {
  /** As `--worker-deployment` of the worker. */
  deploymentName: string;
  /** `own`: that of the code beside this command. `unversioned`: workers without a version. */
  buildId: string;
  /** How long to wait for a worker of it. */
  waitMinutes: number;
}

interface Options extends TemporalOptions, OutputOptions {
  retentionDays: number;
  current?: string;
  deployment?: string;
  waitMinutes: number;
  check?: boolean;
}

const about = `
It makes the Temporal namespace and registers the search attributes, where they are missing and it may. It changes
nothing that is there. Exit code 1: something is left to do.

Examples:
  millwright setup --temporal-address temporal.example:7233 --temporal-namespace machines
  millwright setup --check
  millwright setup --current own --deployment shoot_millwright     (docs/upgrading.md)`;

export function addSetup(parent: Command, run: Run): void {
  const command = parent
    .command('setup')
    .summary('make a Temporal namespace ready, or say what it lacks')
    .description('Make a Temporal namespace ready, or say what it lacks.')
    .option('--check', 'change nothing')
    .option(
      '--retention-days <n>',
      'how long a namespace that it makes keeps closed workflows',
      // Temporal takes no less than a day.
      wholeNumber([1, 9_999], 'days'),
      7,
    )
    .option(
      '--current <version>',
      'give the work to workers of this build id, as /readyz of the worker says; "own": that of this image; "unversioned": workers without --worker-deployment',
      matching(
        /^[-\w.]{1,200}$/,
        'a build id of letters, digits, "-", "_" and ".", or own, or unversioned',
      ),
    )
    .option(
      '--deployment <name>',
      '--worker-deployment of the worker',
      matching(
        /^[-\w]{1,200}$/,
        'what --worker-deployment of the worker is, letters, digits, "-" and "_"',
      ),
    )
    .option(
      '--wait-minutes <n>',
      'for a worker of that version',
      wholeNumber([0, 99], 'minutes'),
      5,
    );
  withOutput(withTemporal(command))
    .addHelpText('after', about)
    .action((options: Options) =>
      run(questionOf(options, command), async (asked) => {
        const { setup } = await import('./setup.ts');
        return await setup(asked);
      }),
    );
}

function questionOf(options: Options, command: Command): SetupQuestion {
  const { current, deployment, waitMinutes, check = false, ...others } = options;
  if ((current === undefined) !== (deployment === undefined)) {
    command.error('--current and --deployment belong together: a version is one of a deployment');
  }
  if (current === undefined || deployment === undefined) return { ...others, isCheck: check };
  const version = { deploymentName: deployment, buildId: current, waitMinutes };
  return { ...others, isCheck: check, version };
}
