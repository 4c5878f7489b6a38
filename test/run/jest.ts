import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { nodeProgram } from './program.ts';
import type { Project } from './test-files.ts';

export interface JestRun {
  project: Project;
  pattern?: string | undefined;
  /** Regular expressions of paths. */
  ignored?: readonly string[];
  /** Test files at a time; default as in jest.config.mjs. */
  workers?: number;
  env?: Record<string, string>;
}

export interface TestCounts {
  passed: number;
  failed: number;
  /** Skipped, or only planned. */
  pending: number;
}

interface JestResults {
  testResults: { name: string; startTime: number; endTime: number }[];
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** Files that could not even be loaded. */
  numRuntimeErrorTestSuites: number;
}

/** Failing tests are counted, not thrown. */
export async function jest(run: JestRun): Promise<TestCounts> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-jest-'));
  const results = join(folder, 'results.json');
  try {
    const problem = await problemOf(jestProgram(run, results));
    const counts = await countsIn(results);
    // Failed tests make jest fail; anything else that does is not in the counts.
    if (problem !== undefined && (counts?.failed ?? 0) === 0) throw problem;
    if (counts === undefined) throw new Error('jest wrote no results');
    console.log(slowestIn(await readFile(results, 'utf8')));
    return counts;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function jestProgram(run: JestRun, results: string): Promise<void> {
  const { project, pattern, ignored = [], workers, env } = run;
  const args = [
    `--selectProjects=${project}`,
    '--json',
    `--outputFile=${results}`,
    ...(pattern === undefined ? [] : [`--testPathPatterns=${pattern}`]),
    ...ignored.map((path) => `--testPathIgnorePatterns=${path}`),
    ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
  ];
  return nodeProgram('jest/bin/jest.js', args, {
    env,
    nodeFlags: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  });
}

async function problemOf(run: Promise<void>): Promise<unknown> {
  try {
    await run;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Undefined when jest did not get as far as to write them. */
async function countsIn(file: string): Promise<TestCounts | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
  const results: JestResults = JSON.parse(text);
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    pending: results.numPendingTests + results.numTodoTests,
  };
}

/** The files that took longest, so that the next person who waits sees where the time goes. */
function slowestIn(text: string): string {
  const { testResults }: JestResults = JSON.parse(text);
  const rows = testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 10)
    .map(
      ({ name, seconds }) => `${seconds.toFixed(0).padStart(6)} s  ${relative(repository, name)}`,
    );
  return ['Slowest files:', ...rows].join('\n');
}
