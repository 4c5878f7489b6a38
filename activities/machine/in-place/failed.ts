/** A machine whose update in place failed is given up: its set replaces it. */
import { formatDuration } from '../../../workflows/api/duration.ts';
import { inPlaceUpdate } from '../../../workflows/api/in-place.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { ObjectReference } from '../../../workflows/contracts/references.ts';
import { recordEvent } from '../../../kube/objects/events.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';
import {
  component,
  machineSubject,
  patchCheckedStatus,
  readSameMachine,
  referenceOf,
} from '../object.ts';
import { phaseOf } from '../prepared.ts';
import { statusPatch } from '../status.ts';

/** At once, and however many others are replaced: a person wants it. `words`: who. */
export async function giveUp(
  { control }: Pick<ActivityDependencies, 'control'>,
  machine: ObjectReference,
  words: string,
): Promise<void> {
  const seen = await readSameMachine(control, machine);
  if (!seen || phaseOf(seen) !== 'InPlaceUpdateFailed') return;
  const description = `Machine ${machine.name}: ${words}`;
  const operation = { description, state: 'Failed', type: 'InPlaceUpdate' } as const;
  const status = statusPatch({ phase: 'Failed', operation, errorCode: null });
  await patchCheckedStatus(control, seen, status);
}

/** Text of MCM v0.62.1; of the conditions the one that says why. */
export async function markFailed(
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
