/** The stack that the e2e tests share. `test/run.ts` starts it and says where it is. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { layoutOf, type Layout } from '../../../deploy/local/layout.ts';
import { readStack, type Stack } from '../../../deploy/local/stack.ts';

export const stateDirVariable = 'MILLWRIGHT_TEST_STATE_DIR';
/**
 * `true` for `npm run test:all`: all scenarios that may have two of each process have them, and all
 * histories are replayed instead of one of each shape.
 */
export const nightVariable = 'MILLWRIGHT_TEST_NIGHT';

export interface TestStack {
  stack: Stack;
  layout: Layout;
  temporalAddress: string;
  virtualCloud: string;
}

export function isNight(): boolean {
  return process.env[nightVariable] === 'true';
}

/** Throws when no stack runs. */
export function testStack(): TestStack {
  const stateDir = process.env[stateDirVariable];
  if (stateDir === undefined) {
    throw new Error(
      `${stateDirVariable} is not set. Run "npm test -- --only e2e", or name the state folder of a stack that runs with --no-operator --audit.`,
    );
  }
  const stack = readStack(stateDir);
  if (stack === undefined) throw new Error(`${stateDirVariable}: no stack runs in ${stateDir}`);
  return testStackOf(stack);
}

export function testStackOf(stack: Stack): TestStack {
  return {
    stack,
    layout: layoutOf(stack.stateDir),
    temporalAddress: variable(stack, 'TEMPORAL_ADDRESS'),
    virtualCloud: variable(stack, 'MILLWRIGHT_VIRTUAL_CLOUD'),
  };
}

function variable({ environment, stateDir }: Stack, name: string): string {
  const value = environment[name];
  if (value === undefined) throw new Error(`The stack in ${stateDir} does not tell its ${name}`);
  return value;
}

/** Logs of one scenario's operator; the folder is made. */
export function logFolderOf({ layout }: TestStack, scenario: string): string {
  const folder = join(layout.logs, 'e2e', scenario);
  mkdirSync(folder, { recursive: true });
  return folder;
}
