/** Checks once, before a folder is used, that it can be written and has room; says what helps. */
import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode, messageOf } from './failure.ts';

/** etcd alone takes two files of 64 MiB before it answers. */
const leastMiB = 256;
/** With less, that is what most likely ended a process: etcd takes the next file of 64 MiB. */
const tooLittleMiB = 64;

export interface KeptFolder {
  folder: string;
  /** Name of what is kept there, as in "... cannot be kept". */
  holds: string;
  /** The remedy beside a folder that can be written: how another one is named. */
  otherwise: string;
}

export function stateOf(stateDir: string): KeptFolder {
  const otherwise = 'name another folder with --state-dir';
  return { folder: stateDir, holds: 'the state of the stack', otherwise };
}

/** Makes the folder. Throws where it cannot be written, or has too little room. */
export function requireRoom({ folder, holds, otherwise }: KeptFolder, wantedMiB = leastMiB): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Error(
      `${folder}: ${holds} cannot be kept there (${messageOf(error)}): make it writable, or ${otherwise}`,
      { cause: error },
    );
  }
  const free = freeMiB(folder);
  if (free >= wantedMiB) return;
  throw new Error(
    `${folder}: no space left: its disk has ${free} MiB free, and ${holds} needs ${wantedMiB} MiB: free some, or ${otherwise}`,
  );
}

/** Returns the fault that ends a process that writes there; undefined where there is room. */
export function lackOfRoom(
  { folder, otherwise }: KeptFolder,
  wantedMiB = tooLittleMiB,
): string | undefined {
  const free = freeMiB(folder);
  if (free >= wantedMiB) return undefined;
  return `no space left: the disk of ${folder} has ${free} MiB free: free some, or ${otherwise}`;
}

/** `mkdir` with `recursive` never ends below a folder that takes none, such as /proc. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

function freeMiB(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return Math.floor((bavail * bsize) / 2 ** 20);
}
