/** Answers a shell, by @bomb.sh/tab and its adapter for commander. */
import type { RootCommand } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import type { Names } from './live-names.ts';
import { optionsBehindCommand } from '../command-line/option-order.ts';
import { readNames } from './live-names.ts';
import { bashScript, zshScript } from './scripts.ts';
import { wordsBefore } from './words.ts';

const ownScripts = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
]);

export function printScript(program: Command, shell: string): void {
  const own = ownScripts.get(shell);
  if (own === undefined) register(program).setup(program.name(), program.name(), shell);
  else console.log(own);
}

/** @param words The last one is to be completed; it may be empty. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const root = register(program);
  const last = words.slice(-1);
  const ordered = [...optionsBehindCommand(program, words.slice(0, -1)), ...last];
  addNames(root, await readNames(wordsBefore(ordered)));
  root.parse(ordered);
}

/** The adapter has commands of its own for the two, which are not called. */
function register(program: Command): RootCommand {
  return tab(program, { completionCommandName: 'completion' });
}

/** The library asks for names while it prints them, so they have to be there. */
function addNames(root: RootCommand, { ofObjects, ofOptions }: Names): void {
  // In front of a command.
  for (const [option, names] of ofOptions) {
    const alias = option === 'namespace' ? 'n' : undefined;
    root.option(option, '', (add) => names.forEach((name) => add(name, '')), alias);
  }
  for (const command of root.commands.values()) {
    const objects = command.arguments.get('kind/name');
    if (objects) objects.handler = (add) => ofObjects.forEach((name) => add(name, ''));
    for (const [option, names] of ofOptions) {
      const found = command.options.get(option);
      if (found) found.handler = (add) => names.forEach((name) => add(name, ''));
    }
  }
}
