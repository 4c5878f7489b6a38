/** Where a script is played: the same client of the SDK, on a simulated server or on a real one. */
import type { Client } from '@temporalio/client';
import type { AttemptNote } from './activities.ts';
import type { RunObservation } from './observation.ts';

export interface Stage {
  client: Client;
  workflowId: string;
  taskQueue: string;
  /** Those of this script's workflow so far. */
  notes: readonly AttemptNote[];
  sleep(milliseconds: number): Promise<void>;
  now(): number;
  killWorker(): Promise<void>;
  startWorker(): Promise<void>;
  eventTypes(runId: string): Promise<readonly string[]>;
  /** All runs of the workflow, without their queried logs. `first`: those that requests began. */
  runs(first: readonly string[]): Promise<readonly FoundRun[]>;
}

export type FoundRun = Omit<RunObservation, 'log'> & { runId: string };
