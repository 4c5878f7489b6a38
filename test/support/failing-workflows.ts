/** A workflow whose run fails, so that Temporal begins it anew. */
import { ApplicationFailure } from '@temporalio/workflow';

export async function machine(): Promise<void> {
  throw ApplicationFailure.retryable('this run fails');
}
