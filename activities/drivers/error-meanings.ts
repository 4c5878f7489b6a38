/**
 * What the errors of clouds mean. A driver has a table from its cloud's codes to these names; the
 * rest follows from the name.
 */
import type { MachineErrorCode } from '../../workflows/api/failures.ts';
import type { DriverFaultKind } from './driver.ts';

export interface Meaning {
  code: MachineErrorCode;
  kind?: DriverFaultKind;
  /**
   * The cloud has looked at the request and done nothing: a create that fails with it is settled.
   */
  isRefusal: boolean;
}

export const meanings = {
  /** Too many calls: asked again when the cloud says, or with backoff. */
  throttling: { code: 'Unavailable', kind: 'throttling', isRefusal: true },
  /**
   * Asked again after `--resource-exhausted-retry`; the cluster autoscaler turns to another pool.
   */
  quota: { code: 'ResourceExhausted', kind: 'quota', isRefusal: true },
  capacity: { code: 'ResourceExhausted', kind: 'capacity', isRefusal: true },
  /**
   * The cloud refuses the credentials: asked again when class or Secret change, and with long
   * pauses.
   */
  unauthenticated: { code: 'Unauthenticated', kind: 'credentials', isRefusal: true },
  forbidden: { code: 'PermissionDenied', kind: 'credentials', isRefusal: true },
  /** The class has to be changed. */
  input: { code: 'InvalidArgument', kind: 'input', isRefusal: true },
  missing: { code: 'NotFound', isRefusal: true },
  taken: { code: 'AlreadyExists', isRefusal: true },
  precondition: { code: 'FailedPrecondition', isRefusal: true },
  /** This token's instance was made and is gone: the next create needs another token. */
  spent: { code: 'Aborted', isRefusal: true },
  /** Something else works on the same thing: asked again soon. */
  conflict: { code: 'Aborted', isRefusal: false },
  /** The cloud's own trouble: the call may have been carried out. */
  unavailable: { code: 'Unavailable', isRefusal: false },
  unanswered: { code: 'DeadlineExceeded', isRefusal: false },
  cancelled: { code: 'Canceled', isRefusal: false },
  unknown: { code: 'Unknown', isRefusal: false },
} as const satisfies Record<string, Meaning>;

export type MeaningName = keyof typeof meanings;

export function isMeaningName(name: unknown): name is MeaningName {
  return typeof name === 'string' && Object.hasOwn(meanings, name);
}

/** From the cloud's code to what it means. */
export type ErrorTable = Readonly<Record<string, MeaningName>>;

export function meaningIn(table: ErrorTable, key: string): MeaningName | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** By HTTP status, as most clouds mean them. A cloud adds its own, or says otherwise. */
export const httpMeanings = {
  '400': 'input',
  '401': 'unauthenticated',
  '403': 'forbidden',
  '409': 'conflict',
  '429': 'throttling',
  '500': 'unavailable',
  '502': 'unavailable',
  '503': 'unavailable',
  '504': 'unanswered',
} as const satisfies ErrorTable;
