/**
 * Puts the cluster and the namespace of a workflow on every activity, so that none can forget them,
 * and deals with workers that reject it because it is not theirs: that is no failure of the step.
 * docs/decisions/0009-install-identity.md.
 */
import type { Headers, WorkflowInterceptors } from '@temporalio/workflow';
import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  proxyActivities,
  sleep,
} from '@temporalio/workflow';
import { defaultPayloadConverter } from '@temporalio/common';
import { backoffMs } from '../values/backoff.ts';
import { otherInstall, placeHeader, placeOf } from '../api/place.ts';
import { shouldInterruptStep } from './continue-as-new.ts';

const longestWaitMs = 60_000;

/** Called by the SDK for each run. */
export function interceptors(): WorkflowInterceptors {
  let headers: Headers = {};
  let rejections = 0;
  /** A local activity was rejected: another worker is to do this workflow task. */
  let handBack: Error | undefined;

  return {
    inbound: [
      {
        async execute(input, next) {
          const place = placeOf(input.args[0]);
          if (place) headers = { [placeHeader]: defaultPayloadConverter.toPayload(place) };
          return await next(input);
        },
      },
    ],
    outbound: [
      {
        async scheduleActivity(input, next) {
          try {
            const outcome = await next({ ...input, headers: { ...input.headers, ...headers } });
            rejections = 0;
            return outcome;
          } catch (error) {
            // A namespace may not be served for days, and a run that goes on so ends at the limit
            // of its events: the step fails, so that this run can continue as new.
            if (!isRejection(error) || shouldInterruptStep()) throw error;
          }
          // It was not tried at all, so it is scheduled anew, with all of its attempts.
          rejections += 1;
          const wait = { attempt: rejections, firstMs: 1_000, maxMs: longestWaitMs, jitter: 0.5 };
          const summary = `${input.activityType}: taken by a worker of another install`;
          await sleep(backoffMs(wait, Math.random()), { summary });
          return await proxyActivities(input.options)[input.activityType]?.(...input.args);
        },
        async scheduleLocalActivity(input, next) {
          try {
            return await next({ ...input, headers: { ...input.headers, ...headers } });
          } catch (error) {
            if (!isRejection(error) || shouldInterruptStep()) throw error;
            handBack = new Error('this worker belongs to another install');
            return await condition(() => false);
          }
        },
      },
    ],
    internals: [
      {
        // Fails the workflow task, and with it everything that this worker made of it: Temporal
        // gives it to another.
        concludeActivation(input, next) {
          if (handBack) throw handBack;
          return next(input);
        },
      },
    ],
  };
}

function isRejection(error: unknown): boolean {
  // A local activity fails with the bare failure (SDK 1.24.0).
  const failure = error instanceof ActivityFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && failure.type === otherInstall;
}
