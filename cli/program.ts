/** All commands. Throws a `CommanderError` when a line cannot be read, or was one for help. */
import { Command, type OutputConfiguration } from 'commander';
import { version } from '../workers/config/version.ts';
import type { AnswerPrinter } from './command-line/answer.ts';
import { actCommands } from './commands/act.ts';
import { checkCommands, stopCommands } from './commands/check.ts';
import { installCommands } from './commands/install.ts';
import { seeCommands } from './commands/see.ts';
import { userDataCommands } from './commands/userdata.ts';
import { addCompletion } from './completion/command.ts';

const groups = {
  'See:': seeCommands,
  'Plan and check:': [...checkCommands, ...userDataCommands],
  'When all must stand still:': stopCommands,
  'Act:': actCommands,
  'Install and remove:': installCommands,
};

const exitCodes = `
Exit code: 0 done, 1 failed or not as it should be, 2 the command line is wrong.`;

export function createProgram(run: AnswerPrinter, output: OutputConfiguration = {}): Command {
  const program = createCommands(run, output);
  program.commandsGroup('Shells:');
  addCompletion(program, () => createCommands(run, output));
  return program;
}

/** Without those for shells. */
export function createCommands(run: AnswerPrinter, output: OutputConfiguration): Command {
  const program = new Command('millwright')
    .description('Manage machines.')
    .version(version)
    .exitOverride()
    .configureOutput(output)
    .showHelpAfterError('(add --help for what there is)')
    .helpCommand('help [command]', 'show what there is')
    .addHelpText('after', exitCodes);
  for (const [title, commands] of Object.entries(groups)) {
    program.commandsGroup(title);
    for (const add of commands) add(program, run);
  }
  return program;
}
