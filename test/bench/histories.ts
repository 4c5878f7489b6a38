/** How many events the histories of the stack's workflows have. */
import { Client, Connection } from '@temporalio/client';
import type { Stack } from '../../deploy/local/stack.ts';

export interface LongestRun {
  workflowId: string;
  events: number;
}

/** By run id: each run of a workflow that continued as new counts for itself. */
export type Histories = ReadonlyMap<string, LongestRun>;

/** Of all workflows; of those that run the length is asked one by one. */
export async function historiesOf(stack: Stack): Promise<Histories> {
  const address = stack.environment['TEMPORAL_ADDRESS'] ?? '';
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const histories = new Map<string, LongestRun>();
  for await (const { workflowId, runId, status, historyLength } of client.workflow.list()) {
    const events =
      status.name === 'RUNNING'
        ? (await client.workflow.getHandle(workflowId, runId).describe()).historyLength
        : historyLength;
    histories.set(runId, { workflowId, events });
  }
  await connection.close();
  return histories;
}

export function totalOf(histories: Histories): number {
  return [...histories.values()].reduce((sum, { events }) => sum + events, 0);
}

/** Of the runs that got events since `before`. */
export function longestSince(before: Histories, now: Histories): LongestRun | undefined {
  const grown = [...now].filter(([runId, { events }]) => before.get(runId)?.events !== events);
  return grown.map(([, run]) => run).toSorted((a, b) => b.events - a.events)[0];
}
