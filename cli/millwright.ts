#!/usr/bin/env node
/** The command `millwright`. */
import { CommanderError } from 'commander';
import { reasonOf } from '../workers/log/reason.ts';
import { printAnswer } from './answer.ts';
import { createProgram } from './program.ts';
import { UsageError } from './usage-error.ts';

/** Commander has printed what there is to say. */
const exitCodeOf = ({ exitCode, code }: CommanderError): number =>
  exitCode === 0 || code === 'commander.help' ? 0 : 2;

/** `millwright status | head` closes the pipe when it has enough: that is no failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(process.exitCode);
});

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
