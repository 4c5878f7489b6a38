/** Errors of a Temporal server, in the form in which gRPC hands them to a client. */

/** Of gRPC's status codes, those that are used here. */
export const grpcCodes = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

export type GrpcCode = keyof typeof grpcCodes;

export class GrpcError extends Error {
  readonly code: number;
  readonly details: string;
  readonly metadata = { get: () => [] };

  constructor(code: GrpcCode, details: string) {
    super(`${grpcCodes[code]} ${code}: ${details}`);
    this.code = grpcCodes[code];
    this.details = details;
  }

  is(code: GrpcCode): boolean {
    return this.code === grpcCodes[code];
  }
}

export function isGone(error: unknown): boolean {
  return error instanceof GrpcError && error.is('NOT_FOUND');
}
