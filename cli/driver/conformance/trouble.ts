/** Troubles of a cloud that the author of a driver arranges: `driver verify --trouble COMMAND`. */
import { execFile } from 'node:child_process';
import { Skipped } from './verdict.ts';

export const troubles = {
  silent: 'the cloud takes every request and never answers',
  stranger: 'something else answers every request, with an HTML page and status 404',
  dying: 'the cloud accepts new instances, and each ends right after its create',
  over: 'the cloud is well again',
} as const;

/** Has the cloud be so from now on. Throws a `Skipped` when it cannot. */
export type Trouble = (kind: keyof typeof troubles) => Promise<void>;

/** Exit code of a command that does not know this trouble. */
const unknownTrouble = 3;
const limitMilliseconds = 60_000;

/** Runs `command KIND` in a shell. */
export function troubleBy(command: string): Trouble {
  return async (kind) => {
    const { code, stderr } = await run(`${command} ${kind}`);
    if (code === unknownTrouble) throw new Skipped(`--trouble does not know "${kind}"`);
    if (code !== 0)
      throw new Error(`--trouble: "${command} ${kind}" failed (${String(code)}): ${stderr}`);
  };
}

async function run(line: string): Promise<{ code: unknown; stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stderr: string }>();
  const options = { timeout: limitMilliseconds };
  execFile('/bin/sh', ['-c', line], options, (error, _stdout, stderr) => {
    resolve({ code: error ? (error.code ?? error.signal) : 0, stderr: stderr.trim() });
  });
  return await promise;
}
