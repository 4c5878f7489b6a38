/** Commands that act on a rollout, or on one machine. */
import { InvalidArgumentError, Option } from 'commander';
import type { ActOptions } from '../act/act.ts';
import { withConsent } from '../command-line/consent.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { readReference, withReference } from '../command-line/object-reference.ts';
import {
  durationSeconds,
  futureTime,
  wholeNumber,
  withCluster,
  withOutput,
} from '../command-line/options.ts';
import { withTarget } from '../connection/target.ts';
import type { PreserveOptions } from '../preserve/preserve.ts';
import type { NowOptions } from '../rollout/now.ts';
import type { HistoryOptions, RolloutOptions } from '../rollout/history.ts';
import type { StatusOptions } from '../rollout/status.ts';
import type { UndoOptions } from '../rollout/undo.ts';
import { allowedReason, isReason, longestOverrideMs } from '../../workflows/api/policy-override.ts';
import { preserveValues } from '../preserve/preview.ts';
import type { AddCommand } from './command.ts';
import { command, commandGroup, onCluster } from './command.ts';

const onDeployment = [withReference, withCluster, withOutput];

const named = <Options extends RolloutOptions>(
  options: Options,
  words: readonly string[],
): Options => ({ ...options, name: readReference(words, ['machinedeployment']).name });

/** The API's own limit. */
const mostRevision = 2 ** 31 - 1;

function changeCommand(verb: 'pause' | 'resume' | 'restart', summary: string): AddCommand {
  return command<RolloutOptions>({
    name: verb,
    summary,
    options: onDeployment,
    examples: [`rollout ${verb} mcd/pool`],
    read: named,
    run: onCluster(async () => (await import('../rollout/change.ts'))[verb]),
  });
}

const rollout = commandGroup({
  name: 'rollout',
  summary: 'watch, pause, undo and restart a rollout, as kubectl rollout does',
  description:
    'Watch, pause, undo and restart the rollout of a MachineDeployment, as kubectl rollout does.',
  help: `Examples:
  millwright rollout status mcd/pool --timeout 30m && echo done
  millwright rollout history mcd/pool --revision 3
  millwright rollout undo mcd/pool --to-revision 3
  millwright rollout restart mcd/pool -n shoot--dev
  millwright rollout now mcd/pool --for 4h --reason CVE-2026-1234

Pause, resume, undo, restart and now write the MachineDeployment with your rights, so they count whatever --commands-by says.`,
  commands: [
    command<StatusOptions>({
      name: 'status',
      summary: 'wait until a rollout is complete, or say where it is',
      options: [
        ...onDeployment,
        (status) =>
          status
            .option(
              '-w, --watch [boolean]',
              'wait until it is over; --watch=false: do not',
              readWatch,
              true,
            )
            .option(
              '--timeout <duration>',
              'stop waiting then, e.g. 30m; 0s: never',
              durationSeconds,
              0,
            ),
      ],
      about: `It prints a line when something changes. Exit code 0: the rollout is complete, or --watch=false. 1: it cannot go on (the
condition Stalled), it made no progress within spec.progressDeadlineSeconds, or --timeout is over.`,
      examples: [
        'rollout status mcd/pool --timeout 30m',
        'rollout status mcd/pool --watch=false -o json',
      ],
      read: named,
      run: onCluster(async () => (await import('../rollout/status.ts')).status),
    }),
    command<HistoryOptions>({
      name: 'history',
      summary: 'list the revisions of a rollout',
      description: 'List the revisions that can be gone back to, the last one is the present one.',
      options: [
        ...onDeployment,
        (history) =>
          history.option(
            '--revision <n>',
            'show what this one is made of',
            wholeNumber([1, mostRevision], 'revisions'),
          ),
      ],
      examples: ['rollout history mcd/pool', 'rollout history mcd/pool --revision 3'],
      read: named,
      run: onCluster(async () => (await import('../rollout/history.ts')).history),
    }),
    changeCommand('pause', 'stop a rollout; scaling goes on'),
    changeCommand(
      'resume',
      'go on after a pause, or past the first machines or the present wave (canary)',
    ),
    command<UndoOptions>({
      name: 'undo',
      summary: 'go back to an earlier revision',
      description: 'Go back to an earlier revision, step by step as any rollout.',
      options: [
        ...onDeployment,
        (undo) =>
          undo.option(
            '--to-revision <n>',
            '0: the one before the present one',
            wholeNumber([0, mostRevision], 'revisions'),
            0,
          ),
      ],
      examples: ['rollout undo mcd/pool', 'rollout undo mcd/pool --to-revision 3'],
      read: named,
      run: onCluster(async () => (await import('../rollout/undo.ts')).undo),
    }),
    command<NowOptions>({
      name: 'now',
      summary: 'roll outside of the windows of policies, for a while',
      description:
        'Roll outside of the windows of DisruptionPolicies, and in spite of their exclusions, for a while.',
      options: [
        ...onDeployment,
        (now) =>
          now
            .requiredOption('--for <duration>', 'how long, 168h at most, e.g. 4h', overrideSeconds)
            .requiredOption('--reason <text>', 'why; Events and the page name it', overrideReason),
      ],
      about: `Limits of how many machines at a time hold all the same. It ends by itself; the Event PolicyOverridden names you and the
reason, PolicyOverrideEnded says when it is over.`,
      examples: [
        'rollout now mcd/pool --for 4h --reason CVE-2026-1234',
        "rollout now mcd/pool --for 30m --reason 'agreed with the shop team' -o json",
      ],
      read: named,
      run: onCluster(async () => (await import('../rollout/now.ts')).now),
    }),
    changeCommand('restart', 'replace all machines, with the limits of the strategy'),
  ],
});

