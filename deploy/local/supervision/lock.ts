import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identityOf, isAlive, type ProcessIdentity } from './identity.ts';
import { hasCode } from '../failure.ts';

export type LockAttempt =
  { taken: true; release: () => void } | { taken: false; holder: ProcessIdentity };

/**
 * Takes a lock file for this process. A lock whose holder died is taken over. The file appears with
 * its content in one step (a hard link), so a reader never sees half a holder.
 */
export function tryLock(file: string): LockAttempt {
  mkdirSync(dirname(file), { recursive: true });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identityOf(process.pid)));
  try {
    return attempt(file, own);
  } finally {
    rmSync(own, { force: true });
  }
}

function attempt(file: string, own: string): LockAttempt {
  // Each round either ends or removes one dead holder; more rounds than that mean a broken file
  // system.
  for (let round = 0; round < 10; round += 1) {
    if (tryLink(own, file)) return { taken: true, release: () => rmSync(file, { force: true }) };
    const holder = lockHolder(file);
    if (holder !== undefined && isAlive(holder)) return { taken: false, holder };
    dropDead(file, own);
  }
  throw new Error(`Cannot take the lock ${file}: remove the file if no other start is running.`);
}

/**
 * Moves a dead holder's lock away; puts it back if a living process was quicker and it is theirs.
 */
function dropDead(file: string, own: string): void {
  const aside = `${own}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const holder = lockHolder(aside);
  if (holder !== undefined && isAlive(holder)) tryLink(aside, file);
  rmSync(aside, { force: true });
}

/**
 * Returns the process that holds the lock, dead or alive; undefined when no process does. A lock
 * that cannot be read counts as free: it appears whole, so that only a power failure can have cut
 * it.
 */
export function lockHolder(file: string): ProcessIdentity | undefined {
  try {
    const holder: ProcessIdentity = JSON.parse(readFileSync(file, 'utf8'));
    return holder;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}
