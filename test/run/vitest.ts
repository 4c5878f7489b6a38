import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { nodeProgram } from './program.ts';
import type { Project } from './test-files.ts';

export interface VitestRun {
  project: Project;
  /** Paths of the test files. */
  files: readonly string[];
  /** Test files at a time; default as in vitest.config.ts. */
  workers?: number;
  env?: Record<string, string>;
  /** Ends it early. */
  signal?: AbortSignal;
}

export interface TestCounts {
  passed: number;
  failed: number;
  /** Skipped, or only planned. */
  pending: number;
  /** Of each failed test, its file, its title and what it said. */
  failures: readonly string[];
}

interface VitestResults {
  testResults: {
    name: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string; failureMessages: string[] | null }[];
  }[];
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
}

/** Of what a failed test said, in the summary: the whole of it stands where it failed. */
const linesOfFailure = 12;

/** Failing tests are counted, not thrown. */
export async function vitest(run: VitestRun): Promise<TestCounts> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-tests-'));
  const results = join(folder, 'results.json');
  try {
    const problem = await problemOf(vitestProgram(run, results));
    const counts = await countsIn(results);
    // Failed tests make it fail; a file that cannot be loaded, or a hook, is not in the counts.
    if (problem !== undefined && (counts?.failed ?? 0) === 0) throw problem;
    if (counts === undefined) throw new Error('Vitest wrote no results');
    console.log(slowestIn(await readFile(results, 'utf8')));
    return counts;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function vitestProgram(run: VitestRun, results: string): Promise<void> {
  const { project, files, workers, env, signal } = run;
  const args = [
    'run',
    `--project=${project}`,
    '--silent=passed-only',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${results}`,
    ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
    ...files.map((path) => relative(repository, path)),
  ];
  return nodeProgram('vitest/vitest.mjs', args, { env, signal });
}

async function problemOf(run: Promise<void>): Promise<unknown> {
  try {
    await run;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Undefined when Vitest did not get as far as to write them. */
async function countsIn(file: string): Promise<TestCounts | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
  const results: VitestResults = JSON.parse(text);
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests,
    pending: results.numPendingTests + results.numTodoTests,
    failures: failuresIn(results),
  };
}

function failuresIn({ testResults }: VitestResults): string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => {
        const lines = (failureMessages ?? [])
          .flatMap((message) => message.split('\n'))
          .filter((line) => !line.includes('/node_modules/'))
          .slice(0, linesOfFailure);
        return [`${relative(repository, name)}: ${fullName}`, ...lines].join('\n    ');
      }),
  );
}

/** The files that took longest, so that the next person who waits sees where the time goes. */
function slowestIn(text: string): string {
  const { testResults }: VitestResults = JSON.parse(text);
  const rows = testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 10)
    .map(
      ({ name, seconds }) => `${seconds.toFixed(0).padStart(6)} s  ${relative(repository, name)}`,
    );
  return ['Slowest files:', ...rows].join('\n');
}
