/** Retry policies of scripts, in the form of the SDK. */
import type { RetryPolicy } from '@temporalio/common';
import type { RetryPlan } from './script.ts';

const defaultRetryMs = 300;

export function retryOf(plan: RetryPlan = {}): RetryPolicy {
  const { attempts, firstMs = defaultRetryMs, coefficient = 1, finalTypes } = plan;
  return {
    initialInterval: firstMs,
    backoffCoefficient: coefficient,
    ...(attempts !== undefined && { maximumAttempts: attempts }),
    ...(finalTypes && { nonRetryableErrorTypes: [...finalTypes] }),
  };
}
