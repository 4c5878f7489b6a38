import { StatusError } from '../../support/api-server/status.ts';

/** The object is gone, or another one has its name by now. */
export function isNotFound(error: unknown): boolean {
  return error instanceof StatusError && [404, 409, 422].includes(error.status.code ?? 0);
}
