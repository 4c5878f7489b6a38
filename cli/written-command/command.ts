/** A command as an annotation, written with the rights of the caller. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { MachineKind } from '../../activities/kube/client/paths.ts';
import {
  longestWrittenCommand,
  writtenMachineCommand,
  writtenRolloutCommand,
} from '../../workflows/contracts/written-command.ts';
import type { Run } from '../answer.ts';
import { inCluster } from '../connect.ts';
import type { ClusterOptions, OutputOptions } from '../options.ts';
import { matching, withCluster, withOutput } from '../options.ts';

export interface CommandQuestion extends ClusterOptions, OutputOptions {
  resource: MachineKind;
  name: string;
  /** As it is written on the object, without `by`. */
  text: string;
  /** Undefined: as the API server knows the caller. */
  by?: string | undefined;
}

interface Options extends ClusterOptions, OutputOptions {
  minutes?: string;
  replicas?: string;
  revision?: string;
  by?: string;
}

const about = `
A command is done once, by the worker, with the rights of the caller of this program: machine/NAME takes retryNow,
skipDrain, forceDelete, skipVolumeWait and extendDrain --minutes N; machinedeployment/NAME takes pause, resume,
rollback [--revision N] and setReplicas --replicas N.`;

const kinds = new Map([
  ['machine', { resource: 'machines', read: writtenMachineCommand }],
  ['machinedeployment', { resource: 'machinedeployments', read: writtenRolloutCommand }],
] as const);

export function addWrittenCommand(parent: Command, run: Run): void {
  const command = parent
    .command('command')
    .summary('write a command on a machine or a machinedeployment, as its annotation')
    .description('Write a command on a machine or a machinedeployment, as its annotation.')
    .argument('<kind/name>', 'machine/NAME or machinedeployment/NAME', readObject)
    .argument('<verb>')
    .option('--minutes <n>')
    .option('--replicas <n>')
    .option('--revision <n>')
    .option(
      '--by <name>',
      'who asks; not checked (default: as the API server knows the caller)',
      matching(/^\S{1,200}$/, 'up to 200 characters without blanks'),
    );
  withOutput(withCluster(command))
    .addHelpText('after', about)
    .action((object: ReturnType<typeof readObject>, verb: string, options: Options) =>
      run(questionOf(object, { ...options, verb }, command), (asked) =>
        inCluster(asked, async (place) => {
          const { write } = await import('./write.ts');
          return await write(place, asked);
        }),
      ),
    );
}

function questionOf(
  { resource, name, read }: ReturnType<typeof readObject>,
  { verb, minutes, replicas, revision, ...others }: Options & { verb: string },
  command: Command,
): CommandQuestion {
  const fields = Object.entries({ minutes, replicas, revision }).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field}=${value}`],
  );
  const text = [verb, ...fields].join(' ');
  const found = read(text);
  if ('fault' in found) command.error(`"${text}": ${found.fault}`);
  return { ...others, resource, name, text };
}

function readObject(object: string) {
  const [kind, name = '', ...more] = object.split('/');
  const known = [...kinds].find(([word]) => word === kind)?.[1];
  if (known && name !== '' && more.length === 0) return { ...known, name };
  throw new InvalidArgumentError('Allowed: machine/NAME, machinedeployment/NAME.');
}

/** `text` with who asks, as far as there is room for it. */
export function signed(text: string, by: string | undefined): string {
  const whole = `${text} by=${by}`;
  return by === undefined || whole.length > longestWrittenCommand ? text : whole;
}
