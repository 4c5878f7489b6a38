import { IllegalStateError } from '@temporalio/worker';
import type { TemporalWorker } from './worker-factory.ts';

/** Asks all of them to end. The SDK throws for a worker that has failed, as it runs no more. */
export function shutDown(workers: Iterable<Pick<TemporalWorker, 'shutdown'>>): void {
  for (const worker of workers) {
    try {
      worker.shutdown();
    } catch (error) {
      if (!(error instanceof IllegalStateError)) throw error;
    }
  }
}
