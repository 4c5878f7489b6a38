import { isRejected, isUnreachable } from '../../kube/client/errors.ts';

/**
 * The workflow waits for an API server that is out of reach, or that refuses the call: a step that
 * did would keep a deletion from being seen.
 */
export async function orOutOfReach<T>(
  call: () => Promise<T>,
): Promise<{ answer: T } | { outOfReach: string }> {
  try {
    return { answer: await call() };
  } catch (error) {
    if (!isUnreachable(error) && !isRejected(error)) throw error;
    return { outOfReach: error.message };
  }
}
