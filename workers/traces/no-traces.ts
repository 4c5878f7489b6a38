/** Where the bundle sends operations while traces are off: another process may have begun them. */
import type { InjectedSinks } from '@temporalio/worker';
import type { TraceSinks } from '../../workflows/runtime/trace-interceptors.ts';

export const noTraceSinks: InjectedSinks<TraceSinks> = {
  millwrightTraces: { ended: { fn: () => {}, callDuringReplay: false } },
};
