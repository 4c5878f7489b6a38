/**
 * Python packages for tests, each set of them in a virtual environment that the cache keeps for all
 * tests of this user.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder } from '../../deploy/local/binaries/acquire.ts';
import { findOnPath, runProgram } from '../../deploy/local/binaries/program.ts';
import { tryLock } from '../../deploy/local/supervision/lock.ts';

/**
 * The interpreter that has what `packages` says, in words of pip. The first call of a user takes a
 * minute and needs PyPI and `python3`.
 *
 * @param name Of the environment in the cache: another one for other packages.
 */
export async function pythonWith(name: string, packages: readonly string[]): Promise<string> {
  const caches = cacheFolder(process.env);
  const folder = join(caches, name);
  const python = join(folder, 'bin', 'python');
  if (existsSync(python)) return python;
  await mkdir(caches, { recursive: true });
  const release = await untilLocked(`${folder}.lock`);
  try {
    // Another test may have been quicker while this one waited for the lock.
    if (!existsSync(python)) await install(folder, packages);
    return python;
  } finally {
    release();
  }
}

/**
 * Beside the cache entry and renamed, so that no entry is ever half-written. The scripts in it name
 * the old folder; Python does not.
 */
async function install(folder: string, packages: readonly string[]): Promise<void> {
  const system = await findOnPath('python3', process.env['PATH'] ?? '');
  if (system === undefined) throw new Error('some tests of drivers need python3 on PATH');
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await runProgram(system, ['-m', 'venv', partial]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await runProgram(join(partial, 'bin', 'python'), [...pip, ...packages]);
  await rename(partial, folder);
}

async function untilLocked(file: string): Promise<() => void> {
  for (;;) {
    const attempt = tryLock(file);
    if (attempt.taken) return attempt.release;
    await pause(200);
  }
}
