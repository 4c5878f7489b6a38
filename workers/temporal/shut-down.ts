import { IllegalStateError } from '@temporalio/worker';
import type { TemporalWorker } from './worker-factory.ts';

/** Asks them to end. One that has failed has ended by itself, and says so by an error. */
export function shutDown(workers: Iterable<Pick<TemporalWorker, 'shutdown'>>): void {
  for (const worker of workers) {
    try {
      worker.shutdown();
    } catch (error) {
      if (!(error instanceof IllegalStateError)) throw error;
    }
  }
}
