/** Options in front of the command, as kubectl takes them: `millwright -n machines status`. */
import type { Command } from 'commander';

/**
 * The words of a command line, with options that stand before the command behind it, where
 * commander reads them, and says which a command does not have.
 */
export function optionsBehindCommand(program: Command, words: readonly string[]): string[] {
  const takesValue = flagsOf(program);
  const path: string[] = [];
  const options: string[] = [];
  let command = program;
  let at = 0;
  while (command.commands.length > 0) {
    const word = words[at] ?? '';
    const named = command.commands.find((one) => one.name() === word);
    const length = lengthOf(word, takesValue);
    if (named) path.push(word);
    else if (length > 0) options.push(...words.slice(at, at + length));
    else break;
    command = named ?? command;
    at += named ? 1 : length;
  }
  return path.length === 0 ? [...words] : [...path, ...options, ...words.slice(at)];
}

/** How many words the option is that begins here; 0: it is none, or none that is known. */
function lengthOf(word: string, takesValue: ReadonlyMap<string, boolean>): number {
  const isFollowed = takesValue.get(word);
  if (isFollowed !== undefined) return isFollowed ? 2 : 1;
  // With its value: --namespace=machines, -nmachines.
  const flag = word.startsWith('--') ? word.split('=', 1)[0] : word.slice(0, 2);
  return takesValue.has(flag ?? '') ? 1 : 0;
}

/** Those of all commands, and whether a value follows: a flag means the same wherever it is. */
function flagsOf({ commands }: Command): Map<string, boolean> {
  return new Map(
    commands.flatMap((command) => [
      ...command.options.flatMap(({ short, long, required }) =>
        [short, long].flatMap((flag) => (flag ? [[flag, required] as const] : [])),
      ),
      ...flagsOf(command),
    ]),
  );
}
