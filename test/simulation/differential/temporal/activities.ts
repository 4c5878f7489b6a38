/** What the workflows of scripts call: each attempt does what its plan says, and notes it. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { sleep } from '../../../../activities/system/system.ts';
import type { AttemptEnd, AttemptPlan } from './script.ts';

/** What an attempt says of itself. */
export interface AttemptNote {
  workflowId: string;
  /** `label#attempt`, of local activities with an `L` before it. */
  attempt: string;
  what: string;
}

const beatMs = 200;

export function createActivities(note: (note: AttemptNote) => void) {
  return {
    async scripted(label: string, attempts: readonly AttemptPlan[]): Promise<string> {
      const { info } = Context.current();
      const plan = attempts[Math.min(info.attempt, attempts.length) - 1];
      if (!plan) throw new Error(`${label} has no attempts`);
      const attempt = `${label}#${info.attempt}`;
      const say = (what: string): void =>
        note({ workflowId: info.workflowExecution?.workflowId ?? '', attempt, what });
      const details: unknown = info.heartbeatDetails;
      say(details === undefined ? 'starts' : `starts with ${JSON.stringify(details)}`);
      void Context.current().cancelled.catch((error: unknown) => {
        say(`hears ${error instanceof Error ? error.message : String(error)}`);
      });
      await carryOut(plan);
      say(`ends ${plan.ends.is}`);
      return endOf(plan.ends, attempt);
    },
  };
}

async function carryOut({ beats = [], pauseMs = 0, worksMs = 0, untilCancelled }: AttemptPlan) {
  const context = Context.current();
  for (const beat of beats) {
    context.heartbeat(beat);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  if (worksMs > 0) await sleep(worksMs);
  if (untilCancelled !== true) return;
  while (!context.cancellationSignal.aborted) {
    context.heartbeat('alive');
    await sleep(beatMs);
  }
}

function endOf(end: AttemptEnd, attempt: string): string {
  switch (end.is) {
    case 'done':
      return end.value ?? attempt;
    case 'broken':
      throw new TypeError(end.message);
    case 'cancelled':
      throw new CancelledFailure('as the script says', [attempt]);
    case 'failed': {
      const { type, isFinal = false, nextDelayMs, details } = end;
      throw ApplicationFailure.create({
        message: `${attempt} fails`,
        type,
        nonRetryable: isFinal,
        ...(nextDelayMs !== undefined && { nextRetryDelay: nextDelayMs }),
        ...(details !== undefined && { details: [details] }),
      });
    }
  }
}
