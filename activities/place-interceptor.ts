/**
 * A worker does what is of its own cluster and namespaces; the task of another install it hands
 * back.
 */
import type { Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInterceptorsFactory } from '@temporalio/worker';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  defaultPayloadConverter,
} from '@temporalio/common';
import type { Place } from '../workflows/api/place.ts';
import { otherInstall, placeHeader, placeOf } from '../workflows/api/place.ts';
import { namespaceNotServed } from './runtime/failures.ts';

export interface Rejection extends Place {
  activity: string;
  workflowId: string;
}

/** One of our namespaces that cannot be served now. */
export interface NotServed {
  /** For people. */
  why: string;
}

export interface ServedPlaces {
  /** Id of the control cluster. */
  cluster: string;
  /** For messages: which namespaces are ours. */
  what: string;
  /**
   * `served`: the activity runs, for this namespace. Undefined: the namespace is of another
   * install. `namespace`: undefined where the caller is no workflow of ours.
   */
  take(context: Context, namespace: string | undefined): 'served' | NotServed | undefined;
}

/**
 * Goes before all other interceptors. Where a step has no limit of attempts Temporal tries it
 * again, with the progress that an earlier attempt reported. Where it has one the workflow
 * schedules it anew, so that none is used up; of a local activity the workflow hands back its task:
 * workflows/runtime/place-interceptors.ts. For a namespace that is not served now no other worker
 * has more to offer, so a local activity goes on in the regular form, which waits.
 */
export function createPlaceInterceptor(
  ours: ServedPlaces,
  onRejected: (rejection: Rejection) => void,
): ActivityInterceptorsFactory {
  return (context) => ({
    inbound: {
      async execute(input, next) {
        const place = placeIn(input);
        const isOurCluster = !place || place.cluster === ours.cluster;
        const found = isOurCluster ? ours.take(context, place?.namespace) : undefined;
        if (found === 'served') return await next(input);
        const where = place ?? { cluster: ours.cluster, namespace: '' };
        if (found) throw notServed(context, where, found);
        const { activityType: activity, workflowExecution } = context.info;
        onRejected({ ...where, activity, workflowId: workflowExecution?.workflowId ?? '' });
        const message = `this worker is for ${ours.what} of cluster ${ours.cluster}, not for ${where.namespace || 'a caller that names no namespace'} of ${where.cluster}`;
        throw unattempted(message, otherInstall, isLimited(context));
      },
    },
  });
}

/** Undefined where the caller is no workflow of ours. */
export function placeIn({ headers }: ActivityExecuteInput): Place | undefined {
  const payload = headers[placeHeader];
  return payload && placeOf(defaultPayloadConverter.fromPayload(payload));
}

function isLimited({ info: { isLocal, retryPolicy } }: Context): boolean {
  return isLocal || (retryPolicy?.maximumAttempts ?? 0) > 0;
}

/** Failure of a step without a limit of attempts: it is tried again in some seconds. */
export function notServed(context: Context, { namespace }: Place, { why }: NotServed): Error {
  const failure = namespaceNotServed(namespace, why);
  if (!isLimited(context)) return failure;
  // The workflow schedules a step with a limit anew.
  const type = context.info.isLocal ? failure.type : otherInstall;
  return unattempted(failure.message, type, true);
}

function unattempted(
  message: string,
  type: string | undefined | null,
  isFinal: boolean,
): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    ...(type && { type }),
    nonRetryable: isFinal,
    category: ApplicationFailureCategory.BENIGN,
  });
}
