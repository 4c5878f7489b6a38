/** An entry of the table of commands, and how commander gets it. */
import type { Command } from 'commander';
import type { Answer, AnswerPrinter } from '../command-line/answer.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { inCluster } from '../connection/cluster.ts';

interface Named {
  name: string;
  /** For the list of commands: in the imperative, without a capital and a full stop. */
  summary: string;
  /** For its own help. Default: the summary as a sentence. */
  description?: string;
}

/** `Given`: what commander makes of the options, before `read`. */
interface CommandEntry<Options extends OutputOptions, Given> extends Named {
  /** Its arguments and options, in the order of its help. */
  options: readonly ((command: Command) => Command)[];
  /** Printed behind its options. */
  about?: string;
  /** Without the word `millwright`. */
  examples: readonly string[];
  /**
   * Makes the options of what commander has read; `words` are those that are no options. `refuse`
   * says what is wrong with the command line. Default: the options as commander has read them.
   */
  read?(given: Given, words: readonly string[], refuse: (fault: string) => never): Options;
  run(options: Options): Promise<Answer>;
}

export type AddCommand = (parent: Command, run: AnswerPrinter) => void;

export function command<Options extends OutputOptions, Given extends object = Options>(
  entry: CommandEntry<Options, Given>,
): AddCommand {
  const { about, examples, read } = entry;
  const shown = ['Examples:', ...examples.map((example) => `  millwright ${example}`)];
  return (parent, run) => {
    const added = addNamed(parent, entry);
    for (const add of entry.options) add(added);
    const refuse = (fault: string): never => added.error(fault);
    added
      .addHelpText('after', ['', ...(about === undefined ? [] : [about, '']), ...shown].join('\n'))
      .action(() => {
        const given = read ? read(added.opts<Given>(), added.args, refuse) : added.opts<Options>();
        return run(given, (options) => entry.run(options));
      });
  };
}

/** `help`: printed behind the list of its commands. */
export function commandGroup(
  group: Named & { help?: string; commands: readonly AddCommand[] },
): AddCommand {
  return (parent, run) => {
    const added = addNamed(parent, group);
    if (group.help !== undefined) added.addHelpText('after', `\n${group.help}`);
    for (const add of group.commands) add(added, run);
  };
}

function addNamed(parent: Command, { name, summary, description }: Named): Command {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return parent
    .command(name)
    .summary(summary)
    .description(description ?? sentence);
}

/** Loads what answers when the command is called: others need not wait for what it imports. */
export function onCluster<Options extends ClusterOptions>(
  load: () => Promise<(scope: ClusterScope, options: Options) => Promise<Answer>>,
): (options: Options) => Promise<Answer> {
  return async (options) =>
    await inCluster(options, async (scope) => await (await load())(scope, options));
}
