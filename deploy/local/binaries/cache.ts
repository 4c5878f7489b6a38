/** Where what was made is kept, for all clones of a user. */
import { mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolder, type KeptFolder } from '../room.ts';
import { tryLock } from '../supervision/lock.ts';

/** The XDG specification has an empty variable and a path that is not absolute pass for none. */
export function cacheFolder({ XDG_CACHE_HOME: named = '' }: NodeJS.ProcessEnv): string {
  return join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'millwright');
}

export function cachePlace(env: NodeJS.ProcessEnv): KeptFolder {
  const otherwise = 'set XDG_CACHE_HOME to another folder';
  return { folder: cacheFolder(env), holds: 'what is fetched and built', otherwise };
}

/** The error for a missing program: tests, and stacks that tests start, make nothing on the way. */
export function notPrepared(what: string): Error {
  return new Error(`${what} is not prepared: run "npm run prepare:all" once, which gets it`);
}

/**
 * Runs what makes entries of the cache: alone among all processes, and with an empty folder beside
 * them, from which they are renamed, so that no entry is ever half-written.
 */
export async function makingEntries(
  name: string,
  { cacheDir, report }: { cacheDir: string; report: (line: string) => void },
  make: (folder: string) => Promise<void>,
): Promise<void> {
  const path = join(cacheDir, name);
  makeFolder(cacheDir);
  const release = await untilLocked(`${path}.lock`, report);
  const folder = `${path}.partial`;
  try {
    // A killed start left this folder; it is only in the way, as no other process is at work.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    await make(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    release();
  }
}

/** As long as the other runs: it may build all of Kubernetes on a slow machine. */
async function untilLocked(file: string, report: (line: string) => void): Promise<() => void> {
  for (let isTold = false; ; isTold = true) {
    const attempt = tryLock(file);
    if (attempt.taken) return attempt.release;
    if (!isTold) report(`waiting for process ${attempt.holder.pid}, which makes it`);
    await delay(200 + Math.random() * 100);
  }
}
