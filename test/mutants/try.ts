/** Runs the unit tests of a mutant in a copy of the repository. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { testFilesOf } from '../run/test-files.ts';
import type { Copy } from './copy.ts';
import type { Mutant } from './mutants.ts';

export type Verdict = 'killed' | 'killed by the time limit' | 'survived';

/** A mutant may wait for ever, which no test of the code as it is does. */
const limitMilliseconds = 30 * 60_000;

/** Whether the tests of this pattern pass, or do not end. */
export async function testsPass(copy: Copy, pattern: string): Promise<boolean | 'too long'> {
  const files = await testFilesOf('unit', pattern);
  const child = spawn(
    process.execPath,
    [
      'node_modules/jest/bin/jest.js',
      '--maxWorkers=1',
      '--bail',
      '--runTestsByPath',
      ...files.map((path) => relative(repository, path)),
    ],
    { cwd: copy.folder, stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  let isTooLong = false;
  const timer = setTimeout(() => {
    isTooLong = true;
    child.kill('SIGKILL');
  }, limitMilliseconds);
  const [code]: unknown[] = await ended;
  clearTimeout(timer);
  return isTooLong ? 'too long' : code === 0;
}

export async function tryMutant(copy: Copy, mutant: Mutant): Promise<Verdict> {
  const result = await copy.with(mutant, () => testsPass(copy, mutant.tests));
  if (result === 'too long') return 'killed by the time limit';
  return result ? 'survived' : 'killed';
}
