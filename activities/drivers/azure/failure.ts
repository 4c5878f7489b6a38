/** A call to Azure that failed, and what it means. */
import { DriverError } from '../driver.ts';
import { meanings, type MeaningName } from '../error-meanings.ts';
import { CallTimeLimit, TokenFailure } from './clients.ts';
import { meaningOf, type AzureAnswer } from './errors.ts';

export interface Failure {
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

  constructor({ meaning, message, status, code, retryAfterSeconds, cause }: Failure) {
    super(message, { cause });
    this.meaning = meaning;
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A long-running operation ended as it should not. Azure has stopped working on it. */
export class OperationFailed extends AzureFailure {}

/** The resource does not exist, and Azure has looked: no missing permission, and no answer of somebody else. */
export function isAbsent(error: unknown): boolean {
  return (
    error instanceof AzureFailure &&
    error.status === 404 &&
    (error.meaning === 'missing' || error.code === undefined)
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
  const answer = answerOf(error);
  const retryAfterSeconds = retryAfterOf(error);
  return new AzureFailure({
    ...answer,
    meaning: meaningOf(answer),
    message: messageOf(doing, answer),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause: error,
  });
}

/** Such as a file that is not there, or a certificate that is none. */
function failureOfToken(doing: string, cause: unknown): AzureFailure {
  const answer = answerOf(cause);
  const known = meaningOf(answer);
  const meaning = known === 'unknown' ? 'unauthenticated' : known;
  return new AzureFailure({ meaning, message: messageOf(`${doing}: get a token`, answer), cause });
}

export function messageOf(doing: string, { status, code, message }: AzureAnswer): string {
  const what = [code, code === undefined && status ? `status ${status}` : undefined, message];
  return `Azure: ${doing}: ${what.filter(Boolean).join(': ')}`;
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
  /** Of the library that fetches tokens. */
  errorCode?: unknown;
  statusCode?: unknown;
  message?: unknown;
  errorResponse?: { error?: unknown };
  cause?: unknown;
  response?: { headers?: { get?: (name: string) => string | undefined } };
}

function answerOf(error: unknown): AzureAnswer {
  const { statusCode, message } = sdkErrorOf(error);
  const code = codeOf(error);
  return {
    message: (typeof message === 'string' ? message : String(error)).slice(0, 1_000),
    ...(typeof statusCode === 'number' && { status: statusCode }),
    ...(code !== undefined && { code }),
  };
}

/** Errors of credentials have their code in what caused them, or in their name alone. */
function codeOf(error: unknown): string | undefined {
  const { name, code, errorCode, errorResponse, cause } = sdkErrorOf(error);
  const known = [code, errorCode, errorResponse?.error].find(
    (value): value is string => typeof value === 'string' && value !== '',
  );
  if (known !== undefined) return known;
  if (name === 'AuthenticationRequiredError') return codeOf(cause) ?? 'invalid_client';
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
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}
