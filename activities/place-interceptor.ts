/**
 * A worker does what is of its own cluster and namespace; the task of another install it hands
 * back.
 */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  defaultPayloadConverter,
} from '@temporalio/common';
import type { Place } from '../workflows/api/place.ts';
import { otherInstall, placeHeader, placeOf } from '../workflows/api/place.ts';

export interface Rejection extends Place {
  activity: string;
  workflowId: string;
}

/**
 * Goes before all other interceptors. Where a step has no limit of attempts Temporal tries it
 * again, with the progress that an earlier attempt reported. Where it has one the workflow
 * schedules it anew, so that none is used up; of a local activity the workflow hands back its task:
 * workflows/runtime/place-interceptors.ts.
 */
export function createPlaceInterceptor(
  ours: Place,
  onRejected: (rejection: Rejection) => void,
): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        // Absent where the caller is no workflow of ours.
        const payload = input.headers[placeHeader];
        const place = payload && placeOf(defaultPayloadConverter.fromPayload(payload));
        if (!place || (place.cluster === ours.cluster && place.namespace === ours.namespace)) {
          return await next(input);
        }
        const { activityType: activity, workflowExecution, isLocal, retryPolicy } = info;
        onRejected({ ...place, activity, workflowId: workflowExecution?.workflowId ?? '' });
        throw ApplicationFailure.create({
          message: `this worker is for namespace ${ours.namespace} of cluster ${ours.cluster}, not for ${place.namespace} of ${place.cluster}`,
          type: otherInstall,
          nonRetryable: isLocal || (retryPolicy?.maximumAttempts ?? 0) > 0,
          category: ApplicationFailureCategory.BENIGN,
        });
      },
    },
  });
}
