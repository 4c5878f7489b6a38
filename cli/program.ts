/** All commands. Throws a `CommanderError` when a line cannot be read, or was one for help. */
import { Command, type OutputConfiguration } from 'commander';
import { version } from '../workers/config/version.ts';
import { addActs } from './act/command.ts';
import type { Run } from './command-line/answer.ts';
import { addCodecServer } from './codec-server/command.ts';
import { addCompletion } from './completion/command.ts';
import { addDoctor } from './doctor/command.ts';
import { addDrain } from './drain/command.ts';
import { addDriver } from './driver/command.ts';
import { addExplain } from './explain/command.ts';
import { addMigrate } from './migrate/command.ts';
import { addOffboard } from './offboard/command.ts';
import { addPlan } from './plan/command.ts';
import { addPreserve } from './preserve/command.ts';
import { addRollout } from './rollout/command.ts';
import { addRunbook } from './runbook/command.ts';
import { addSetup } from './setup/command.ts';
import { addStatus } from './status/command.ts';
import { addStart, addStop } from './stop/command.ts';
import { addStuck } from './stuck/command.ts';
import { addTimeline } from './timeline/command.ts';
import { addTree } from './tree/command.ts';
import { addWatch } from './watch/command.ts';

const exitCodes = `
Exit code: 0 done, 1 failed or not as it should be, 2 the command line is wrong.`;

export function createProgram(run: Run, output: OutputConfiguration = {}): Command {
  const program = createCommands(run, output);
  program.commandsGroup('Shells:');
  addCompletion(program, () => createCommands(run, output));
  return program;
}

/** Without those for shells. */
export function createCommands(run: Run, output: OutputConfiguration): Command {
  const program = new Command('millwright')
    .description('Manage machines.')
    .version(version)
    .exitOverride()
    .configureOutput(output)
    .showHelpAfterError('(add --help for what there is)')
    .helpCommand('help [command]', 'show what there is')
    .addHelpText('after', exitCodes);
  program.commandsGroup('See:');
  addStatus(program, run);
  addStuck(program, run);
  addExplain(program, run);
  addTree(program, run);
  addTimeline(program, run);
  addWatch(program, run);
  addRunbook(program, run);
  program.commandsGroup('Plan and check:');
  addDoctor(program, run);
  addPlan(program, run);
  addDrain(program, run);
  program.commandsGroup('When all must stand still:');
  addStop(program, run);
  addStart(program, run);
  program.commandsGroup('Act:');
  addRollout(program, run);
  addActs(program, run);
  addPreserve(program, run);
  program.commandsGroup('Install and remove:');
  addSetup(program, run);
  addMigrate(program, run);
  addOffboard(program, run);
  addCodecServer(program, run);
  addDriver(program, run);
  return program;
}
