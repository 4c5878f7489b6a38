/** `millwright rollout`: the words of `kubectl rollout`, for MachineDeployments. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Run } from '../command-line/answer.ts';
import { inCluster } from '../connection/cluster.ts';
import { readReference, withReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { durationSeconds, wholeNumber, withCluster, withOutput } from '../command-line/options.ts';

export interface RolloutQuestion extends ClusterOptions, OutputOptions {
  /** Of the MachineDeployment. */
  name: string;
}

export interface StatusQuestion extends RolloutQuestion {
  /** Wait until the rollout is over. */
  watch: boolean;
  /** Seconds; 0: no limit. */
  timeout: number;
}

export interface HistoryQuestion extends RolloutQuestion {
  /** Only this one, in detail. */
  revision?: number | undefined;
}

export interface UndoQuestion extends RolloutQuestion {
  /** 0: the one before. */
  toRevision: number;
}

const about = `
Examples:
  millwright rollout status mcd/pool --timeout 30m && echo done
  millwright rollout history mcd/pool --revision 3
  millwright rollout undo mcd/pool --to-revision 3
  millwright rollout restart mcd/pool -n shoot--dev

Pause, resume, undo and restart write the MachineDeployment with your rights, so they count whatever --commands-by says.`;

const examplesOf = (...lines: readonly string[]): string =>
  ['', 'Examples:', ...lines.map((line) => `  millwright rollout ${line}`)].join('\n');

/** The API's own limit. */
const mostRevision = 2 ** 31 - 1;

export function addRollout(parent: Command, run: Run): void {
  const rollout = parent
    .command('rollout')
    .summary('watch, pause, undo and restart a rollout, as kubectl rollout does')
    .description(
      'Watch, pause, undo and restart the rollout of a MachineDeployment, as kubectl rollout does.',
    )
    .addHelpText('after', about);
  addStatus(rollout, run);
  addHistory(rollout, run);
  addChange(rollout, run, { verb: 'pause', summary: 'stop a rollout; scaling goes on' });
  addChange(rollout, run, {
    verb: 'resume',
    summary: 'go on after a pause, or after the first machines (canary)',
  });
  addUndo(rollout, run);
  addChange(rollout, run, {
    verb: 'restart',
    summary: 'replace all machines, with the limits of the strategy',
  });
}

const statusAbout = `
It prints a line when something changes. Exit code 0: the rollout is complete, or --watch=false. 1: it cannot go on (the
condition Stalled), it made no progress within spec.progressDeadlineSeconds, or --timeout is over.

Examples:
  millwright rollout status mcd/pool --timeout 30m
  millwright rollout status mcd/pool --watch=false -o json`;

function addStatus(parent: Command, run: Run): void {
  object(parent.command('status'))
    .summary('wait until a rollout is complete, or say where it is')
    .description('Wait until a rollout is complete, or say where it is.')
    .option(
      '-w, --watch [boolean]',
      'wait until it is over; --watch=false: do not',
      readWatch,
      true,
    )
    .option('--timeout <duration>', 'stop waiting then, e.g. 30m; 0s: never', durationSeconds, 0)
    .addHelpText('after', statusAbout)
    .action((words: string[], options: Omit<StatusQuestion, 'name'>) =>
      run({ ...options, name: nameOf(words) }, (asked) =>
        inCluster(asked, async (place) => {
          const { status } = await import('./status.ts');
          return await status(place, asked);
        }),
      ),
    );
}

function readWatch(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Allowed: true, false.');
  return text === 'true';
}

function addHistory(parent: Command, run: Run): void {
  object(parent.command('history'))
    .summary('list the revisions of a rollout')
    .description('List the revisions that can be gone back to, the last one is the present one.')
    .option(
      '--revision <n>',
      'show what this one is made of',
      wholeNumber([1, mostRevision], 'revisions'),
    )
    .addHelpText('after', examplesOf('history mcd/pool', 'history mcd/pool --revision 3'))
    .action((words: string[], options: Omit<HistoryQuestion, 'name'>) =>
      run({ ...options, name: nameOf(words) }, (asked) =>
        inCluster(asked, async (place) => {
          const { history } = await import('./history.ts');
          return await history(place, asked);
        }),
      ),
    );
}

interface Change {
  verb: 'pause' | 'resume' | 'restart';
  summary: string;
}

function addChange(parent: Command, run: Run, { verb, summary }: Change): void {
  object(parent.command(verb))
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .addHelpText('after', examplesOf(`${verb} mcd/pool`))
    .action((words: string[], options: Omit<RolloutQuestion, 'name'>) =>
      run({ ...options, name: nameOf(words) }, (asked) =>
        inCluster(asked, async (place) => {
          const changes = await import('./change.ts');
          return await changes[verb](place, asked);
        }),
      ),
    );
}

function addUndo(parent: Command, run: Run): void {
  object(parent.command('undo'))
    .summary('go back to an earlier revision')
    .description('Go back to an earlier revision, step by step as any rollout.')
    .option(
      '--to-revision <n>',
      '0: the one before the present one',
      wholeNumber([0, mostRevision], 'revisions'),
      0,
    )
    .addHelpText('after', examplesOf('undo mcd/pool', 'undo mcd/pool --to-revision 3'))
    .action((words: string[], options: Omit<UndoQuestion, 'name'>) =>
      run({ ...options, name: nameOf(words) }, (asked) =>
        inCluster(asked, async (place) => {
          const { undo } = await import('./undo.ts');
          return await undo(place, asked);
        }),
      ),
    );
}

function object(command: Command): Command {
  return withOutput(withCluster(withReference(command)));
}

function nameOf(words: readonly string[]): string {
  return readReference(words, ['machinedeployment']).name;
}
