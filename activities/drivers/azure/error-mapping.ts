/** A call to Azure that failed, and what it means. */
import { DriverError } from '../driver.ts';
import { meanings, type MeaningName } from '../error-meanings.ts';
import { versionAdvice } from './api-versions.ts';
import { CallTimeLimit, TokenFailure } from './client.ts';
import { lacksApiVersion, meaningOf, type AzureAnswer } from './errors.ts';
import { nowMs } from '../../system/system.ts';

export interface AzureFault {
  meaning: MeaningName;
  message: string;
  status?: number | undefined;
  code?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

export class AzureFailure extends Error {
  override readonly name = 'AzureFailure';
  readonly meaning: MeaningName;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor({ meaning, message, status, code, retryAfterSeconds, cause }: AzureFault) {
    super(message, { cause });
    this.meaning = meaning;
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A long-running operation ended as it should not. Azure has stopped working on it. */
export class OperationFailed extends AzureFailure {}

/**
 * The resource does not exist, and Azure has looked: no missing permission, and no page of a proxy.
 */
export function isAbsent(error: unknown): boolean {
  return error instanceof AzureFailure && error.status === 404 && error.meaning === 'missing';
}

const passingMeanings: readonly MeaningName[] = [
  'throttling',
  'unavailable',
  'unanswered',
  'unknown',
];

/** Says nothing of what was asked for: it may be asked again. */
export function isPassing(error: unknown): error is AzureFailure {
  return (
    error instanceof AzureFailure &&
    !(error instanceof OperationFailed) &&
    passingMeanings.includes(error.meaning)
  );
}

/** `doing`: such as `GET virtual machine m-1`; begins the message. */
export function failureOf(doing: string, error: unknown): AzureFailure {
  if (error instanceof AzureFailure) return error;
  if (error instanceof CallTimeLimit) {
    const message = `Azure: ${doing}: ${error.message}`;
    return new AzureFailure({ meaning: 'unanswered', message, cause: error });
  }
  if (error instanceof TokenFailure) return failureOfToken(doing, error.cause);
  return failureOfAnswer(doing, answerOf(error), { retryAfter: retryAfterOf(error), cause: error });
}

export function failureOfAnswer(
  doing: string,
  answer: AzureAnswer,
  { retryAfter, cause }: { retryAfter?: number | undefined; cause?: unknown } = {},
): AzureFailure {
  const { status, code } = answer;
  return new AzureFailure({
    status,
    code,
    meaning: meaningOf(answer),
    message: messageOf(doing, answer),
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
    cause,
  });
}

/** Such as a file that is not there, or a certificate that is none. */
function failureOfToken(doing: string, cause: unknown): AzureFailure {
  const answer = answerOf(cause);
  const known = isTroubleOfAuthority(cause) ? 'unavailable' : meaningOf(answer);
  const meaning = known === 'unknown' ? 'unauthenticated' : known;
  return new AzureFailure({ meaning, message: messageOf(`${doing}: get a token`, answer), cause });
}

/**
 * The authority has not checked the credentials. The library does not ask again for a minute
 * after such an answer: it fails with what it remembers, which has no status, and as its code the
 * numbers of Entra ID or nothing.
 */
function isTroubleOfAuthority(error: unknown): boolean {
  const { name, status, errorCode } = sdkErrorOf(sdkErrorOf(error).cause);
  if (name !== 'ServerError') return false;
  if (typeof status === 'number') return status === 429 || status >= 500;
  return typeof errorCode === 'string' && /^[\d ]*$/.test(errorCode);
}

export function messageOf(doing: string, answer: AzureAnswer): string {
  const { status, code, message } = answer;
  const isBare = code === undefined && status !== undefined;
  const what = [code, isBare ? `status ${status}` : undefined, message, adviceOn(answer)];
  return `Azure: ${doing}: ${what.filter(Boolean).join(': ')}`;
}

function adviceOn(answer: AzureAnswer): string | undefined {
  if (lacksApiVersion(answer)) return answer.versionAdvice;
  return answer.status === 404 && answer.code === undefined ? adviceOnStrangers : undefined;
}

const adviceOnStrangers =
  'this answer does not come from Azure, so it does not prove that something is missing. If a proxy or a wrong MILLWRIGHT_AZURE_ENDPOINT gave it, fix that';

/**
 * The resource that was read. Each has its id: without one something in between has answered with
 * status 200, and the SDK takes any page for a resource without tags, which would be of others.
 */
export function ofAzure<Resource extends { id?: string }>(
  resource: Resource,
  doing: string,
): Resource {
  if (resource.id) return resource;
  throw new AzureFailure({ meaning: 'unknown', message: `Azure: ${doing}: ${adviceOnStrangers}` });
}

/** `settled`: see DriverFault. */
export function driverErrorOf(failure: AzureFailure, settled: boolean): DriverError {
  const { isRefusal: _, ...known } = { kind: undefined, ...meanings[failure.meaning] };
  const { code, kind } = known;
  const { message, retryAfterSeconds } = failure;
  return new DriverError({
    code,
    message,
    settled,
    ...(kind && { kind }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause: failure,
  });
}

interface SdkError {
  name?: unknown;
  code?: unknown;
  /** The code of the library that fetches tokens. */
  errorCode?: unknown;
  statusCode?: unknown;
  /** In errors of that library. */
  status?: unknown;
  message?: unknown;
  errorResponse?: { error?: unknown };
  cause?: unknown;
  request?: { url?: string };
  response?: { headers?: { get?: (name: string) => string | undefined } };
  /** The body of an answer that the SDK could read. */
  details?: { error?: ErrorBody };
}

export interface ErrorBody {
  code?: unknown;
  message?: unknown;
  details?: unknown;
}

/** The codes of these say nothing; the real one stands in their details. */
const envelopes = [
  'ResourceOperationFailure',
  'ResourceDeploymentFailure',
  'DeploymentFailed',
  'RetryableError',
];

export function innermostOf(error: ErrorBody): ErrorBody {
  const [detail] = Array.isArray(error.details) ? error.details : [];
  if (typeof detail !== 'object' || !envelopes.includes(String(error.code))) return error;
  return innermostOf(Object(detail));
}

function answerOf(error: unknown): AzureAnswer {
  const { statusCode, request } = sdkErrorOf(error);
  const { code, message } = reasonOf(error);
  const advice = request?.url === undefined ? undefined : versionAdvice(request.url);
  return {
    message: message.slice(0, 1_000),
    ...(advice !== undefined && { versionAdvice: advice }),
    ...(typeof statusCode === 'number' && { status: statusCode }),
    ...(code !== undefined && isOfAzure(error) && { code }),
  };
}

/** As the body of the answer says, else as the error does. */
function reasonOf(error: unknown): { code: string | undefined; message: string } {
  const { message, details } = sdkErrorOf(error);
  const answered = innermostOf(Object(details?.error));
  return {
    code: textOf(answered.code) ?? codeOf(error),
    message: textOf(answered.message) ?? textOf(message) ?? String(error),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Others answer 404 as well, some with a code: Azure's stands in its envelope. */
function isOfAzure(error: unknown): boolean {
  const { statusCode, details } = sdkErrorOf(error);
  return statusCode !== 404 || typeof details?.error?.code === 'string';
}

/** Errors of credentials have their code in what caused them, or in their name alone. */
function codeOf(error: unknown): string | undefined {
  const { name, code, errorCode, errorResponse, cause } = sdkErrorOf(error);
  const known = [code, errorCode, errorResponse?.error].find(
    (value): value is string => typeof value === 'string' && value !== '',
  );
  if (known !== undefined) return known;
  if (name === 'AuthenticationRequiredError') {
    return codeOf(cause) ?? (isTroubleOfAuthority(error) ? undefined : 'invalid_client');
  }
  return name === 'CredentialUnavailableError' ? name : undefined;
}

function sdkErrorOf(error: unknown): SdkError {
  return Object(error);
}

function retryAfterOf(error: unknown): number | undefined {
  const { response } = sdkErrorOf(error);
  return secondsOfRetryAfter(response?.headers?.get?.('retry-after'));
}

/** Seconds, or a date. */
export function secondsOfRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - nowMs()) / 1_000));
}
