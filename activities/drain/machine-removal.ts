/**
 * What follows a drain in the same attempt: instance, Node and finalizer go. Whatever is in the way
 * of that fails no drain: the workflow asks for the steps that are left one by one
 * (docs/decisions/0037-removal-with-the-drain.md).
 */
import type {
  MachineRemoval,
  MachineRemovalOutcome,
} from '../../workflows/contracts/drain-activities.ts';
import type { DeleteOutcome, DriverRequest } from '../../workflows/contracts/driver-contract.ts';
import { defined } from '../../workflows/values/defined.ts';
import { finishTeardown } from '../machine/teardown.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';

export interface RemovalParts {
  dependencies: ActivityDependencies;
  /**
   * As the driver's queue does it, behind the same gate. Undefined where this process does not have
   * the driver, or is busy with enough deletions.
   */
  deleteInstance(request: DriverRequest): Promise<DeleteOutcome> | undefined;
  warn(error: unknown): void;
}

/** Undefined when no answer of the cloud is known. */
export async function removeMachine(
  parts: RemovalParts,
  { deletion: request, finish }: MachineRemoval,
  { isForced }: { isForced: boolean },
): Promise<MachineRemovalOutcome | undefined> {
  const deletion = await orWarned(parts, parts.deleteInstance(request));
  if (!deletion || isCancelled(deletion)) return undefined;
  // What was not found may be listed late: the workflow knows for how long.
  if (deletion.outcome !== 'deleted' || !deletion.isFound) return { deletion };
  const input = { ...finish, ...(isForced && { mustDetachVolumes: true }) };
  const end = finishTeardown(parts.dependencies, input).then((failure) => defined({ failure }));
  return defined({ deletion, finish: await orWarned(parts, end) });
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
  return deletion.outcome === 'failed' && deletion.failure.wasCancelled === true;
}
