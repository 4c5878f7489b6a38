/** Errors of the outside -> failures that Temporal carries. The only translation. */
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import type { NamespacedName } from '../../workflows/contracts/references.ts';
import { KubeError, isUnreachable } from '../../kube/client/errors.ts';
import { random } from '../system/system.ts';

/**
 * The failure that a person reads on a pending activity: no stack of ours, no secret. `words`: text
 * to add to the server's own.
 */
export function failureOf(error: unknown, words?: string): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (!(error instanceof KubeError))
    return error instanceof Error ? error : new Error(String(error));
  const { reason } = error;
  const failure = ApplicationFailure.create({
    type: isUnreachable(error) ? 'ApiServerUnreachable' : `Kubernetes${reason}`,
    message: words ?? error.message,
    ...(error.retryAfterMs !== undefined && { nextRetryDelay: error.retryAfterMs }),
  });
  failure.stack = '';
  return failure;
}

/**
 * No process holds this Lease, so nothing may be created or destroyed now. `isElsewhere`: one of
 * another install or Temporal does, or did last.
 */
export function noActiveWatcher(
  { namespace, name }: NamespacedName,
  isElsewhere = false,
): ApplicationFailure {
  const what = `the Lease "${name}" in namespace ${namespace}`;
  const message = isElsewhere
    ? `${what} is that of a watcher of another install, or of another Temporal: end one of the two installs`
    : `no watcher holds ${what}: start one, or wait for it to take over`;
  return waiting({ type: 'NoActiveWatcher', message, milliseconds: 1_000 + random() * 1_000 });
}

const stoppedRetryMilliseconds = { least: 2_000, spread: 3_000 };

/**
 * A person stopped everything. Attempts are few, but work goes on within seconds once the stop
 * ends.
 */
export function stopped(message: string): ApplicationFailure {
  const { least, spread } = stoppedRetryMilliseconds;
  return waiting({ type: 'Stopped', message, milliseconds: least + random() * spread });
}

/** The namespace is one of this install, and cannot be served now. */
export function namespaceNotServed(namespace: string, why: string): ApplicationFailure {
  const message = `namespace ${namespace} is not served: ${why}`;
  return waiting({ type: 'NamespaceNotServed', message, milliseconds: 5_000 + random() * 5_000 });
}

const heldBack: readonly unknown[] = ['Stopped', 'NoActiveWatcher'];

/** Reports whether the cause will last longer than a local activity may take. */
export function isHeldBack(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && heldBack.includes(error.type);
}

interface Wait {
  type: string;
  message: string;
  milliseconds: number;
}

function waiting({ type, message, milliseconds }: Wait): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type,
    message,
    nextRetryDelay: milliseconds,
    category: ApplicationFailureCategory.BENIGN,
  });
  failure.stack = '';
  return failure;
}

/**
 * The API server will not take it however often it is asked: the caller has to handle it, a retry
 * would not help.
 */
export function refused(error: KubeError): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(error.message, 'Refused');
  failure.stack = '';
  return failure;
}
