/** Runs the unit tests of a mutant in a copy of the repository. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { testFilesOf } from '../run/test-files.ts';
import type { Change, Copy } from './copy.ts';

export type Verdict = 'killed' | 'killed by the time limit' | 'survived';

/** How many files are tried first, before others pay for more of them. */
const firstFiles = 3;

/** A mutant may wait for ever, which no test of the code as it is does. */
const limitMilliseconds = 30 * 60_000;

/** The paths of a pattern. */
export async function testsOf(pattern: string): Promise<string[]> {
  return (await testFilesOf('unit', pattern)).map((path) => relative(repository, path));
}

/** Whether these files pass, or do not end. */
export async function testsPass(
  copy: Copy,
  files: readonly string[],
): Promise<boolean | 'too long'> {
  const code = await runJest(copy, ['--bail', ...files], limitMilliseconds);
  return code === undefined ? 'too long' : code === 0;
}

/** Those that fail, or that are missing in the report of Jest. */
export async function failingTests(copy: Copy, files: readonly string[]): Promise<string[]> {
  const report = join(copy.folder, 'report.json');
  await runJest(copy, ['--json', '--outputFile', report, ...files]);
  const { testResults }: { testResults: { name: string; status: string }[] } = JSON.parse(
    await readFile(report, 'utf8'),
  );
  const passed = testResults.filter(({ status }) => status === 'passed');
  const names = new Set(passed.map(({ name }) => relative(copy.folder, name)));
  return files.filter((file) => !names.has(file));
}

/** Its exit code; none: it had to be killed. */
async function runJest(
  copy: Copy,
  args: readonly string[],
  limit?: number,
): Promise<number | undefined> {
  const child = spawn(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--maxWorkers=1', '--runTestsByPath', ...args],
    { cwd: copy.folder, stdio: 'ignore' },
  );
  const timer = limit === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), limit);
  const [code]: unknown[] = await once(child, 'exit');
  clearTimeout(timer);
  return typeof code === 'number' ? code : undefined;
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
