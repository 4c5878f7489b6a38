/** Refusals of an API server are reported on the Machine, instead of tried again in silence. */
import type { MachineFailure } from '../../workflows/plan/machine/facts.ts';
import type { KubeError } from '../../kube/client/errors.ts';
import { isRefusal, isRejected, isUnreachable } from '../../kube/client/errors.ts';

export function codeOf(error: KubeError): MachineFailure['code'] {
  if (isUnreachable(error)) return 'Unavailable';
  return isRefusal(error) ? 'PermissionDenied' : 'Internal';
}

/**
 * An error of the API server itself (500) may be that of a moment, so it is asked once more.
 *
 * @param what What could not be done, as the first words of the message.
 */
export async function orRejection<T>(
  call: () => Promise<T>,
  what: string,
): Promise<{ answer: T } | { failure: MachineFailure }> {
  const first = await attempt(call);
  const last = 'error' in first && first.error.code === 500 ? await attempt(call) : first;
  if ('answer' in last) return last;
  const { error } = last;
  const message = `${what}: ${error.message}`;
  return { failure: { code: codeOf(error), message, isSettled: true } };
}

async function attempt<T>(call: () => Promise<T>): Promise<{ answer: T } | { error: KubeError }> {
  try {
    return { answer: await call() };
  } catch (error) {
    if (isRejected(error)) return { error };
    throw error;
  }
}
