/**
 * One call of the SDK: with the class's credentials, a time limit, and errors in the words of the
 * driver contract.
 */
import { ComputeError, errorOfAnswer } from './error-mapping.ts';
import { AnswerFailure, TokenFailure } from './sdk-transport.ts';
import { errorOfToken } from './token-error.ts';
import { anySignal, timeoutSignal } from '../../system/system.ts';

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

/** Undefined when the cloud itself says that just this does not exist. */
export async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ComputeError && error.meaning === 'missing') return undefined;
    throw error;
  }
}
