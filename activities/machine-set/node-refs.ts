/**
 * Machines that were taken over from MCM do not say which Node they are. The cluster autoscaler of
 * the Kubernetes project takes those for machines that never joined, and removes them.
 */
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isRejected } from '../../kube/client/errors.ts';
import { ignoreConflict } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { inParallel } from '../runtime/parallel.ts';
import { parallelCalls } from './parallel-calls.ts';

type NodeRefDependencies = Pick<ActivityDependencies, 'control' | 'memory'>;

/**
 * Only in a pool of that autoscaler, as taking over writes nothing else. One machine at first: it
 * shows whether the API server knows the field.
 */
export async function referToNodes(
  place: NodeRefDependencies,
  { metadata }: MachineSet,
  members: readonly Machine[],
): Promise<void> {
  if (!(annotations.poolMaxSize in (metadata.annotations ?? {})) || place.memory.lacksNodeRef)
    return;
  const missing = members.filter(isWithoutReference);
  for (const [index, machine] of missing.entries()) {
    const isTaken = await refer(place, machine);
    if (isTaken === false) return;
    if (isTaken) return await referAll(place, missing.slice(index + 1));
  }
}

async function referAll(place: NodeRefDependencies, machines: readonly Machine[]): Promise<void> {
  await inParallel(machines, parallelCalls, async (machine) => {
    await refer(place, machine);
  });
}

/** A machine that joins now gets its phase and its reference in one write. */
function isWithoutReference({ metadata, status }: Machine): boolean {
  const isRunning = status?.currentStatus?.phase === 'Running';
  const hasNode = (metadata.labels?.[labels.node] ?? '') !== '';
  const isStaying = metadata.deletionTimestamp === undefined;
  return isRunning && hasNode && isStaying && status?.nodeRef === undefined;
}

/**
 * False when the API server does not take it: the set goes on without. Undefined when the machine
 * changed meanwhile.
 */
async function refer(
  { control, memory }: NodeRefDependencies,
  { metadata }: Machine,
): Promise<boolean | undefined> {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  const nodeRef = { kind: 'Node', name: metadata.labels?.[labels.node] };
  const path = `${customResource('machines', namespace, name)}/status`;
  const patch = { metadata: { uid, resourceVersion }, status: { nodeRef } };
  try {
    const written = await ignoreConflict(control.patch<Machine>(path, 'merge', patch));
    const isTaken = written && written.status?.nodeRef !== undefined;
    if (isTaken === false) memory.lacksNodeRef = true;
    return isTaken;
  } catch (error) {
    if (isRejected(error)) return false;
    throw error;
  }
}
