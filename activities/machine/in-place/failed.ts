/** A machine whose update in place failed is given up: its set replaces it. */
import { formatDuration } from '../../../workflows/api/duration.ts';
import { inPlaceUpdate } from '../../../workflows/api/in-place.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { recordEvent } from '../../../kube/objects/events.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';
import { component, machineSubject, patchCheckedStatus, referenceOf } from '../object.ts';
import { statusPatch } from '../status.ts';

/** Text of MCM v0.62.1; of the conditions the one that says why. */
export async function fail(
  { control }: ActivityDependencies,
  machine: Machine,
  timeoutSeconds: number,
): Promise<Machine> {
  const { status, metadata } = machine;
  const { reason = '', message = '' } =
    status?.conditions?.find(({ type }) => type === inPlaceUpdate) ?? {};
  const description = `Machine ${metadata.name} health checks failing since last ${formatDuration(timeoutSeconds)}. Updating machine phase to Failed. Node Conditions: ${inPlaceUpdate} is ${reason}: ${message}`;
  const operation = { description, state: 'Failed', type: 'InPlaceUpdate' } as const;
  const patch = statusPatch({ phase: 'Failed', operation, errorCode: null });
  const failed = await patchCheckedStatus(control, machine, patch);
  recordEvent(control, machineSubject(referenceOf(machine)), {
    type: 'Warning',
    reason: 'HealthTimeout',
    message: description,
    component,
  });
  return failed;
}
