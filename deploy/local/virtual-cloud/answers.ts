/** Answer to a call, and how it gets there. */
import type { MachineErrorCode } from '../../../workflows/api/failures.ts';

/** Body of every answer that is not a success: `{"error": {...}}`. */
export interface CloudError {
  code: MachineErrorCode;
  /** Distinguishes what shares a code. */
  reason:
    | 'InjectedFault'
    | 'Throttled'
    | 'QuotaExceeded'
    | 'ZoneFull'
    | 'TokenConflict'
    | 'BadRequest'
    | 'NoSuchInstance'
    | 'NoSuchPath'
    | 'InternalError';
  message: string;
}

export interface Answer {
  status: number;
  body: object;
  headers?: Record<string, string>;
  /**
   * `drop`: the connection breaks instead. `hang`: nothing happens for `hangSeconds`, then it
   * breaks.
   */
  delivery: 'send' | 'drop' | 'hang';
  hangSeconds?: number;
  /** Takes as long as a call of a cloud does. */
  isCloudCall: boolean;
}

/** Shaped like the answers of real clouds. */
const statusOfCode: Record<MachineErrorCode, number> = {
  Canceled: 499,
  Unknown: 500,
  InvalidArgument: 400,
  DeadlineExceeded: 504,
  NotFound: 404,
  AlreadyExists: 409,
  PermissionDenied: 403,
  ResourceExhausted: 400,
  FailedPrecondition: 400,
  Aborted: 409,
  OutOfRange: 400,
  Unimplemented: 501,
  Internal: 500,
  Unavailable: 503,
  DataLoss: 500,
  Unauthenticated: 401,
  Uninitialized: 409,
};

/** An answer about the virtual cloud itself: at once, and without faults. */
export function administrative(body: object): Answer {
  return { status: 200, body, delivery: 'send', isCloudCall: false };
}

export function refusal(error: CloudError): Answer {
  const status = error.reason === 'Throttled' ? 429 : statusOfCode[error.code];
  return { status, body: { error }, delivery: 'send', isCloudCall: true };
}
