/**
 * INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION,
 * UNIMPLEMENTED, UNAUTHENTICATED: answers of Temporal as well. All other codes of gRPC may be of
 * what is on the way.
 */
export const grpcRefusals: readonly number[] = [3, 5, 7, 8, 9, 12, 16];
