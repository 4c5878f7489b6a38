import { isGrpcServiceError } from '@temporalio/client';

/** `INVALID_ARGUMENT` of gRPC, whose enumeration the SDK does not hand on. */
const invalidArgument: readonly number[] = [3];

/** So a server refuses a query that names a search attribute it does not know. */
export function isInvalidArgument(error: unknown): boolean {
  return isGrpcServiceError(error) && invalidArgument.includes(error.code);
}
