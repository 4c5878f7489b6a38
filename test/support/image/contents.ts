/** What lies in the folder of an image. */
import { open, readdir, lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface Contents {
  /** Paths below the folder. */
  files: readonly string[];
  /** Of all files together. Engines count this, and not the blocks of a disk. */
  megabytes: number;
}

export async function contentsOf(folder: string): Promise<Contents> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  let bytes = 0;
  for (const path of paths) bytes += (await lstat(path)).size;
  return { files: paths.map((path) => relative(folder, path)), megabytes: bytes / 1e6 };
}

/** As the header of an ELF file numbers them. */
const machines: Readonly<Record<number, string>> = { 0x3e: 'amd64', 0xb7: 'arm64' };

/** What a native file is for, as Docker names it; undefined when it is for no Linux. */
export async function architectureOf(file: string): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(20), 0, 20, 0);
    if (buffer.toString('latin1', 0, 4) !== '\u007fELF') return undefined;
    return machines[buffer.readUInt16LE(18)];
  } finally {
    await handle.close();
  }
}
