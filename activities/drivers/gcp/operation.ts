/** Waits for an operation of a zone. */
import { ComputeError, fault } from './compute-error.ts';
import type { Compute, ComputeOperation } from './compute.ts';
import type { Patience } from './patience.ts';

export interface OperationWait {
  compute: Compute;
  project: string;
  zone: string;
  patience: Patience;
  signal: AbortSignal;
}

/** Google holds a request for two minutes; what comes later is lost. */
const longPollSeconds = 125;

/** Until it is done, well or not. Fails as not settled when that takes too long: whoever comes next finds what it made. */
export async function untilDone(
  wait: OperationWait,
  operation: ComputeOperation,
): Promise<ComputeOperation> {
  const { patience } = wait;
  let current = operation;
  let retryAfterSeconds: number | undefined;
  while (!current.isDone) {
    if (patience.remainingSeconds === 0) throw tooLong(current);
    try {
      current = await askOnce(wait, current.name);
      retryAfterSeconds = 0;
    } catch (error) {
      if (!isTransient(error)) throw error;
      ({ retryAfterSeconds } = error);
    }
    if (!current.isDone && !(await patience.pause(retryAfterSeconds))) throw tooLong(current);
  }
  return current;
}

async function askOnce(
  { compute, project, zone, patience, signal }: OperationWait,
  operation: string,
): Promise<ComputeOperation> {
  const limitSeconds = Math.min(longPollSeconds, patience.remainingSeconds);
  return await compute.wait({ project, zone, operation, limitSeconds }, signal);
}

function tooLong({ name }: ComputeOperation): ComputeError {
  const message = `Google Compute Engine: operation ${name} is still under way; it is looked at again`;
  return fault('unanswered', message);
}

/** Asking again may help. */
export function isTransient(error: unknown): error is ComputeError {
  if (!(error instanceof ComputeError)) return false;
  return ['throttling', 'unavailable', 'unanswered', 'conflict'].includes(error.meaning);
}
