/** What the virtual cloud answers or does not answer, in the words of the driver contract. */
import { isMachineErrorCode, type MachineErrorCode } from '../../../workflows/api/failures.ts';
import { DriverError, type DriverFault, type DriverFaultKind } from '../driver.ts';
import { parsedJson } from '../../../workflows/values/parsed-json.ts';

interface FailedCall {
  method: string;
  path: string;
}

/**
 * With these a cloud has looked at the request and made nothing. The others may come in the middle
 * of the work.
 */
const refusals: readonly MachineErrorCode[] = [
  'InvalidArgument',
  'NotFound',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'OutOfRange',
  'Unimplemented',
  'Unauthenticated',
];

const kindOfCode: Partial<Record<MachineErrorCode, DriverFaultKind>> = {
  InvalidArgument: 'input',
  PermissionDenied: 'credentials',
  Unauthenticated: 'credentials',
  ResourceExhausted: 'quota',
};

interface FailedAnswer {
  statusCode: number;
  headers: Record<string, unknown>;
  text: string;
}

export function errorOfAnswer(
  call: FailedCall,
  { statusCode, headers, text }: FailedAnswer,
): DriverError {
  const answer = answerOf(text);
  if (!answer) {
    const message = `virtual cloud: ${call.method} ${call.path}: status ${statusCode}: ${text.slice(0, 200)}`;
    return new DriverError({ code: 'Unavailable', message, settled: false });
  }
  const fault = faultOf(answer, headers['retry-after']);
  return new DriverError({ ...fault, settled: isCreate(call) && fault.settled });
}

function faultOf({ code, reason, message }: CloudError, retryAfter: unknown): DriverFault {
  if (reason === 'Throttled') {
    const seconds = typeof retryAfter === 'string' ? Number(retryAfter) : Number.NaN;
    return {
      code: 'Unavailable',
      kind: 'throttling',
      message: `the virtual cloud gets too many calls: ${message}`,
      settled: true,
      ...(Number.isFinite(seconds) && { retryAfterSeconds: seconds }),
    };
  }
  const kind = reason === 'ZoneFull' ? 'capacity' : kindOfCode[code];
  return { code, message, ...(kind && { kind }), settled: refusals.includes(code) };
}

/** Only a create settles that nothing was made: before it, the search found nothing. */
function isCreate({ method, path }: FailedCall): boolean {
  return method === 'POST' && path === '/instances';
}

interface CloudError {
  code: MachineErrorCode;
  reason: string;
  message: string;
}

function answerOf(text: string): CloudError | undefined {
  const { code, reason, message } = Object(Object(parsedJson(text)).error);
  // The answer may not be the virtual cloud's; the caller shows its text.
  if (!isMachineErrorCode(code)) return undefined;
  return { code, reason: String(reason), message: String(message) };
}

interface BrokenCall extends FailedCall {
  url: URL;
  callTimeoutSeconds: number;
  /** The caller's signal. */
  signal: AbortSignal;
  /** The signal of this call's own limit. */
  timeout: AbortSignal;
}

export function errorOfTransport(call: BrokenCall, cause: unknown): DriverError {
  const what = `virtual cloud at ${call.url.origin}: ${call.method} ${call.path}`;
  if (call.signal.aborted) {
    return new DriverError({
      code: 'Canceled',
      message: `${what}: cancelled`,
      settled: false,
      cause,
    });
  }
  if (call.timeout.aborted) {
    const message = `${what}: no answer within ${call.callTimeoutSeconds} s`;
    return new DriverError({ code: 'DeadlineExceeded', message, settled: false, cause });
  }
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const message = `${what}: ${error.message || error.name}`;
  const settled = isCreate(call) && wasNeverSent(error);
  return new DriverError({ code: 'Unavailable', message, settled, cause });
}

/** No process listens at that address: the request was not sent. */
function wasNeverSent(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'UND_ERR_CONNECT_TIMEOUT';
}
