/** Makes a `DriverError` of what a call to AWS failed with. */
import { DriverError } from '../driver.ts';
import { meanings, type MeaningName } from '../error-meanings.ts';
import { meaningNameOf, type ErrorFacts } from './errors.ts';
import { nowMs } from '../../system/system.ts';

export interface FailedCall {
  /** Name of EC2's action, such as `RunInstances`. */
  action: string;
  region: string;
  /** A step of a create after its look: a refusal leaves nothing behind. */
  isCreate: boolean;
  /** The caller's signal. */
  signal: AbortSignal;
  /** The signal of this call's own limit. */
  timeout: AbortSignal;
  timeoutSeconds: number;
}

/** The status of a Machine holds 2000 bytes of a message. */
const longestWords = 1_600;

/**
 * What `aws sts decode-authorization-message` reads is of use as a whole only: it stays, or goes,
 * whole.
 */
const encodedDecision = /(Encoded authorization failure message: )(\S+)/;

function wordsOf(message: string): string {
  if (message.length <= longestWords) return message;
  const words = message.replace(
    encodedDecision,
    (_all, title: string, decision: string) =>
      `${title}(${decision.length} characters, too long for here: CloudTrail has them with the call)`,
  );
  return words.length <= longestWords ? words : `${words.slice(0, longestWords)}...`;
}

export function failureOf(call: FailedCall, cause: unknown): DriverError {
  if (call.signal.aborted) return failure(call, { name: 'cancelled', words: 'cancelled', cause });
  if (call.timeout.aborted) {
    const words = `no answer within ${call.timeoutSeconds} s`;
    return failure(call, { name: 'unanswered', words, cause });
  }
  const facts = factsOf(cause);
  const hint = hintFor(facts);
  const words = `${facts.code}: ${wordsOf(facts.message)}${hint === undefined ? '' : ` ${hint}`}`;
  const retryAfterSeconds = secondsOf(facts.retryAfter);
  return failure(call, { name: meaningNameOf(facts), words, cause, retryAfterSeconds });
}

/**
 * EC2 says no more than this of a type that the region does not have, and of one that cannot do
 * what the class wants of it.
 */
function hintFor({ code, message }: Facts): string | undefined {
  if (code !== 'Unsupported' || !message.includes('configuration is currently not supported')) {
    return undefined;
  }
  return 'If no zone helps, see whether the region has the machineType, and whether that takes ebsOptimized, cpuOptions and the architecture of the ami.';
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
  retryAfter: string | undefined;
}

/**
 * The shape of the SDK's errors: one that was tried and has no status met no answer. Without a
 * status the `code` is Node's; with one, it says that the answer broke off. One with a status and
 * without any code is of a proxy or load balancer that answered with a page of its own.
 */
function factsOf(cause: unknown): Facts {
  const error: SdkError = Object(cause);
  const { $metadata, $response } = error;
  const status = $metadata?.httpStatusCode;
  const retryAfter = $response?.headers?.['retry-after'];
  const name = textOf(error.name) ?? 'Error';
  const message = textOf(error.message) ?? String(cause);
  const nodeCode = textOf(error.code);
  if (status === undefined) {
    const code = nodeCode ?? name;
    return { code, message, status, retryAfter, isTransport: $metadata !== undefined };
  }
  if (name !== 'Error') return { code: name, message, status, retryAfter, isTransport: false };
  // The further lines are for programmers: where the SDK keeps the answer.
  const [line = message] = message.split('\n', 1);
  const words =
    nodeCode === undefined
      ? { code: `HTTP ${status}`, message: `not an answer of EC2: ${line}` }
      : { code: nodeCode, message: line };
  return { ...words, status, retryAfter, isTransport: nodeCode !== undefined };
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
function secondsOf(retryAfter: string | undefined, now = nowMs()): number | undefined {
  if (retryAfter === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - now) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/**
 * A read that failed for a moment, so that waiting goes on: throttled, not answered, or answered
 * with trouble of the cloud's own. What is refused stays refused.
 */
export function isPassing(error: unknown): error is DriverError {
  if (!(error instanceof DriverError)) return false;
  return error.code === 'Unavailable' || error.code === 'DeadlineExceeded';
}
