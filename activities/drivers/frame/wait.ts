/** What a cloud works on: waited for within a call for moments only, and then from call to call. */
import { nowMs } from '../../system/system.ts';
import { DriverPending, pollWithinContract, type DriverError } from '../driver.ts';
import { Pauses, type Timing } from '../wait.ts';
import type { Operation } from './cloud.ts';
import { fault, isTransient } from './fault.ts';

export interface WaitLimits {
  /** The limit of all waiting together. */
  limitSeconds: number;
  firstPauseSeconds: number;
}

const longestPauseSeconds = 10;

export function pausesWithin(limits: WaitLimits, signal: AbortSignal, timing?: Timing): Pauses {
  return new Pauses({ ...limits, longestPauseSeconds }, signal, timing);
}

/** How one cloud is waited for. */
export interface Waiting {
  /** As messages begin. */
  title: string;
  poll: { young: number; old: number };
}

/** False at once when the time for waiting is over. */
export async function nextPause(
  { title }: Waiting,
  pauses: Pauses,
  retryAfterSeconds?: number,
): Promise<boolean> {
  try {
    return await pauses.next({ retryAfterSeconds });
  } catch {
    throw fault('cancelled', `cancelled while it waited for ${title}`);
  }
}

export interface OperationWait {
  waiting: Waiting;
  pauses: Pauses;
  /** What is going on, in words: `instance x is being made`. */
  what: string;
  look: (name: string) => Promise<Operation | undefined>;
  /** For the call that goes on. */
  checkpointOf: (operation: string) => string | undefined;
}

/**
 * The operation when it is done, well or not. Throws `DriverPending` when that takes more than a
 * moment.
 */
export async function untilDone(wait: OperationWait, operation: Operation): Promise<Operation> {
  let current = operation;
  let trouble: DriverError | undefined;
  while (!current.isDone) {
    if (!(await nextPause(wait.waiting, wait.pauses, trouble?.retryAfterSeconds))) {
      throw pendingOperation(wait, current, trouble);
    }
    try {
      current = (await wait.look(current.name)) ?? current;
      trouble = undefined;
    } catch (error) {
      if (!isTransient(error)) throw error;
      trouble = error;
    }
  }
  return current;
}

/**
 * One read, for a call that goes on. Undefined: the cloud does not know this operation. Throws
 * `DriverPending` when it is not done.
 */
export async function resumed(wait: OperationWait, name: string): Promise<Operation | undefined> {
  try {
    const found = await wait.look(name);
    if (!found || found.isDone) return found;
    throw pendingOperation(wait, found, undefined);
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw pendingOperation(wait, { name }, error);
  }
}

const youthMilliseconds = 30_000;

function pendingOperation(
  { waiting, what, checkpointOf }: OperationWait,
  { name, progress = '', begunAt = 0 }: Partial<Operation> & Pick<Operation, 'name'>,
  trouble: DriverError | undefined,
): DriverPending {
  // A read that failed says nothing of the operation, which goes on.
  const state = trouble
    ? `the last look failed: ${trouble.message}`
    : ['operation', progress].join(' ').trim();
  const isYoung = nowMs() - begunAt < youthMilliseconds;
  return pending(waiting, `${what} (${state})`, {
    pollAfterSeconds: isYoung ? waiting.poll.young : waiting.poll.old,
    retryAfterSeconds: trouble?.retryAfterSeconds,
    checkpoint: checkpointOf(name),
  });
}

export interface Later {
  /** Default: that of a young operation. */
  pollAfterSeconds?: number;
  /** What the cloud asks for, if that is more. */
  retryAfterSeconds?: number | undefined;
  checkpoint?: string | undefined;
}

/** `what`: as it goes on, in words. */
export function pending(
  { title, poll }: Waiting,
  what: string,
  { pollAfterSeconds = poll.young, retryAfterSeconds = 0, checkpoint }: Later = {},
): DriverPending {
  return new DriverPending({
    message: `${title}: ${what}`,
    pollAfterSeconds: pollWithinContract(Math.max(pollAfterSeconds, Math.ceil(retryAfterSeconds))),
    ...(checkpoint !== undefined && { checkpoint }),
  });
}

const recentMilliseconds = 60_000;

/**
 * What ended long ago was reported then, or is the outcome of an earlier try, which a token brings
 * back for ever.
 */
export function isRecent({ endedAt, begunAt = 0 }: Operation): boolean {
  return nowMs() - (endedAt ?? begunAt) < recentMilliseconds;
}
