#!/usr/bin/env node
/**
 * `kubectl_complete-millwright`: kubectl runs it with the words behind `kubectl millwright` when
 * the key Tab is hit, and passes on what it prints.
 */
import { printAnswer } from './command-line/answer.ts';
import { complete } from './completion/complete.ts';
import { createCommands } from './program.ts';

await complete(createCommands(printAnswer, {}), process.argv.slice(2));
