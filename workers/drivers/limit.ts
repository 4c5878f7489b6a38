/**
 * Ends every call of a driver at its limit, even if a library below it hangs on a socket, a token
 * or a promise.
 */
import type { ProviderRequest } from '../../activities/drivers/driver.ts';
import { DriverError } from '../../activities/drivers/driver.ts';
import type { Call, Operation } from '../../activities/drivers/with-calls.ts';
import { anySignal, sleep, timeoutSignal } from '../../activities/system/system.ts';

export interface CallLimits {
  /**
   * The limit of one call; below the activity's start-to-close timeout of 5 minutes, so that the
   * error says what happened. Default 240.
   */
  callSeconds?: number;
  /**
   * The time that a call has to end by itself after its signal, as its own error says more. Default
   * 5.
   */
  graceSeconds?: number;
}

interface LimitedCall<Request, Answer> {
  operation: Operation;
  request: Request;
  call: Call<Request, Answer>;
}

/**
 * Makes the call. One that does not end in time fails with `DeadlineExceeded`, or `Canceled` after
 * a cancellation, and its own end is ignored.
 */
export async function within<Request extends ProviderRequest, Answer>(
  { callSeconds = 240, graceSeconds = 5 }: CallLimits,
  { operation, request, call }: LimitedCall<Request, Answer>,
): Promise<Answer> {
  const { signal: asked } = request;
  const limit = timeoutSignal(callSeconds * 1_000);
  const signal = anySignal([asked, limit]);
  const isOver = new AbortController();
  const stuck = async (): Promise<never> => {
    await abortOf(signal, isOver.signal);
    await sleep(graceSeconds * 1_000, { signal: isOver.signal });
    throw stuckError(operation, { isCancelled: asked.aborted, callSeconds });
  };
  try {
    return await Promise.race([call({ ...request, signal }), stuck()]);
  } finally {
    isOver.abort();
  }
}

/**
 * Rejects if the call ends before the signal. Nothing listens to the signal any longer then:
 * Node.js would keep it until its time limit, and with it all that the call had.
 */
async function abortOf(signal: AbortSignal, isOver: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true, signal: isOver });
  isOver.addEventListener('abort', () => reject(new Error('over')), { once: true });
  await promise;
}

function stuckError(
  operation: Operation,
  { isCancelled, callSeconds }: { isCancelled: boolean; callSeconds: number },
): DriverError {
  const doing = operation === 'deleteListed' ? 'delete what was listed' : operation;
  if (isCancelled) {
    const message = `${doing}: cancelled, and the driver did not end by itself`;
    return new DriverError({ code: 'Canceled', message, settled: false });
  }
  const message = `${doing}: no answer within ${callSeconds} s, neither of the cloud nor of its endpoint for credentials; asked again later`;
  return new DriverError({ code: 'DeadlineExceeded', message, settled: false });
}
