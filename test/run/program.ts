import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';

export interface ProgramOptions {
  env?: Record<string, string> | undefined;
  nodeFlags?: readonly string[] | undefined;
}

/** Runs a script of an npm package on this Node; its output goes to ours. Throws when it fails. */
export async function nodeProgram(
  script: string,
  args: readonly string[],
  { env, nodeFlags = [] }: ProgramOptions = {},
): Promise<void> {
  const file = join(repository, 'node_modules', script);
  const child = spawn(process.execPath, [...nodeFlags, file, ...args], {
    cwd: repository,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const end = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
  if (end !== 0) throw new Error(`${script} ended with ${end}`);
}
