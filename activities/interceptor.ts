/**
 * Wraps every activity: a heartbeat, translated failures, and a quick no to local ones while the
 * API server hangs.
 */
import type { Context } from '@temporalio/activity';
import type {
  ActivityExecuteInput,
  ActivityInboundCallsInterceptor,
  ActivityInterceptorsFactory,
  Next,
} from '@temporalio/worker';
import { ApplicationFailure } from '@temporalio/common';
import { placeIn } from './place-interceptor.ts';
import { failureOf, isHeldBack } from './runtime/failures.ts';
import { detailsOf } from './runtime/heartbeat-details.ts';
import { isUnreachable } from '../kube/client/errors.ts';
import { after, monotonicMs } from './system/system.ts';
import type { Timer } from './system/system.ts';

/**
 * The first comes after half of the heartbeat timeout, and each next one after a third: one may be
 * lost, as an attempt counts as the heartbeat before the first.
 */
const partOfTime = { first: 1 / 2, next: 1 / 3 };
/** An activity of a second sends none. */
const shortestPeriodMs = 1_000;

/** After an unanswered call, local activities go to the regular form at once for this long. */
const breakMilliseconds = 2_000;

type Execute = Next<ActivityInboundCallsInterceptor, 'execute'>;

/**
 * One for each kind of worker; the local activities of a namespace share a breaker there: the API
 * server that hangs may be the target cluster of that namespace alone. An activity hears with the
 * answer to a heartbeat that it is cancelled.
 */
export function createActivityInterceptor(): ActivityInterceptorsFactory {
  const brokenUntil = new Map<string | undefined, number>();

  async function executeLocal(input: ActivityExecuteInput, next: Execute): Promise<unknown> {
    const namespace = placeIn(input)?.namespace;
    if (monotonicMs() < (brokenUntil.get(namespace) ?? 0)) {
      // A local activity holds a workflow-task slot: the regular form waits without one.
      throw ApplicationFailure.nonRetryable(
        'the API server does not answer',
        'ApiServerUnreachable',
      );
    }
    try {
      return await next(input);
    } catch (error) {
      if (isUnreachable(error)) brokenUntil.set(namespace, monotonicMs() + breakMilliseconds);
      // Waiting holds a slot: the regular form waits without one.
      if (isHeldBack(error)) throw ApplicationFailure.nonRetryable(error.message, error.type);
      throw failureOf(error);
    }
  }

  return (context) => ({
    inbound: {
      async execute(input, next) {
        if (context.info.isLocal) return await executeLocal(input, next);
        const heartbeat = heartbeatsOf(context);
        try {
          return await next(input);
        } catch (error) {
          throw failureOf(error);
        } finally {
          heartbeat.cancel();
        }
      },
    },
  });
}

function heartbeatsOf(context: Context): Timer {
  const { heartbeatTimeoutMs = 0 } = context.info;
  const beatAfter = (part: number): Timer =>
    after(Math.max(heartbeatTimeoutMs * part, shortestPeriodMs), () => {
      timer = beatAfter(partOfTime.next);
      context.heartbeat(detailsOf(context));
    });
  let timer = beatAfter(partOfTime.first);
  return { cancel: () => timer.cancel() };
}
