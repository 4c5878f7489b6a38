#!/usr/bin/env node
/** The command `millwright`. */
import { CommanderError } from 'commander';
import { reasonOf } from '../workers/log/reason.ts';
import { printAnswer } from './command-line/answer.ts';
import { endWithOutput } from './command-line/closed-output.ts';
import { optionsBehindCommand } from './command-line/option-order.ts';
import { createProgram } from './program.ts';
import { UsageError } from './command-line/usage-error.ts';

endWithOutput();

try {
  const program = createProgram(printAnswer);
  await program.parseAsync(optionsBehindCommand(program, process.argv.slice(2)), { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed what there is to say.
    process.exitCode = error.exitCode === 0 || error.code === 'commander.help' ? 0 : 2;
  } else {
    console.error(reasonOf(error));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
