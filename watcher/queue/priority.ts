/** Order of tasks where many wait: Temporal's priorities and fairness. */
import { beforeMachines } from '../../workflows/contracts/priorities.ts';
import { digestOf } from '../cache/digest.ts';
import type { Signal, Start } from '../dispatch/signal.ts';

/** The server's limit, in bytes. */
const longestKeyBytes = 64;

/**
 * Machines take turns by namespace and pool, so that one machine does not wait behind two thousand
 * of another pool. Activities and later runs inherit it
 * (docs/decisions/0038-limits-that-protect-others.md).
 */
export function priorityOf(
  { kind }: Pick<Signal, 'kind'>,
  {
    machineDeployment,
    machineSet = '',
    namespace,
  }: Pick<Start, 'machineDeployment' | 'machineSet'> & { namespace: string },
): { priorityKey: number } | { fairnessKey: string } {
  if (kind !== 'machine') return beforeMachines;
  return { fairnessKey: fairnessKeyOf(namespace, machineDeployment ?? machineSet) };
}

/**
 * The task queue is one cluster's and one install's, which may serve many namespaces. Machines of a
 * namespace that have no set share one key: each with its own would take as many turns as there are
 * of them.
 */
function fairnessKeyOf(namespace: string, pool: string): string {
  const key = `${namespace}/${pool}`;
  return Buffer.byteLength(key) <= longestKeyBytes ? key : digestOf(key);
}
