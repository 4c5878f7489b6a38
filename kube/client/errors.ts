/** Answers of an API server that are errors, and missing ones. */
import { defined } from '../../workflows/values/defined.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { parsedJson } from '../../workflows/values/parsed-json.ts';

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** The part of a Kubernetes `Status` that callers act on. */
export interface StatusDetails {
  name?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface KubeFailure {
  /** HTTP status; 0 when there was no answer at all. */
  code: number;
  /**
   * Reason of the `Status` (`NotFound`, `Conflict`, ...). Ours are `Unreachable` (refused, reset),
   * `Timeout`, `Aborted`, `AnswerTooLarge`, `TooLarge`, `Throttled` (429 of the server's filter,
   * not of the API) and `HTTP<code>` (a proxy answered, or a webhook that names no reason).
   */
  reason: string;
  message: string;
  method: string;
  path: string;
  details?: StatusDetails | undefined;
  /** Time of `Retry-After` in the answer, a minute at most. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/**
 * Characters. A server of a tenant, or a webhook of his, answers with megabytes, which would go
 * into logs, Events and histories.
 */
const longestMessage = 1_000;
const longestWord = 300;
const mostCauses = 100;

const wordOf = (text: unknown): string | undefined =>
  typeof text === 'string' ? text.slice(0, longestWord) : undefined;

function boundedDetails({ causes }: { causes?: unknown }): Pick<StatusDetails, 'causes'> {
  if (!Array.isArray(causes)) return {};
  const known = causes.slice(0, mostCauses).filter(isRecord);
  return {
    causes: known.map(({ reason, message, field }) =>
      defined({ reason: wordOf(reason), message: wordOf(message), field: wordOf(field) }),
    ),
  };
}

export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: number;
  readonly reason: string;
  readonly details: Pick<StatusDetails, 'causes'>;
  readonly method: string;
  readonly path: string;
  readonly retryAfterMs: number | undefined;

  constructor(failure: KubeFailure) {
    const { code, method, cause } = failure;
    const path = failure.path.slice(0, longestMessage);
    const reason = failure.reason.slice(0, longestWord);
    const message = failure.message.slice(0, longestMessage);
    super(`${method} ${path}: ${code === 0 ? '' : `${code} `}${reason}: ${message}`, { cause });
    this.code = code;
    this.reason = reason;
    this.details = boundedDetails(failure.details ?? {});
    this.method = method;
    this.path = path;
    this.retryAfterMs = failure.retryAfterMs;
  }
}

const hasCode =
  (...codes: number[]) =>
  (error: unknown): error is KubeError =>
    error instanceof KubeError && codes.includes(error.code);

export const isNotFound = hasCode(404);
export const isForbidden = hasCode(403);
/**
 * The resourceVersion or another precondition did not hold: read again. To the API server
 * another UID in a patch is no precondition, but a change of a field that cannot change.
 */
export const isConflict = (error: unknown): error is KubeError =>
  (hasCode(409)(error) && error.reason !== 'AlreadyExists') || hasAnotherUid(error);
export const isAlreadyExists = (error: unknown): error is KubeError =>
  error instanceof KubeError && error.reason === 'AlreadyExists';
/** Nothing is created in a namespace that is being deleted. */
export const isNamespaceTerminating = (error: unknown): error is KubeError =>
  error instanceof KubeError &&
  (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
/** The resourceVersion or continue token is older than the server's history: list again. */
export const isGone = hasCode(410);
/**
 * The resourceVersion is later than the server's history: its database was restored to an older
 * state, or this server lags behind. `ResourceVersionTooLarge` is the API server's cause, the other
 * text etcd's.
 */
export const isTooLargeVersion = (error: unknown): error is KubeError =>
  error instanceof KubeError &&
  (/too large resource version|future revision/i.test(error.message) ||
    (error.details.causes ?? []).some(({ reason }) => reason === 'ResourceVersionTooLarge'));
/** The API server answers no more in time, or waits itself, as for a webhook. */
export const isTimedOut = (error: unknown): error is KubeError =>
  error instanceof KubeError && error.reason === 'Timeout';
/** Reports whether a timeout is one of the connection: none came about. */
export const isConnectTimeout = (error: unknown): boolean =>
  isTimedOut(error) && textIn(error.cause, 'code') === 'UND_ERR_CONNECT_TIMEOUT';
/** More bytes than this client takes in one answer; fewer objects may fit. */
export const isAnswerTooLarge = (error: unknown): error is KubeError =>
  error instanceof KubeError && error.reason === 'AnswerTooLarge';
/** A list has no end, or more than this process can keep for one of those that it serves. */
export const isTooLarge = (error: unknown): error is KubeError =>
  error instanceof KubeError && error.reason === 'TooLarge';

/** `what`: of the list at this path, in words. */
export function tooLarge(path: string, what: string): KubeError {
  return new KubeError({ code: 413, reason: 'TooLarge', message: what, method: 'LIST', path });
}

/**
 * Throttled, or an eviction that a PodDisruptionBudget refuses (`details.causes`), or what a
 * webhook refuses for now.
 */
export const isTooManyRequests = hasCode(429);
export const isInvalid = hasCode(422);
/** To send the same again is of no use. */
export const isRefusal = hasCode(400, 403, 422);
/**
 * The API server answered that it does not do this: a rule, a quota, a webhook that says no or is
 * out of reach itself. Other calls may be done all the same, so this one must not hold them up.
 */
export const isRejected = (error: unknown): error is KubeError =>
  error instanceof KubeError &&
  error.code >= 400 &&
  error.code <= 500 &&
  !otherAnswers.includes(error.code);

/** About something else: our credentials, what there is, what changed, how much is asked for. */
const otherAnswers = [401, 404, 408, 409, 410, 429];

/** The same of a write, without what says that the object changed, or that another has its name. */
export const isRejectedWrite = (error: unknown): error is KubeError =>
  isRejected(error) && !isConflict(error);

function hasAnotherUid(error: unknown): boolean {
  return (
    isInvalid(error) && (error.details.causes ?? []).some(({ field }) => field === 'metadata.uid')
  );
}

/** No answer, or a proxy or a starting server answered instead of the API. */
export const isUnreachable = hasCode(0, 502, 503, 504);

interface Status {
  kind?: string;
  code?: number;
  reason?: string;
  message?: string;
  details?: StatusDetails;
}

export interface HttpAnswer {
  method: string;
  path: string;
  code: number;
  text: string;
  retryAfter?: string | undefined;
}

/** A `Status` where the API itself answered; otherwise the text, as proxies and filters send it. */
export function errorOfAnswer({ method, path, code, text, retryAfter }: HttpAnswer): KubeError {
  const status = statusOf(text);
  const isFiltered = code === 429 && status === undefined;
  return new KubeError({
    code,
    reason: wordOf(status?.reason) ?? (isFiltered ? 'Throttled' : `HTTP${code}`),
    message: messageOf(status) ?? text.slice(0, longestWord).trim(),
    method,
    path,
    details: status?.details,
    retryAfterMs: millisecondsOf(retryAfter),
  });
}

const messageOf = ({ message }: Status = {}): string | undefined =>
  typeof message === 'string' ? message : undefined;

/** A proxy with a page for maintenance asks for hours, and the API server is back long before. */
const longestRetryAfterMs = 60_000;

/** The header in its form with seconds; API servers send no dates. */
function millisecondsOf(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^\d+$/.test(retryAfter)
    ? Math.min(Number(retryAfter) * 1_000, longestRetryAfterMs)
    : undefined;
}

function statusOf(text: string): Status | undefined {
  if (!text.startsWith('{')) return undefined;
  // A truncated or foreign body: the caller reports it as plain text.
  const body: Status = Object(parsedJson(text));
  return body.kind === 'Status' ? body : undefined;
}

/** No answer came, or it broke off. */
export function errorOfTransport(
  call: { method: string; path: string },
  cause: unknown,
): KubeError {
  if (cause instanceof KubeError) return cause;
  const name = textIn(cause, 'name') ?? 'Error';
  // Where a host has several addresses, Node.js has an error for each in one without a message.
  const attempts: unknown[] = cause instanceof AggregateError ? cause.errors : [];
  const faults = attempts.map((error) => textIn(error, 'message') ?? String(error)).join('; ');
  const message = textIn(cause, 'message') || faults || name;
  return new KubeError({ ...call, code: 0, reason: reasonOf(name, cause), message, cause });
}

function reasonOf(name: string, cause: unknown): string {
  const isTimeout = textIn(cause, 'code')?.endsWith('_TIMEOUT') ?? false;
  if (isTimeout || name === 'TimeoutError') return 'Timeout';
  return name === 'AbortError' ? 'Aborted' : 'Unreachable';
}

/** Aborts come as DOMException, which need not be an Error of this realm. */
function textIn(cause: unknown, field: 'name' | 'message' | 'code'): string | undefined {
  if (typeof cause !== 'object' || cause === null || !(field in cause)) return undefined;
  const value: unknown = Reflect.get(cause, field);
  return typeof value === 'string' ? value : undefined;
}
