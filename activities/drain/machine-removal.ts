/**
 * Last part of `drainNode`, in the attempt that ends the drain: it deletes the instance and the
 * Node, and removes the finalizer. A failure here does not fail the drain: the workflow schedules
 * the steps that are left one by one (docs/decisions/0037-removal-with-the-drain.md).
 */
import type {
  MachineRemoval,
  MachineRemovalOutcome,
} from '../../workflows/contracts/drain-activities.ts';
import type { DeleteOutcome, DriverRequest } from '../../workflows/contracts/driver-contract.ts';
import { defined } from '../../workflows/values/defined.ts';
import { finishTeardown } from '../machine/teardown.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { protectNode } from './drained-node.ts';

/** The drivers that this process has. */
export interface InlineDeletions {
  serves(provider: string): boolean;
  /** As the driver's queue does it, behind the same gate. Undefined where too many run already. */
  deleteInstance(request: DriverRequest): Promise<DeleteOutcome> | undefined;
}

export interface RemovalParts {
  dependencies: ActivityDependencies;
  deletions: InlineDeletions;
  warn(error: unknown): void;
}

/** Undefined when no answer of the cloud is known. */
export async function removeMachine(
  parts: RemovalParts,
  { deletion: request, finish }: MachineRemoval,
  { isForced }: { isForced: boolean },
): Promise<MachineRemovalOutcome | undefined> {
  const deletion = await orWarned(parts, parts.deletions.deleteInstance(request));
  if (!deletion || isCancelled(deletion)) return undefined;
  // The Node may stand there for hours.
  if (deletion.outcome === 'failed') await orWarned(parts, protect(parts, finish));
  // An instance that was not found may be listed late: the workflow knows for how long.
  if (deletion.outcome !== 'deleted' || !deletion.isFound) return { deletion };
  // The cloud had it, with tags that say whose it is.
  const proven = { ...finish, isUnproven: false };
  const input = { ...proven, ...(isForced && { mustDetachVolumes: true }) };
  const end = finishTeardown(parts.dependencies, input).then((failure) => defined({ failure }));
  return defined({ deletion, finish: await orWarned(parts, end) });
}

async function protect(
  { dependencies: { control, target, targetCluster } }: RemovalParts,
  { nodeName, ...claim }: MachineRemoval['finish'],
): Promise<void> {
  if (!target || nodeName === undefined) return;
  await protectNode({ control, target, targetCluster }, { ...claim, nodeName });
}

async function orWarned<Answer>(
  { warn }: RemovalParts,
  answer: Promise<Answer> | undefined,
): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    warn(error);
    return undefined;
  }
}

/** By a command to the drain, by the end of the process, or by the limit of an inline call. */
function isCancelled(deletion: DeleteOutcome): boolean {
  return deletion.outcome === 'failed' && deletion.failure.code === 'Canceled';
}
