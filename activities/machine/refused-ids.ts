/**
 * The ids of an instance that the API server does not take, as where a policy guards
 * `spec.providerID`. The workflow has them: a deletion finds the instance all the same.
 */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { Instance } from '../../workflows/plan/machine/facts.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isRejected, isRejectedWrite } from '../../kube/client/errors.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { refused } from '../runtime/failures.ts';
import { component, isDeleting, machineSubject, patchStatus, readSameMachine } from './object.ts';
import { statusPatch } from './status.ts';

export interface Recording {
  machine: ObjectReference;
  instance: Instance;
}

/** A refusal is said on the Machine, and is not tried again here: its deletion must not wait. */
export async function orRefusedIds<T>(
  control: KubeClient,
  recording: Recording,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isRejectedWrite(error)) throw error;
    await say(control, recording, error.message);
    throw refused(error);
  }
}

async function say(
  control: KubeClient,
  { machine, instance: { providerID } }: Recording,
  why: string,
): Promise<void> {
  const description = `Instance ${providerID} was created, and the API server does not take its ids: ${why}`;
  const operation = { description, state: 'Failed', type: 'Create' } as const;
  const event = {
    type: 'Warning',
    reason: 'FailedUpdate',
    message: description,
    component,
  } as const;
  recordEvent(control, machineSubject(machine), event);
  try {
    const seen = await readSameMachine(control, machine);
    if (!seen) return;
    await patchStatus(control, seen, (now) => {
      const isKnown = now.status?.lastOperation?.description === description;
      return isKnown || isDeleting(now) ? undefined : statusPatch({ operation, errorCode: null });
    });
  } catch (error) {
    // The Event says it.
    if (!isRejected(error)) throw error;
  }
}
