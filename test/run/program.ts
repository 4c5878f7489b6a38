import { spawn, type StdioOptions } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../../deploy/local/layout.ts';

export interface ProgramOptions {
  env?: Record<string, string> | undefined;
  /**
   * `ifFailed`: in the error, in one piece, for what runs beside something else. A number: to that
   * file descriptor, and our own standard output is descriptor 3. Default: as it comes, to our own.
   */
  output?: 'asItComes' | 'ifFailed' | number;
  /** Ends it. What throws then is its reason. */
  signal?: AbortSignal | undefined;
}

/** A run that is killed leaves no program behind. */
const parentWatch = pathToFileURL(join(repository, 'deploy/local/parent-watch.mjs')).href;

const stdioFor = (output: ProgramOptions['output']): StdioOptions => {
  if (typeof output === 'number') return ['ignore', output, output, 1];
  return output === 'ifFailed' ? ['ignore', 'pipe', 'pipe'] : 'inherit';
};

/** Runs a script of an npm package on this Node. Throws when it fails. */
export async function nodeProgram(
  script: string,
  args: readonly string[],
  { env, output = 'asItComes', signal }: ProgramOptions = {},
): Promise<void> {
  const file = join(repository, 'node_modules', script);
  const child = spawn(process.execPath, [`--import=${parentWatch}`, file, ...args], {
    cwd: repository,
    stdio: stdioFor(output),
    env: { ...process.env, ...env, MILLWRIGHT_WATCH_PARENT: String(process.pid) },
    signal,
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => printed.push(part));
  const end = await new Promise<number | string>((resolve, reject) => {
    child.once('error', (error) => reject(signal?.aborted ? signal.reason : error));
    // All that it printed has come by then.
    child.once('close', (code, name) => resolve(code ?? name ?? 'nothing'));
  });
  if (end !== 0) throw new Error(`${Buffer.concat(printed).toString()}${script} ended with ${end}`);
}
