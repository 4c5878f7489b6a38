/** Makes a `DriverError` of what a call to AWS failed with. */
import { DriverError } from '../driver.ts';
import { meanings, type MeaningName } from '../error-meanings.ts';
import { meaningNameOf, type ErrorFacts } from './errors.ts';

export interface FailedCall {
  /** Name of EC2's action, such as `RunInstances`. */
  action: string;
  region: string;
  /** A step of a create after its look: a refusal leaves nothing behind. */
  isCreate: boolean;
  /** Of the caller. */
  signal: AbortSignal;
  /** Of this call. */
  timeout: AbortSignal;
  timeoutSeconds: number;
}

/** EC2 puts an encoded policy decision of many lines into some messages. */
const longestWords = 400;

export function failureOf(call: FailedCall, cause: unknown): DriverError {
  if (call.signal.aborted) return failure(call, { name: 'cancelled', words: 'cancelled', cause });
  if (call.timeout.aborted) {
    const words = `no answer within ${call.timeoutSeconds} s`;
    return failure(call, { name: 'unanswered', words, cause });
  }
  const facts = factsOf(cause);
  const words = `${facts.code}: ${facts.message.slice(0, longestWords)}`;
  const retryAfterSeconds = secondsOf(facts.retryAfter);
  return failure(call, { name: meaningNameOf(facts), words, cause, retryAfterSeconds });
}

interface Reason {
  name: MeaningName;
  words: string;
  cause: unknown;
  retryAfterSeconds?: number | undefined;
}

function failure({ action, region, isCreate }: FailedCall, reason: Reason): DriverError {
  const { name, words, cause, retryAfterSeconds } = reason;
  const { isRefusal, ...meaning } = meanings[name];
  return new DriverError({
    ...meaning,
    message: `EC2 in ${region}: ${action}: ${words}`,
    settled: isCreate && isRefusal,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause,
  });
}

interface Facts extends ErrorFacts {
  message: string;
  retryAfter: string | undefined;
}

/** The shape of the SDK's errors: one that was tried and has no status met no answer. Without a status the `code` is Node's. */
function factsOf(cause: unknown): Facts {
  const error: SdkError = Object(cause);
  const { $metadata, $response } = error;
  const status = $metadata?.httpStatusCode;
  const isTransport = $metadata !== undefined && status === undefined;
  const name = textOf(error.name) ?? 'Error';
  return {
    code: (status === undefined ? textOf(error.code) : undefined) ?? name,
    message: textOf(error.message) ?? String(cause),
    status,
    retryAfter: $response?.headers?.['retry-after'],
    isTransport,
  };
}

interface SdkError {
  name?: unknown;
  code?: unknown;
  message?: unknown;
  $metadata?: { httpStatusCode?: number };
  $response?: { headers?: Record<string, string> };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Seconds or a date; undefined when it is neither. */
function secondsOf(retryAfter: string | undefined, now = Date.now()): number | undefined {
  if (retryAfter === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - now) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
