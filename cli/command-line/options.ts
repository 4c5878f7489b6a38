/** Options that several commands have. */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../workflows/api/duration.ts';

export interface ClusterOptions {
  /** Undefined: that of the kubeconfig's context, else "default". */
  namespace?: string | undefined;
  /** Undefined: the file that kubectl reads, or the pod's own. */
  kubeconfig?: string | undefined;
  /** Undefined: the current one of the kubeconfig. */
  context?: string | undefined;
}

/** Undefined: by the variables TEMPORAL_* or a profile, as the command `temporal` finds it. */
export interface TemporalOptions {
  temporalAddress?: string | undefined;
  temporalNamespace?: string | undefined;
  /** File with the keys of payloads, as watcher and worker have it. Undefined: they are plain. */
  payloadKeys?: string | undefined;
}

export interface InstallScope {
  allNamespaces?: boolean | undefined;
  /** Namespace of watcher and worker. Undefined: that of the machines. */
  releaseNamespace?: string | undefined;
}

/** Options of the commands that read a whole install. */
export interface InstallOptions
  extends InstallScope, ClusterOptions, TemporalOptions, OutputOptions {}

/** Formats of `--output`. Without the option: for people. */
const programFormats = ['json', 'yaml'] as const;
const listFormats = ['json', 'yaml', 'wide', 'name'] as const;
export type Format = (typeof listFormats)[number];

export interface OutputOptions {
  output?: Format | undefined;
}

export function withKubeconfig(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      "of the control cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own)",
    )
    .option('--context <name>', 'of the kubeconfig (default: its current one)');
}

export function withCluster(command: Command): Command {
  return withKubeconfig(
    command.option(
      '-n, --namespace <name>',
      'of the machines (default: that of the context, else "default")',
    ),
  );
}

export function withAllNamespaces(command: Command): Command {
  return command.option('-A, --all-namespaces', 'machines of all namespaces');
}

export function withRelease(command: Command): Command {
  return command.option(
    '--release-namespace <name>',
    'of the Deployments of watcher and worker (default: that of the machines)',
  );
}

export function withTemporal(command: Command): Command {
  return command
    .option(
      '--temporal-address <host:port>',
      'default: TEMPORAL_* variables and profiles, as for the command temporal',
    )
    .option('--temporal-namespace <name>', 'of Temporal (default as before)');
}

export function withPayloadKeys(command: Command): Command {
  return command.option('--payload-keys <file>', 'that of watcher and worker');
}

/** `json` and `yaml`; `wide` and `name` as well where a command lists objects. */
export function withOutput(command: Command, formats: readonly Format[] = programFormats): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'for programs, or more columns').choices([...formats]),
  );
}

export function withListOutput(command: Command): Command {
  return withOutput(command, listFormats);
}

/** Value of an option or argument: a whole number within bounds. */
export function wholeNumber(
  [least, most]: readonly [number, number],
  unit = '',
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Allowed: whole ${unit || 'numbers'} from ${least} to ${most}.`);
  };
}

/** Value of an option: seconds of a duration as Go writes it, such as `1h30m`. */
export function durationSeconds(text: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return seconds;
  throw new InvalidArgumentError('Allowed: durations such as 90s, 30m or 1h30m.');
}

/** Value of an option: milliseconds of a time to come, in RFC 3339. */
export function futureTime(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isTime ? Date.parse(text) : NaN;
  if (time > Date.now()) return time;
  throw new InvalidArgumentError('Allowed: times to come, such as 2036-12-01T12:00:00Z.');
}

/** Collects an option that may be given more than once. */
export function collected<Value>(
  read: (text: string) => Value,
): (text: string, before?: readonly Value[]) => Value[] {
  return (text, before = []) => [...before, read(text)];
}

/** Throws what commander prints after the name of the option and its value. */
export function matching(pattern: RegExp, allowed: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(`Allowed: ${allowed}.`);
  };
}
