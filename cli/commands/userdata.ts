/** Commands about user data: what machines are started with. */
import type { Command } from 'commander';
import type { Answer } from '../command-line/answer.ts';
import type { OutputOptions } from '../command-line/options.ts';
import { withCluster, withListOutput, withOutput } from '../command-line/options.ts';
import { inCluster, type ClusterScope } from '../connection/cluster.ts';
import type { CheckOptions } from '../userdata/check.ts';
import type { DiffOptions } from '../userdata/diff.ts';
import type { InputOptions } from '../userdata/input.ts';
import type { RenderOptions } from '../userdata/render.ts';
import { command, commandGroup } from './command.ts';

interface InputFlags extends Omit<InputOptions, 'className'> {
  class?: string;
}

const withInput = (added: Command): Command =>
  added
    .option('--class <name>', 'a MachineClass, whose annotations are read')
    .option('--profile <name>', 'instead of that of the class; a file where it ends with .yaml')
    .option('--config <file>', 'instead of that of the class; "-" is the standard input')
    .option('--provider <name>', 'as a class says it, such as AWS (default: that of the class)');

const render = command<RenderOptions, InputFlags & { machine?: string }>({
  name: 'render',
  summary: 'print the user data that a class asks for, without its secrets',
  options: [
    withInput,
    (added) => added.option('--machine <name>', 'that stands in the text'),
    withCluster,
    withOutput,
  ],
  about: `Placeholders stand where a machine has a secret: <<BOOTSTRAP_TOKEN>>, <<SECRET NAME/KEY>>. No Secret is read. The
class and the ConfigMaps that it names are; without --class no cluster is asked, and --profile, --config and --provider
have to say it all. What machines download, with digests, their packages and the size follow on standard error.
Exit code 1: the text is larger than its cloud takes.`,
  examples: [
    'userdata render --class pool-a -n shoot--dev',
    'userdata render --class pool-a --profile debian-13 > user-data',
    'userdata render --profile ubuntu-24.04 --config config.yaml --provider AWS -o json',
  ],
  read: ({ class: className, ...options }, _words, refuse) => {
    const { profile, config, provider } = options;
    const lacks = [profile, config, provider].includes(undefined);
    if (className === undefined && lacks) {
      refuse('--class is missing; or give all of --profile, --config and --provider');
    }
    return { ...options, className };
  },
  run: async (options) => {
    const answer = async (scope?: ClusterScope): Promise<Answer> =>
      await (await import('../userdata/render.ts')).render(scope, options);
    return options.className === undefined ? await answer() : await inCluster(options, answer);
  },
});

const profiles = command<OutputOptions>({
  name: 'profiles',
  summary: 'list the profiles that come with Millwright',
  options: [withListOutput],
  examples: ['userdata profiles'],
  run: async () => (await import('../userdata/profiles.ts')).profiles(),
});

const check = command<CheckOptions>({
  name: 'check',
  summary: 'say what is wrong with user data, also of others',
  options: [
    (added) => added.argument('<file>', 'user data; "-" is the standard input'),
    withOutput,
  ],
  about: `Cloud-init's cloud-config, alone, in several parts or packed by gzip, by the keys of its modules; Ignition 2 and 3 by
their rules. Of scripts and templates it says what they are. It needs no network and no other program.
Exit code 1: there is a fault. Warnings are none.`,
  examples: [
    'userdata check user-data',
    'userdata render --class pool-a | millwright userdata check -',
  ],
  read: (options, [file = '']) => ({ ...options, file }),
  run: async (options) => (await import('../userdata/check.ts')).check(options),
});

const diff = command<DiffOptions, InputFlags>({
  name: 'diff',
  summary: 'show what another profile or config changes',
  options: [
    (added) => added.argument('[files...]', 'two files with user data, in place of a class'),
    withInput,
    withCluster,
    withOutput,
  ],
  about: `Of a class: what it makes now, and what it would make with --profile or --config. As render it reads no Secret.
Exit code 0: nothing changes. 1: something does. 2: it cannot be said, as standard error says.`,
  examples: [
    'userdata diff --class pool-a --config config.yaml',
    'userdata diff --class pool-a --profile ./ubuntu-24.04-new.yaml',
    'userdata diff before after',
  ],
  read: ({ class: className, ...options }, files, refuse) => {
    const [before, after, ...more] = files;
    if (className === undefined) {
      if (before !== undefined && after !== undefined && more.length === 0) {
        return { ...options, files: [before, after] };
      }
      return refuse('two files are wanted, or --class with --profile or --config');
    }
    const isChanged = (options.profile ?? options.config ?? options.provider) !== undefined;
    if (files.length > 0 || !isChanged) {
      refuse('--class goes with --profile or --config, and with no files');
    }
    return { ...options, className };
  },
  run: async (options) => await (await import('../userdata/diff.ts')).diff(options),
});

export const userDataCommands = [
  commandGroup({
    name: 'userdata',
    summary: 'render, check and compare what machines are started with',
    commands: [render, profiles, check, diff],
  }),
];
