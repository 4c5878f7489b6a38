#!/usr/bin/env node
/** The command `millwright`. */
import { CommanderError } from 'commander';
import { reasonOf } from '../workers/log/reason.ts';
import { printAnswer } from './answer.ts';
import { endWithOutput } from './closed-output.ts';
import { createProgram } from './program.ts';
import { UsageError } from './usage-error.ts';

/** Commander has printed what there is to say. */
const exitCodeOf = ({ exitCode, code }: CommanderError): number =>
  exitCode === 0 || code === 'commander.help' ? 0 : 2;

endWithOutput();

try {
  await createProgram(printAnswer).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = exitCodeOf(error);
  } else {
    console.error(reasonOf(error));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
