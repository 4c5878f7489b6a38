/**
 * `--controller=mcm`: the real MCM in the place of watcher and worker, so that everything else of a
 * measurement is the same.
 */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Stack } from '../../deploy/local/stack.ts';
import { spawnMcm } from '../support/mcm-processes.ts';
import { withPrograms } from './processes.ts';
import { namespace } from './pool.ts';

/**
 * By default it makes at most 20 requests in a second and has 10 and 50 workers for each queue,
 * which would be all that is measured. Gardener gives it more, but less than this.
 */
const flags = [
  `--namespace=${namespace}`,
  '--concurrent-syncs=100',
  '--kube-api-qps=1000',
  '--kube-api-burst=2000',
];

/** As components of the stack. */
export const mcmComponents = ['mcm', 'mcm-machine-controller'] as const;

export interface McmInPlace {
  processes: ChildProcess[];
  /** With MCM as components. */
  stack: Stack;
}

export async function startMcmInPlace(stack: Stack, stateDir: string): Promise<McmInPlace> {
  const processes = await spawnMcm({
    kubeconfig: stack.kubeconfig,
    virtualCloud: stack.components['virtual-cloud']?.address ?? '',
    logFolder: join(stateDir, 'logs'),
    flags: [flags, flags],
  });
  const pids = mcmComponents.map((name, index) => [name, processes[index]?.pid ?? 0] as const);
  return { processes, stack: withPrograms(stack, Object.fromEntries(pids)) };
}
