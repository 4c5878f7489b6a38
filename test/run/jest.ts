/** Runs Jest on some test files, and counts what came of it. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { lastLines } from '../../deploy/local/binaries/program.ts';
import { outputVariable } from './output.ts';
import { nodeProgram } from './program.ts';
import type { Project } from './test-files.ts';

export interface JestRun {
  project: Project;
  /** Paths of the test files. */
  files: readonly string[];
  /** Test files at a time; default as in jest.config.ts. */
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
  /** Failed once, and passed when they ran again. */
  unsteady: readonly string[];
}

interface FileResult {
  /** Path of the file. */
  name: string;
  startTime: number;
  endTime: number;
  status: string;
  /** What failed, also where no test did. */
  message: string;
  assertionResults: TestResult[];
}

interface TestResult {
  status: string;
  ancestorTitles: readonly string[];
  title: string;
  failureMessages: string[] | null;
}

/** Of what a failed test said, in the summary: the whole of it stands where it failed. */
const linesOfFailure = 12;
/** Of what all tests printed, where Jest itself failed. */
const linesOfOutput = 40;

/**
 * Failing tests are counted, not thrown. The files in which one failed run once more, one at a
 * time: what passes then is unsteady, and no failure.
 */
export async function jest(run: JestRun): Promise<TestCounts> {
  const first = await resultsOf(run);
  console.log(slowestIn(first));
  const failed = first.filter((file) => file.status === 'failed');
  if (failed.length === 0) return countsIn(first, []);
  console.log(`\n${failed.length} files failed. They run once more, one at a time:`);
  const again = await resultsOf({ ...run, files: failed.map(({ name }) => name), workers: 1 });
  const names = new Set(again.map(({ name }) => name));
  const last = [...first.filter(({ name }) => !names.has(name)), ...again];
  const stillFailing = new Set(failuresIn(last).map(({ title }) => title));
  const unsteady = failuresIn(failed).filter(({ title }) => !stillFailing.has(title));
  return countsIn(last, unsteady.map(textOf));
}

async function resultsOf(run: JestRun): Promise<FileResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-tests-'));
  const results = join(folder, 'results.json');
  try {
    const problem = await problemOf(jestProgram(run, results));
    const found = await resultsIn(results);
    // Where a test failed, Jest fails as well.
    if (found !== undefined) return found;
    const printed = lastLines(await readFile(outputFileOf(run), 'utf8'), linesOfOutput);
    throw problem ?? new Error(`Jest wrote no results. The last that it printed:\n${printed}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function jestProgram(run: JestRun, results: string): Promise<void> {
  const { files, workers, env, signal } = run;
  const args = [
    '--json',
    `--outputFile=${results}`,
    ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
    '--runTestsByPath',
    ...files.map((path) => relative(repository, path)),
  ];
  mkdirSync(dirname(outputFileOf(run)), { recursive: true });
  const output = openSync(outputFileOf(run), 'w');
  try {
    const variables = { ...env, [outputVariable]: '3' };
    await nodeProgram('jest/bin/jest.js', args, { env: variables, signal, output });
  } finally {
    closeSync(output);
  }
}

/** What the tests print themselves, which would hide the lines of hundreds of files. */
export function outputFileOf({ project }: Pick<JestRun, 'project'>): string {
  return join(repository, '.millwright', `${project}-tests.log`);
}

async function problemOf(run: Promise<void>): Promise<unknown> {
  try {
    await run;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Undefined when Jest did not get as far as to write them. */
async function resultsIn(file: string): Promise<FileResult[] | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
  const { testResults }: { testResults: FileResult[] } = JSON.parse(text);
  return testResults;
}

function countsIn(files: readonly FileResult[], unsteady: readonly string[]): TestCounts {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (status: string): number => tests.filter((one) => one.status === status).length;
  const failures = failuresIn(files).map(textOf);
  const passed = count('passed');
  return { passed, failed: failures.length, pending: count('pending'), failures, unsteady };
}

interface Failure {
  title: string;
  lines: readonly string[];
}

const textOf = ({ title, lines }: Failure): string => [title, ...lines].join('\n    ');

/** A file that cannot be loaded, or whose process ended, has no failed test and is one itself. */
function failuresIn(files: readonly FileResult[]): Failure[] {
  return files
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const path = relative(repository, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [{ title: path, lines: shortened(message) }];
      return failed.map(({ ancestorTitles, title, failureMessages }) => ({
        title: `${path}: ${[...ancestorTitles, title].join(' > ')}`,
        lines: shortened((failureMessages ?? []).join('\n')),
      }));
    });
}

function shortened(text: string): string[] {
  const lines = text.split('\n').filter((line) => !line.includes('/node_modules/'));
  return lines.slice(0, linesOfFailure);
}

/** The files that took longest, so that the next person who waits sees where the time goes. */
function slowestIn(files: readonly FileResult[]): string {
  const rows = files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 10)
    .map(
      ({ name, seconds }) => `${seconds.toFixed(0).padStart(6)} s  ${relative(repository, name)}`,
    );
  return ['Slowest files:', ...rows].join('\n');
}
