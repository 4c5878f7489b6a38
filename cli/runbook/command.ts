/** `millwright runbook`: what to do about a trouble, also where the repository is not at hand. */
import type { Command } from 'commander';
import type { Run } from '../command-line/answer.ts';
import type { OutputOptions } from '../command-line/options.ts';
import { withOutput } from '../command-line/options.ts';

export interface RunbookQuestion extends OutputOptions {
  /** Of the page. Undefined: which there are. */
  name: string | undefined;
}

const about = `
The name is that of the trouble in "millwright stuck" and of the label "runbook" of an alert.

Examples:
  millwright runbook
  millwright runbook drain-budget | less`;

export function addRunbook(parent: Command, run: Run): void {
  const command = parent
    .command('runbook')
    .argument('[name]', 'of a trouble')
    .summary('print what to do about a trouble')
    .description('Print the page that says what to do about a trouble.');
  withOutput(command)
    .addHelpText('after', about)
    .action((name: string | undefined, options: OutputOptions) =>
      run({ ...options, name }, async (asked) => {
        const { runbook } = await import('./runbook.ts');
        return runbook(asked);
      }),
    );
}
