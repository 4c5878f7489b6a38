/** What the command lines of all commands have in common. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';

/** Of one command and those below it. */
export interface CommandLine<Options extends ParseArgsOptionsConfig> {
  /** Throws what `wrong` makes of a line that does not fit the options. */
  parse(
    argv: readonly string[],
  ): ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>>;
  /** With where to read on. */
  wrong(message: string): UsageError;
}

/** `help`: the command that shows what there is, such as `millwright --help`. */
export function commandLine<const Options extends ParseArgsOptionsConfig>(
  options: Options,
  help: string,
): CommandLine<Options> {
  const wrong = (message: string) => new UsageError(`${message}\n${help} shows what there is.`);
  return {
    wrong,
    parse(argv) {
      try {
        return parseArgs({ args: [...argv], options, allowPositionals: true });
      } catch (error) {
        throw wrong(error instanceof Error ? error.message : String(error));
      }
    },
  };
}
