#!/usr/bin/env node
/** The command `millwright`. */
import { CommanderError } from 'commander';
import { reasonOf } from '../workers/log/reason.ts';
import { printAnswer } from './command-line/answer.ts';
import { endWithOutput } from './command-line/closed-output.ts';
import { optionsBehindCommand } from './command-line/option-order.ts';
import { createProgram } from './program.ts';
import { UsageError } from './command-line/usage-error.ts';

/** Commander has printed what there is to say. */
const exitCodeOf = ({ exitCode, code }: CommanderError): number =>
  exitCode === 0 || code === 'commander.help' ? 0 : 2;

endWithOutput();

try {
  const program = createProgram(printAnswer);
  await program.parseAsync(optionsBehindCommand(program, process.argv.slice(2)), { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = exitCodeOf(error);
  } else {
    console.error(reasonOf(error));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
