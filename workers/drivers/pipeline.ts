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
import type { Driver } from '../../activities/drivers/driver.ts';
import { withCalls } from '../../activities/drivers/with-calls.ts';
import { hideIn } from '../../activities/redaction/hide.ts';
import type { CallLimits } from './limit.ts';
import { within } from './limit.ts';
import type { MeterParts } from './meter.ts';
import { meterOf } from './meter.ts';
import type { PaceParts } from './pace.ts';
import { turnOf } from './pace.ts';

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
        throw turn.failed(metered.failed(error));
      }
    } catch (error) {
      hideIn(error, request);
      throw error;
    }
  });
}
