/** Runs the unit tests of a mutant in a copy of the repository. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { testFilesOf } from '../run/test-files.ts';
import type { Change, Copy } from './copy.ts';

export type Verdict = 'killed' | 'killed by the time limit' | 'survived';

/** How many files are tried first, before others pay for more of them. */
const firstFiles = 3;

/** A mutant may wait for ever, which no test of the code as it is does. */
const limitMilliseconds = 300_000;

/** The paths of a pattern. */
export async function testsOf(pattern: string): Promise<string[]> {
  return (await testFilesOf('unit', pattern)).map((path) => relative(repository, path));
}

/** Whether these files pass, or do not end. */
export async function testsPass(
  copy: Copy,
  files: readonly string[],
): Promise<boolean | 'too long'> {
  const child = spawn(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--maxWorkers=1', '--bail', '--runTestsByPath', ...files],
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

/** Its tests are in the order in which they may notice it. */
export async function tryMutant(
  copy: Copy,
  mutant: Change,
  tests: readonly string[],
): Promise<Verdict> {
  return await copy.with(mutant, async () => {
    for (const files of [tests.slice(0, firstFiles), tests.slice(firstFiles)]) {
      if (files.length === 0) continue;
      const result = await testsPass(copy, files);
      if (result === 'too long') return 'killed by the time limit';
      if (!result) return 'killed';
    }
    return 'survived';
  });
}
