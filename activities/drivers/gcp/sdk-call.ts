/**
 * One call of the SDK: with the class's credentials, a time limit, and errors in the words of the
 * driver contract.
 */
import { ComputeError, errorOfAnswer, clipped } from './error-mapping.ts';
import { AnswerFailure, TokenFailure } from './sdk-transport.ts';
import { anySignal, timeoutSignal } from '../../system/system.ts';
import { meaningOf } from './errors.ts';

export interface SdkCall {
  /** In words, for errors. */
  what: string;
  signal: AbortSignal;
  limitSeconds: number;
  isInsert?: boolean;
  /** The one thing that the call asks for: `instances/NAME`. */
  resource?: string;
}

/** Those of the SDK's options for a call that are used here. */
export interface SdkOptions {
  signal: AbortSignal;
  /** Milliseconds. */
  timeout: number;
  retry: { retryCodes: number[] };
  autoPaginate?: boolean;
  otherArgs?: { headers: Record<string, string> };
}

export async function send<T>(
  call: SdkCall,
  request: (options: SdkOptions) => Promise<T>,
): Promise<T> {
  const timeout = timeoutSignal(Math.ceil(call.limitSeconds * 1_000));
  const signal = anySignal([call.signal, timeout]);
  try {
    // Without codes the SDK does not send a call again; by its own configuration it would.
    const retry = { retryCodes: [] };
    // Its own time limit is only there in case that the signal is not heard.
    return await request({ signal, retry, timeout: Math.ceil(call.limitSeconds + 5) * 1_000 });
  } catch (error) {
    throw errorOfCall(call, error, timeout);
  }
}

/** The SDK wraps what the transport has thrown. */
function errorOfCall(call: SdkCall, error: unknown, timeout: AbortSignal): ComputeError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof ComputeError) return cause;
  if (cause instanceof AnswerFailure) return errorOfAnswer(call, cause.answer);
  return interruption(call, timeout) ?? errorWithoutAnswer(call, cause);
}

function interruption(call: SdkCall, timeout: AbortSignal): ComputeError | undefined {
  const { what, signal, limitSeconds } = call;
  const start = `Google Compute Engine: ${what}`;
  if (signal.aborted) {
    const message = `${start}: cancelled`;
    return new ComputeError({ meaning: 'cancelled', message, settled: false });
  }
  if (!timeout.aborted) return undefined;
  const message = `${start}: no answer within ${limitSeconds} s`;
  return new ComputeError({ meaning: 'unanswered', message, settled: false });
}

/** The cause is not handed on: it holds the request, and with it token and user data. */
function errorWithoutAnswer({ what, isInsert = false }: SdkCall, cause: unknown): ComputeError {
  if (cause instanceof TokenFailure) return errorOfToken(what, cause.cause, isInsert);
  const words = cause instanceof Error ? cause.message || cause.name : String(cause);
  const message = `Google Compute Engine: ${what}: ${words}`;
  return new ComputeError({ meaning: 'unavailable', message, settled: false });
}

interface TokenAnswer {
  response?: { status?: unknown; data?: unknown };
}

/** Without a token nothing is sent: an insert is settled if credentials are the cause. */
export function errorOfToken(what: string, cause: unknown, isInsert: boolean): ComputeError {
  // Gardener's extension knows refused credentials by `cannot fetch token`, the words of Google's
  // Go client.
  const start = `Google Compute Engine: ${what}: cannot fetch token`;
  const { response }: TokenAnswer = Object(cause);
  if (!response) {
    const words = cause instanceof Error ? cause.message || cause.name : String(cause);
    const meaning = isOfTransport(cause) ? 'unavailable' : 'unauthenticated';
    return new ComputeError({ meaning, message: `${start}: ${words}`, settled: isInsert });
  }
  const status = Number(response.status);
  const { reason, words } = readData(response.data);
  const reasons = reason === '' ? [] : [reason];
  const refused = meaningOf({ status, reasons, message: words });
  // A token endpoint answers 400 to all faults of the credentials; the account to be impersonated
  // may not exist.
  const isOfCredentials = refused === 'input' || refused === 'forbidden' || reason === 'NOT_FOUND';
  const meaning = isOfCredentials ? 'unauthenticated' : refused;
  const message = `${start}: ${[status, ...reasons].join(' ')}: ${words}`;
  return new ComputeError({ meaning, message, settled: isInsert });
}

/**
 * Tokens are given out by OAuth's endpoints, by Google's service for impersonation, which has
 * Google's own form of errors, and by the metadata server, which says a text.
 */
function readData(data: unknown): { reason: string; words: string } {
  if (typeof data === 'string') return { reason: '', words: clipped(data) };
  const { error, error_description: description } = Object(data);
  if (typeof error === 'string') return { reason: error, words: String(description ?? error) };
  const { status = '', message = '' } = Object(error);
  return { reason: String(status), words: clipped(String(message)) };
}

/** Anything else without an answer is a key that cannot be used, or a file that is not there. */
function isOfTransport(cause: unknown): boolean {
  const code = String(Object(cause)['code'] ?? '');
  return transportCodes.some((codes) => codes.test(code));
}

const transportCodes = [
  /^(ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|E(NET|HOST)UNREACH|EPIPE|ETIMEDOUT)$/,
  /^(TimeoutError|AbortError|ERR_STREAM_PREMATURE_CLOSE)$/,
  // Something in between has a certificate that is not Google's, or does not speak TLS or HTTP.
  /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HPE_)|^EPROTO$/,
];
