/**
 * Failures of calls to a cloud, in the words that MCM v0.62.1 writes into
 * `status.lastOperation.errorCode`.
 */
export const machineErrorCodes = [
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
  'Uninitialized',
] as const;

export type MachineErrorCode = (typeof machineErrorCodes)[number];

export function isMachineErrorCode(value: unknown): value is MachineErrorCode {
  return machineErrorCodes.some((code) => code === value);
}

const codesForPeople = new Set<unknown>(['InvalidArgument', 'PermissionDenied', 'Unauthenticated']);

/** It stays until a person repairs the class, the Secret or the rights behind it. */
export function needsPerson(code: unknown): boolean {
  return codesForPeople.has(code);
}
