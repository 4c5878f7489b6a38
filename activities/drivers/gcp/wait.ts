/** Operations of a zone: waited for within a call for moments only, and then from call to call. */
import { DriverPending, pollWithinContract } from '../driver.ts';
import { pollSeconds, Pauses } from '../wait.ts';
import { ComputeError, fault } from './error-mapping.ts';
import type { Compute, ComputeOperation } from './compute.ts';
import type { InstancePlace } from './provider-id.ts';
import { nowMs } from '../../system/system.ts';

export interface WaitLimits {
  /** The limit of all waiting together. */
  limitSeconds: number;
  firstPauseSeconds: number;
}

const longestPauseSeconds = 10;

export function pausesWithin(limits: WaitLimits, signal: AbortSignal): Pauses {
  return new Pauses({ ...limits, longestPauseSeconds }, signal);
}

/** False at once when the time for waiting is over. */
export async function nextPause(pauses: Pauses, retryAfterSeconds?: number): Promise<boolean> {
  try {
    return await pauses.next({ retryAfterSeconds });
  } catch {
    throw fault('cancelled', 'cancelled while it waited for Google Compute Engine');
  }
}

export interface OperationWait {
  compute: Compute;
  place: Pick<InstancePlace, 'project' | 'zone'>;
  pauses: Pauses;
  signal: AbortSignal;
  /** What is going on, in words: `instance x is being made`. */
  what: string;
  /** For the call that goes on. */
  checkpointOf(operation: string): string;
}

/**
 * The operation when it is done, well or not. Throws `DriverPending` when that takes more than a
 * moment.
 */
export async function untilDone(
  wait: OperationWait,
  operation: ComputeOperation,
): Promise<ComputeOperation> {
  let current = operation;
  let trouble: ComputeError | undefined;
  while (!current.isDone) {
    if (!(await nextPause(wait.pauses, trouble?.retryAfterSeconds))) {
      throw pendingOperation(wait, current, trouble);
    }
    try {
      current = (await look(wait, current.name)) ?? current;
      trouble = undefined;
    } catch (error) {
      if (!isTransient(error)) throw error;
      trouble = error;
    }
  }
  return current;
}

/**
 * One look, for a call that goes on. Undefined: Google does not know this operation. Throws
 * `DriverPending` when it is not done.
 */
export async function resumed(
  wait: OperationWait,
  name: string,
): Promise<ComputeOperation | undefined> {
  try {
    const found = await look(wait, name);
    if (!found || found.isDone) return found;
    throw pendingOperation(wait, found, undefined);
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw pendingOperation(wait, { name }, error);
  }
}

async function look(
  { compute, place: { project, zone }, signal }: OperationWait,
  operation: string,
): Promise<ComputeOperation | undefined> {
  return await compute.operation({ project, zone, operation }, signal);
}

const youthMilliseconds = 30_000;

type Unfinished = Pick<ComputeOperation, 'name' | 'begunAt'> & Partial<ComputeOperation>;

function pendingOperation(
  { what, checkpointOf }: OperationWait,
  operation: Unfinished,
  trouble: ComputeError | undefined,
): DriverPending {
  const { name, status, progress, begunAt = 0 } = operation;
  const percent = progress === undefined ? '' : `, ${progress} %`;
  // A look that failed says nothing of the operation, which goes on.
  const state = trouble
    ? `the last look failed: ${trouble.message}`
    : `operation ${status}${percent}`;
  const isYoung = nowMs() - begunAt < youthMilliseconds;
  return pending(`${what} (${state})`, {
    pollAfterSeconds: isYoung ? pollSeconds.gcp.young : pollSeconds.gcp.old,
    retryAfterSeconds: trouble?.retryAfterSeconds,
    checkpoint: checkpointOf(name),
  });
}

export interface Later {
  /** Default 5. */
  pollAfterSeconds?: number;
  /** What Google asks for, if that is more. */
  retryAfterSeconds?: number | undefined;
  checkpoint?: string;
}

/** `what`: as it goes on, in words. */
export function pending(
  what: string,
  { pollAfterSeconds = pollSeconds.gcp.young, retryAfterSeconds = 0, checkpoint }: Later = {},
): DriverPending {
  return new DriverPending({
    message: `Google Cloud: ${what}`,
    pollAfterSeconds: pollWithinContract(Math.max(pollAfterSeconds, Math.ceil(retryAfterSeconds))),
    ...(checkpoint !== undefined && { checkpoint }),
  });
}

const recentMilliseconds = 60_000;

/**
 * What ended long ago was reported then, or is the outcome of an earlier try, which a request ID
 * brings back for ever.
 */
export function isRecent({ endedAt, begunAt = 0 }: ComputeOperation): boolean {
  return nowMs() - (endedAt ?? begunAt) < recentMilliseconds;
}

/** Asking again may help. */
export function isTransient(error: unknown): error is ComputeError {
  if (!(error instanceof ComputeError)) return false;
  return ['throttling', 'unavailable', 'unanswered', 'conflict'].includes(error.meaning);
}
