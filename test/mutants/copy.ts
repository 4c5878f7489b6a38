/** A copy of the repository in which a mutant can live while the tests run. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../deploy/local/layout.ts';

export interface Change {
  file: string;
  /** Stands in the file exactly once. */
  from: string;
  to: string;
}

const listLimitBytes = 16 * 1024 * 1024;

export class Copy implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Of what git knows and of what is new, as it is now. The npm packages are shared. */
  static async make(): Promise<Copy> {
    const folder = await mkdtemp(join(tmpdir(), 'millwright-mutants-'));
    for (const path of await sources()) {
      await cp(join(repository, path), join(folder, path), { recursive: true });
    }
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
    return new Copy(folder);
  }

  /** Why the mutant cannot be made, if it cannot. */
  async faultOf({ id, file, from, to }: Change & { id: string }): Promise<string | undefined> {
    const path = join(this.folder, file);
    if (!existsSync(path)) return `${id}: there is no ${file}`;
    const text = await readFile(path, 'utf8');
    const times = text.split(from).length - 1;
    if (times !== 1) return `${id}: ${file} has its text ${times} times instead of once`;
    return from === to ? `${id}: changes nothing` : undefined;
  }

  /** Makes the mutant while `body` runs. */
  async with<T>({ file, from, to }: Change, body: () => Promise<T>): Promise<T> {
    const path = join(this.folder, file);
    const text = await readFile(path, 'utf8');
    await writeFile(
      path,
      text.replace(from, () => to),
    );
    try {
      return await body();
    } finally {
      await writeFile(path, text);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

async function sources(): Promise<string[]> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = await promisify(execFile)('git', args, {
    cwd: repository,
    maxBuffer: listLimitBytes,
  });
  const deleted = await promisify(execFile)('git', ['ls-files', '--deleted', '-z'], {
    cwd: repository,
  });
  const gone = new Set(deleted.stdout.split('\0'));
  return stdout.split('\0').filter((path) => path !== '' && !gone.has(path));
}