function overrideSeconds(text: string): number {
  const seconds = durationSeconds(text);
  if (seconds > 0 && seconds * 1_000 <= longestOverrideMs) return seconds;
  throw new InvalidArgumentError('Allowed: durations of 168h at most, such as 4h.');
}

function overrideReason(text: string): string {
  if (isReason(text)) return text;
  throw new InvalidArgumentError(`It ${allowedReason}.`);
}

function readWatch(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Allowed: true, false.');
  return text === 'true';
}

/** A week. */
const longestMinutes = 10_080;

function machineCommand(
  name: string,
  verb: ActOptions['command']['verb'],
  summary: string,
): AddCommand {
  const takesMinutes = verb === 'extendDrain';
  // It is the Node that is updated.
  const takesNodes = verb === 'selectForUpdate';
  const kinds = takesNodes ? (['machine', 'node'] as const) : (['machine'] as const);
  const example = `${name} machine/pool-86b9f-rpz4r${takesMinutes ? ' --minutes 30' : ''}`;
  return command<ActOptions, Omit<ActOptions, 'name' | 'command'> & { minutes: number }>({
    name,
    summary,
    options: [
      withReference,
      (act) =>
        takesMinutes
          ? act.requiredOption(
              '--minutes <n>',
              'how much more time',
              wholeNumber([1, longestMinutes], 'minutes'),
            )
          : act,
      withCluster,
      withTarget,
      withConsent,
      withOutput,
    ],
    about: `It says what will happen, from what the Machine and its Node say now, and does it with --yes. A worker does it once;
the Event names you. Exit code 1: it was not done, or no worker has taken it yet, and it says which and why.`,
    examples: [
      example,
      `${example} --yes`,
      ...(takesNodes ? [`${name} node/ip-10-0-1-7 --yes`] : []),
    ],
    read: ({ minutes, ...options }, words) => ({
      ...options,
      ...objectOf(readReference(words, kinds)),
      command: verb === 'extendDrain' ? { verb, minutes } : { verb },
    }),
    run: onCluster(async () => (await import('../act/act.ts')).act),
  });
}

function objectOf({ kind, name }: ObjectReference): Pick<ActOptions, 'kind' | 'name'> {
  return kind === 'node' ? { kind, name } : { name };
}

export const actCommands = [
  rollout,
  machineCommand(
    'retry',
    'retryNow',
    'try at once what failed or is blocked: a creation, a deletion, a drain',
  ),
  machineCommand(
    'skip-drain',
    'skipDrain',
    'delete the instance of a blocked drain with the pods on it',
  ),
  machineCommand(
    'force-delete',
    'forceDelete',
    'delete the pods of a blocked drain without asking their budgets',
  ),
  machineCommand(
    'skip-volume-wait',
    'skipVolumeWait',
    'go on with a drain without waiting for volumes',
  ),
  machineCommand(
    'extend-drain',
    'extendDrain',
    'give a drain more time before pods are deleted by force',
  ),
  machineCommand('select-for-update', 'selectForUpdate', 'have a Node updated in place next'),
  machineCommand('retry-update', 'retryUpdate', 'have an update in place that failed begin anew'),
  machineCommand(
    'give-up-update',
    'giveUpUpdate',
    'replace a machine whose update in place failed: its instance and disks go',
  ),
  command<PreserveOptions>({
    name: 'preserve',
    summary: 'keep a machine for inspection instead of replacing it',
    options: [
      withReference,
      (preserve) =>
        preserve
          .addOption(
            new Option('--value <value>', 'when it is kept')
              .choices([...preserveValues])
              .default('now'),
          )
          .option('--until <time>', 'such as 2036-12-01T12:00:00Z; of a machine only', futureTime),
      withCluster,
      withTarget,
      withConsent,
      withOutput,
    ],
    about: `Values: now keeps the machine whatever its phase; when-failed keeps it if it fails, instead of replacing it; false ends
that. What a Node says overrides its Machine. Exit code 1: it was not done, or not all of it, and it says what and why.`,
    examples: [
      'preserve machine/pool-86b9f-rpz4r --until 2036-12-01T12:00:00Z --yes',
      'preserve node/ip-10-0-1-7 --value when-failed',
      'preserve machine/pool-86b9f-rpz4r --value false --yes',
    ],
    read: (options, words, refuse) => {
      const object = readReference(words, ['machine', 'node']);
      const isMachineNow = object.kind === 'machine' && options.value === 'now';
      if (options.until !== undefined && !isMachineNow) {
        refuse('--until goes with machine/NAME and --value now');
      }
      return { ...options, object };
    },
    run: onCluster(async () => (await import('../preserve/preserve.ts')).preserve),
  }),
];
