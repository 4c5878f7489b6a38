/** Whose tasks go first where many wait: Temporal's priorities and fairness. */
import { beforeMachines } from '../../workflows/contracts/priorities.ts';
import { digestOf } from '../cache/digest.ts';
import type { Signal, Start } from '../dispatch/signal.ts';

/** The server's limit, in bytes. */
const longestKeyBytes = 64;

/**
 * Machines take turns by pool, so that one machine does not wait behind two thousand of another
 * pool. Activities and later runs inherit it (docs/decisions/0038-limits-that-protect-others.md).
 */
export function priorityOf(
  { kind }: Pick<Signal, 'kind'>,
  { machineDeployment, machineSet = '' }: Pick<Start, 'machineDeployment' | 'machineSet'>,
): { priorityKey: number } | { fairnessKey: string } {
  if (kind !== 'machine') return beforeMachines;
  return { fairnessKey: fairnessKeyOf(machineDeployment ?? machineSet) };
}

/**
 * The task queue is one cluster's and one install's, so the name of the pool is enough. Machines
 * without a set share one key: each with its own would take as many turns as there are of them.
 */
function fairnessKeyOf(pool: string): string {
  if (pool === '') return '(none)';
  return Buffer.byteLength(pool) <= longestKeyBytes ? pool : digestOf(pool);
}
