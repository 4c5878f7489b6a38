/** `millwright completion`: what a shell needs to complete commands, options and live names. */
import type { Command } from 'commander';
import { Argument } from 'commander';

/** Tests type into all but PowerShell, whose script comes with the library. */
const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

const about = `
Examples:
  source <(millwright completion bash)
  millwright completion bash > /etc/bash_completion.d/millwright
  millwright completion zsh > "\${fpath[1]}/_millwright"
  millwright completion fish > ~/.config/fish/completions/millwright.fish

Names of objects, namespaces and contexts come from the cluster that the words before them name; what does not answer
within a second is left out.`;

/** @param build All commands but these. */
export function addCompletion(parent: Command, build: () => Command): void {
  parent
    .command('completion')
    .summary('print what a shell needs to complete commands and names')
    .description('Print what a shell needs to complete commands and names.')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', about)
    .action(async (shell: string) => {
      const { printScript } = await import('./complete.ts');
      printScript(build(), shell);
    });
  // The scripts call it: `millwright complete -- WORDS`.
  parent
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const { complete } = await import('./complete.ts');
      await complete(build(), words);
    });
}
