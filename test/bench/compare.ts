/**
 * `npm run bench -- compare b00d480 up 100`: this tree against another revision of it, in turn, so
 * that what changes the speed of the machine meets both. The other revision measures itself, with
 * its own dependencies, in a worktree of its own.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../deploy/local/layout.ts';
import { compare, formatComparison } from './figures.ts';
import type { Part } from './measure.ts';

const run = promisify(execFile);
/** An audit of 2,000 machines, as JSON. */
const longestAnswerBytes = 64 * 1024 * 1024;

export interface ComparisonOptions {
  /** Of git, such as a commit, a branch or a tag. */
  revision: string;
  rounds: number;
  /** What to measure, as the command line has it. */
  bench: readonly string[];
  json: boolean;
}

export async function compareWith({
  revision,
  rounds,
  bench,
  json,
}: ComparisonOptions): Promise<void> {
  const commit = await commitOf(revision);
  const trees = { here: repository, there: await checkOut(commit) };
  const here: Part[][] = [];
  const there: Part[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    console.error(`round ${round} of ${rounds}`);
    // What warms up or wears out meets each side first.
    if (round % 2 === 1) there.push(await measureIn(trees.there, bench));
    here.push(await measureIn(trees.here, bench));
    if (round % 2 === 0) there.push(await measureIn(trees.there, bench));
  }
  const comparisons = compare(here, there);
  console.log(
    json ? JSON.stringify(comparisons, undefined, 2) : formatComparison(comparisons, commit),
  );
}

async function commitOf(revision: string): Promise<string> {
  try {
    const { stdout } = await git(
      'rev-parse',
      '--verify',
      '--end-of-options',
      `${revision}^{commit}`,
    );
    return stdout.trim();
  } catch {
    throw new Error(`compare: "${revision}" is not a revision of this repository, such as b00d480`);
  }
}

async function checkOut(commit: string): Promise<string> {
  const tree = join(repository, '.millwright', 'compare', commit.slice(0, 12));
  if (!existsSync(tree)) await git('worktree', 'add', '--force', '--detach', tree, commit);
  if (!existsSync(join(tree, 'node_modules', '.package-lock.json'))) {
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tree });
  }
  return tree;
}

function git(...args: string[]): Promise<{ stdout: string }> {
  return run('git', args, { cwd: repository });
}

async function measureIn(tree: string, bench: readonly string[]): Promise<Part[]> {
  const args = ['deploy/local/bootstrap.mjs', 'test/bench/run.ts', ...bench, '--json'];
  const options = { cwd: tree, maxBuffer: longestAnswerBytes };
  const { stdout } = await run(process.execPath, args, options);
  const parts: Part[] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return parts;
}
