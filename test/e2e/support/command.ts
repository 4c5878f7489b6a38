/** The command `millwright`, run as a person runs it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import type { Scenario } from './scenario.ts';
import { testStack } from './test-stack.ts';

export interface Ran {
  code: number;
  /** What it printed, and what it said of errors. */
  text: string;
  stdout: string;
}

/**
 * In the namespace of the scenario. `kubeconfig`: default the administrator's. `signal`: kills it;
 * then this rejects.
 */
export async function millwright(
  { namespace }: Pick<Scenario, 'namespace'>,
  words: readonly string[],
  {
    kubeconfig = testStack().layout.kubeconfig,
    signal,
  }: { kubeconfig?: string; signal?: AbortSignal } = {},
): Promise<Ran> {
  const file = join(repository, 'cli/millwright.ts');
  const argv = [file, ...words, `--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`];
  const env = { ...process.env, NODE_OPTIONS: '', TEMPORAL_ADDRESS: '' };
  return await new Promise((resolve, reject) => {
    const options = { env, killSignal: 'SIGKILL' as const, ...(signal && { signal }) };
    execFile(process.execPath, argv, options, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      if (typeof code === 'number') resolve({ code, stdout, text: `${stdout}${stderr}` });
      else reject(error ?? new Error('no exit code'));
    });
  });
}
