/** Counts and times a call of a driver, and explains what it fails with. */
import type { MachineRequest, ProviderRequest } from '../../activities/drivers/driver.ts';
import { DriverError, DriverPending } from '../../activities/drivers/driver.ts';
import type { Operation } from '../../activities/drivers/with-calls.ts';
import { monotonicMs } from '../../activities/system/system.ts';
import { KubeError } from '../../kube/client/errors.ts';
import type { MachineErrorCode } from '../../workflows/api/failures.ts';

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
export function meterOf(
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
