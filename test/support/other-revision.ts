/** Another revision of this repository, in a worktree of its own that can run. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../deploy/local/layout.ts';

const run = promisify(execFile);
const lockFile = 'package-lock.json';

/** Undefined where git knows no such revision. */
export async function commitOf(revision: string): Promise<string | undefined> {
  try {
    const { stdout } = await git(
      'rev-parse',
      '--verify',
      '--end-of-options',
      `${revision}^{commit}`,
    );
    return stdout.trim();
  } catch {
    return undefined;
  }
}

/** The newest tag of a release before the present commit. Undefined while there is none. */
export async function newestRelease(): Promise<string | undefined> {
  try {
    const { stdout } = await git('describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^');
    return stdout.trim();
  } catch {
    return undefined;
  }
}

/** With its own packages; those of this tree where both lock the same ones. */
export async function checkOut(commit: string): Promise<string> {
  const tree = join(repository, '.millwright', 'compare', commit.slice(0, 12));
  if (!existsSync(tree)) await git('worktree', 'add', '--force', '--detach', tree, commit);
  if (existsSync(join(tree, 'node_modules', '.package-lock.json'))) return tree;
  const [own, other] = [repository, tree].map((at) => readFileSync(join(at, lockFile), 'utf8'));
  if (own === other) symlinkSync(join(repository, 'node_modules'), join(tree, 'node_modules'));
  else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tree });
  return tree;
}

function git(...args: string[]): Promise<{ stdout: string }> {
  return run('git', args, { cwd: repository });
}
