/**
 * Waiting for what Azure works on: for a moment within a call, and beyond that by telling that it
 * is pending.
 */
import { DriverPending, pollWithinContract } from '../driver.ts';
import { checkpointOf, doingOf, isSamePart, type Write } from './checkpoint.ts';
import { type AzureFailure } from './error-mapping.ts';
import { interruptionOf, type Session } from './session.ts';

export interface Pause {
  write: Write;
  /** From 0. */
  attempt: number;
  /** What Azure said. */
  retryAfter?: number | undefined;
  /** Why it is not done, where Azure did not simply begin. Default: it is being done. */
  because?: string;
}

/**
 * Backs off with jitter; what Azure says goes first. Fails with `DriverPending` when the time for
 * waiting is over, and at once for what a call before this one left under way: the caller has slept
 * already.
 */
export async function pause(session: Session, asked: Pause): Promise<void> {
  const { write, attempt, retryAfter } = asked;
  if (earlierOf(session, write)) throw pendingOf(session, asked);
  let isInTime: boolean;
  try {
    const next = { attempt: attempt + 1, retryAfterSeconds: retryAfter };
    isInTime = await session.pauses.next(next);
  } catch (error) {
    throw interruptionOf(session, doingOf(write), error) ?? error;
  }
  if (!isInTime) throw pendingOf(session, asked);
}

/** What the call before left under way, if it is this. */
export function earlierOf({ earlier }: Session, { verb, part }: Write): Write | undefined {
  const { write } = earlier;
  return write?.verb === verb && isSamePart(write.part, part) ? write : undefined;
}

/** It is known what became of it. */
export function forgetEarlier({ earlier }: Session): void {
  delete earlier.write;
}

/** The same words as long as nothing changes. */
function pendingOf(session: Session, { write, retryAfter, because }: Pause): DriverPending {
  const { kind, name } = write.part;
  const how =
    because === undefined
      ? `is being ${write.verb}d (operation InProgress)`
      : `cannot be ${write.verb}d yet (${because}); it is asked for again`;
  const seconds = Math.ceil(retryAfter ?? session.timing.pollSeconds);
  return new DriverPending({
    message: `Azure: ${kind} ${name} ${how}`,
    pollAfterSeconds: pollWithinContract(seconds),
    checkpoint: checkpointOf({ ...earlierOf(session, write), ...write }, session.clients),
  });
}

export interface Unclear {
  unclear: AzureFailure;
}

export function isUnclear(seen: unknown): seen is Unclear {
  return typeof seen === 'object' && seen !== null && 'unclear' in seen;
}
