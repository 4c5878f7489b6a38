import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runProgram } from '../../deploy/local/binaries/program.ts';

/**
 * The folder of each Node on which the command is tried: the one that runs the tests, and the
 * machine's own, which may be as old as README.md allows.
 */
export async function foldersOfNodes(): Promise<string[]> {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => existsSync(join(folder, 'node')));
  const own = folders.find((folder) => !folder.includes('node_modules'));
  const candidates = [join(process.execPath, '..'), ...(own === undefined ? [] : [own])];
  const versions = await Promise.all(
    candidates.map((folder) => runProgram(join(folder, 'node'), ['--version'])),
  );
  console.log(`the command is tried on ${versions.map((version) => version.trim()).join(', ')}`);
  return candidates;
}
