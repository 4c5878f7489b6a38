/** The processes as the image holds them, which is what users run. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { nodeFlags } from '../../deploy/local/components/operator.ts';
import type { Layout } from '../../deploy/local/layout.ts';
import { buildProcesses } from '../../tools/build/processes.ts';

/** On a machine that others keep busy. */
const longestStartMs = 120_000;

/** Builds them, and their compiled code as deploy/Dockerfile does. */
export async function prepareImage(folder: string, { compileCache }: Layout): Promise<void> {
  await mkdir(folder, { recursive: true });
  await buildProcesses(folder);
  for (const role of ['watcher', 'worker']) {
    const args = [...nodeFlags, join(folder, `${role}.js`), '--help'];
    const env = { NODE_COMPILE_CACHE: compileCache };
    await runProgram(process.execPath, args, { env, limitMs: longestStartMs });
  }
}
