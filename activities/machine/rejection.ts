/** What an API server refuses is said on the Machine, instead of being tried again in silence. */
import type { MachineFailure } from '../../workflows/plan/machine/facts.ts';
import type { KubeError } from '../kube/client/errors.ts';
import { isRefusal, isRejected, isUnreachable } from '../kube/client/errors.ts';

export function codeOf(error: KubeError): MachineFailure['code'] {
  if (isUnreachable(error)) return 'Unavailable';
  return isRefusal(error) ? 'PermissionDenied' : 'Internal';
}

/** @param what What could not be done, as the first words of the message. */
export async function orRejection<T>(
  call: () => Promise<T>,
  what: string,
): Promise<{ answer: T } | { failure: MachineFailure }> {
  try {
    return { answer: await call() };
  } catch (error) {
    if (!isRejected(error)) throw error;
    return {
      failure: { code: codeOf(error), message: `${what}: ${error.message}`, isSettled: true },
    };
  }
}
