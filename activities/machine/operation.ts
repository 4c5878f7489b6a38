import type { MachineActivities } from '../../workflows/contracts/machine-activities.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { isDeleting, patchStatus, readSameMachine } from './object.ts';
import { statusPatch } from './status.ts';

type OperationInput = Parameters<MachineActivities['recordOperation']>[0];

/** The phase stays: nothing has happened yet. */
export async function recordOperation(
  { control }: ActivityDependencies,
  { machine, operation, description }: OperationInput,
): Promise<void> {
  const current = await readSameMachine(control, machine);
  if (!current) return;
  // A create is cancelled by a deletion, whose steps are said by then.
  if (operation === 'Create' && isDeleting(current)) return;
  if (current.status?.lastOperation?.description === description) return;
  const status = statusPatch({
    operation: { description, state: 'Processing', type: operation },
    errorCode: null,
  });
  await patchStatus(control, current, () => status);
}
