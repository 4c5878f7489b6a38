/**
 * What a driver's calls go through. All of the way from a workflow's activity to the cloud, from
 * the outside in:
 *
 * 1. `createPlaceInterceptor` (activities/place-interceptor.ts): finds the namespace; a task of
 *    another install goes back.
 * 2. `createActivityInterceptor` (activities/interceptor.ts): heartbeats, failures as Temporal
 *    classifies them, a quick no to local activities while the API server hangs.
 * 3. `routed` (activities/routed.ts): from the worker's activity to that of the namespace.
 * 4. `gated` (activities/gates.ts): a watcher leads, and nobody has stopped everything.
 * 5. `answered` (activities/instance.ts): a refusal, or an operation that goes on, is an answer.
 * 6. `askingCloud` (activities/drivers/asking-cloud.ts): the cloud's id of the call, and how long
 *    it took, for the audit.
 * 7. `driverPipeline`, here.
 * 8. `withSpelling` (activities/drivers/spec-spelling.ts): keys of the provider spec in any case.
 *
 * Beside 1 and 2 stand interceptors that do nothing to a call: they count timeouts, write spans,
 * and share slots between namespaces.
 */
import type { Driver, ProviderRequest, MachineRequest } from '../../activities/drivers/driver.ts';
import { DriverError, DriverPending } from '../../activities/drivers/driver.ts';
import type { CloudCall, Operation } from '../../activities/drivers/with-calls.ts';
import { withCalls } from '../../activities/drivers/with-calls.ts';
import { hideIn } from '../../activities/redaction/hide.ts';
import type { PaceParts } from './pace.ts';
import { turnOf } from './pace.ts';
import { anySignal, sleep, timeoutSignal, monotonicMs } from '../../activities/system/system.ts';
import { KubeError } from '../../kube/client/errors.ts';
import type { MachineErrorCode } from '../../workflows/api/failures.ts';

export interface PipelineParts {
  /** Default: see `CallLimits`. */
  limit?: CallLimits;
  meter: MeterParts;
  pace: PaceParts;
}

/**
 * The same driver. A call waits for its turn, or is held back; it is counted, and ended at its
 * limit. What it fails with is a `DriverError`, a `DriverPending` or a `KubeError`, without the
 * values of the class's Secret, which a cloud may repeat.
 */
export function driverPipeline(
  driver: Driver,
  provider: string,
  { limit = {}, meter, pace }: PipelineParts,
): Driver {
  return withCalls(driver, (operation, call) => async (request) => {
    try {
      const scope = driver.limitScope?.(request.providerSpec) ?? '';
      const turn = await turnOf(pace, { provider, scope, operation }, request);
      const metered = meterOf(meter, { provider, operation }, request);
      try {
        const answer = await within(limit, { operation, request, call });
        metered.succeeded();
        turn.answered();
        return answer;
      } catch (error) {
        // The meter may log it.
        hideIn(error, request);
        throw turn.failed(metered.failed(error));
      }
    } catch (error) {
      hideIn(error, request);
      throw error;
    }
  });
}

/**
 * Ends every call of a driver at its limit, even if a library below it hangs on a socket, a token
 * or a promise.
 */
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
  call: CloudCall<Request, Answer>;
}

/**
 * Makes the call. One that does not end in time fails with `DeadlineExceeded`, or `Canceled` after
 * a cancellation, and its own end is ignored.
 */
async function within<Request extends ProviderRequest, Answer>(
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

/** A call that is over; one that is pending as well. */
export interface EndedCall {
  provider: string;
  operation: Operation;
  code: 'OK' | MachineErrorCode;
  seconds: number;
}

/** As in all lines of machines: docs/logs.md. */
interface ReportedCall {
  provider: string;
  /** `NAMESPACE/NAME`; absent of a list. */
  machine?: string;
}

export interface MeterParts {
  count(call: EndedCall): void;
  /** Logs an error that the driver did not turn into a `DriverError`. */
  report(error: unknown, message: string, call: ReportedCall): void;
  /** Milliseconds; only differences count. Default the clock of the process. */
  now?: () => number;
}

interface Meter {
  succeeded(): void;
  /** Returns what the call fails with. */
  failed(error: unknown): Error;
}

type AnyRequest = ProviderRequest & Partial<Pick<MachineRequest, 'machine'>>;

/** Starts the clock of a call. */
function meterOf(
  { count, report, now = monotonicMs }: MeterParts,
  { provider, operation }: Pick<EndedCall, 'provider' | 'operation'>,
  { machine }: AnyRequest,
): Meter {
  const begunAt = now();
  const end = (code: EndedCall['code']): void =>
    count({ provider, operation, code, seconds: (now() - begunAt) / 1_000 });
  return {
    succeeded: () => end('OK'),
    failed(error) {
      if (error instanceof DriverPending) {
        end('OK');
        return error;
      }
      const fault = explained(error, `driver of provider "${provider}": ${operation}`);
      const ofMachine = machine && { machine: `${machine.namespace}/${machine.name}` };
      if (fault !== error) report(error, fault.message, { provider, ...ofMachine });
      end(fault instanceof DriverError ? fault.code : 'Unavailable');
      return fault;
    },
  };
}

/**
 * Whatever a call throws becomes a `DriverError`: a bug must show on the Machine instead of being
 * tried again in silence. An error of an API server that the driver asked is not the cloud's:
 * Temporal tries the call again.
 */
function explained(error: unknown, what: string): DriverError | KubeError {
  if (error instanceof DriverError || error instanceof KubeError) return error;
  const words = error instanceof Error ? error.message : String(error);
  const message = `${what}: ${words}. This is a bug of the driver; the worker's log says more`;
  return new DriverError({ code: 'Unknown', message, settled: false, cause: error });
}
