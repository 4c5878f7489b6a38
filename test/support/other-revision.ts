/** Another revision of this repository, in a worktree of its own that can run. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { notPrepared } from '../../deploy/local/binaries/cache.ts';
import { repository } from '../../deploy/local/layout.ts';

const run = promisify(execFile);

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

/** Until there is a release. */
const firstRevision = '9dce5c80';
const revisionVariable = 'MILLWRIGHT_UPGRADE_FROM';

/** Of the release before: what upgrades begin with. */
export async function commitBefore(): Promise<string> {
  const revision = process.env[revisionVariable] ?? (await newestRelease()) ?? firstRevision;
  const commit = await commitOf(revision);
  if (commit !== undefined) return commit;
  throw new Error(
    `the revision "${revision}" to upgrade from is not in this clone: git fetch --unshallow --tags, or name another one in ${revisionVariable}`,
  );
}

/** Text of each file of a folder in another revision. */
export async function filesAt(commit: string, folder: string): Promise<string[]> {
  const { stdout } = await git('ls-tree', '--name-only', commit, `${folder}/`);
  const names = stdout.split('\n').filter((name) => name !== '');
  return await Promise.all(
    names.map(async (name) => (await git('show', `${commit}:${name}`)).stdout),
  );
}

/** The newest tag of a release before the present commit. Undefined while there is none. */
async function newestRelease(): Promise<string | undefined> {
  try {
    const { stdout } = await git('describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^');
    return stdout.trim();
  } catch {
    return undefined;
  }
}

const treeOf = (commit: string): string =>
  join(repository, '.millwright', 'compare', commit.slice(0, 12));

/** npm writes that file last. */
export function isCheckedOut(commit: string): boolean {
  return existsSync(join(treeOf(commit), 'node_modules', '.package-lock.json'));
}

/** The folder that `checkOut` has made. */
export function checkedOut(commit: string): string {
  if (!isCheckedOut(commit)) throw notPrepared(`Commit ${commit}`);
  return treeOf(commit);
}

/**
 * With packages of its own: its scripts install anew what is older than its lock file, and would do
 * so in ours through a link.
 */
export async function checkOut(commit: string): Promise<string> {
  const tree = treeOf(commit);
  if (!existsSync(tree)) await git('worktree', 'add', '--force', '--detach', tree, commit);
  if (isCheckedOut(commit)) return tree;
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tree });
  return tree;
}

function git(...args: string[]): Promise<{ stdout: string }> {
  return run('git', args, { cwd: repository });
}
