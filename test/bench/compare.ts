/**
 * `npm run bench -- compare b00d480 up 100`: this tree against another revision of it, or against
 * the real MCM, in turn, so that what changes the speed of the machine meets both. The other
 * revision measures itself, with its own dependencies, in a worktree of its own.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repository } from '../../deploy/local/layout.ts';
import { compare, formatComparison } from './figures.ts';
import { checkOut, commitOf } from '../support/other-revision.ts';
import type { Part } from './measure.ts';

const run = promisify(execFile);
/** An audit of 2,000 machines, as JSON. */
const longestAnswerBytes = 64 * 1024 * 1024;

export interface ComparisonOptions {
  /** Of git, such as a commit, a branch or a tag; or `mcm`. */
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
  const other = await sideOf(revision, bench);
  const here: Part[][] = [];
  const there: Part[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    console.error(`round ${round} of ${rounds}`);
    // What warms up or wears out meets each side first.
    if (round % 2 === 1) there.push(await measureIn(other.tree, other.bench));
    here.push(await measureIn(repository, bench));
    if (round % 2 === 0) there.push(await measureIn(other.tree, other.bench));
  }
  const comparisons = compare(here, there);
  console.log(
    json ? JSON.stringify(comparisons, undefined, 2) : formatComparison(comparisons, other.name),
  );
}

interface Side {
  /** For people. */
  name: string;
  tree: string;
  bench: readonly string[];
}

async function sideOf(revision: string, bench: readonly string[]): Promise<Side> {
  if (revision === 'mcm') {
    return { name: 'MCM', tree: repository, bench: [...bench, '--controller=mcm'] };
  }
  const commit = await commitOf(revision);
  if (commit === undefined) {
    throw new Error(
      `compare: "${revision}" is neither mcm nor a revision of this repository, such as b00d480`,
    );
  }
  return { name: commit.slice(0, 7), tree: await checkOut(commit), bench };
}

async function measureIn(tree: string, bench: readonly string[]): Promise<Part[]> {
  const args = ['deploy/local/bootstrap.mjs', 'test/bench/run.ts', ...bench, '--json'];
  const options = { cwd: tree, maxBuffer: longestAnswerBytes };
  const { stdout } = await run(process.execPath, args, options);
  const parts: Part[] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return parts;
}
