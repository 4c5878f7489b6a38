import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';

export interface ProgramOptions {
  env?: Record<string, string> | undefined;
  nodeFlags?: readonly string[] | undefined;
  /**
   * `ifFailed`: in the error, in one piece, for what runs beside something else. Default: as it
   * comes, to our own.
   */
  output?: 'asItComes' | 'ifFailed';
}

/** Runs a script of an npm package on this Node. Throws when it fails. */
export async function nodeProgram(
  script: string,
  args: readonly string[],
  { env, nodeFlags = [], output = 'asItComes' }: ProgramOptions = {},
): Promise<void> {
  const file = join(repository, 'node_modules', script);
  const child = spawn(process.execPath, [...nodeFlags, file, ...args], {
    cwd: repository,
    stdio: output === 'asItComes' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => printed.push(part));
  const end = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    // All that it printed has come by then.
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
  if (end !== 0) throw new Error(`${Buffer.concat(printed).toString()}${script} ended with ${end}`);
}
