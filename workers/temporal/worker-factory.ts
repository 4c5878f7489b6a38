/** Makes the Temporal workers of a process, over one connection. */
import type { WorkerOptions } from '@temporalio/worker';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Config } from '../config/config.ts';
import { dataConverterOf } from '../payloads/data-converter.ts';
import { LeanWorker } from './sandbox/lean-worker.ts';

export type TemporalWorker = Pick<Worker, 'run' | 'shutdown'>;

export interface WorkerFactory {
  create(options: Omit<WorkerOptions, 'connection'>): Promise<TemporalWorker>;
  /** Closes the connection, which no worker may use any more. */
  close(): Promise<void>;
}

/** Connects; fails when Temporal cannot be reached. */
export async function createWorkerFactory({
  temporal,
  workflowSandbox,
}: Pick<Config, 'temporal' | 'workflowSandbox'>): Promise<WorkerFactory> {
  const connection = await NativeConnection.connect(temporal.connection);
  const kind = workflowSandbox === 'lean' ? LeanWorker : Worker;
  return {
    create: (options) => kind.create({ ...options, ...dataConverterOf(temporal), connection }),
    close: () => connection.close(),
  };
}
