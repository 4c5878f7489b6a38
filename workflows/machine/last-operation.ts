/** Writes what a Machine waits for to the object: best effort, as nothing waits for it. */
import { isCancellation, log } from '@temporalio/workflow';
import type { MachineActivities } from '../contracts/machine-activities.ts';
import { localFirstOnce, messageOf } from '../runtime/activity-options.ts';

type Input = Parameters<MachineActivities['recordOperation']>[0];

/** Reports whether it is written. Rejects only when it is cancelled. */
export async function writeLastOperation(input: Input): Promise<boolean> {
  try {
    await localFirstOnce((steps) => steps.recordOperation(input), 'say what is waited for');
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('the last operation was not written down', { message: messageOf(error) });
    return false;
  }
}
