/** Which processes did what, as the histories of a scenario name them. */
import type { RecordedRun } from './histories.ts';

/** By process, the task queues of its tasks, without the part that the scenario's all have. */
export function queuesByProcess(
  runs: readonly RecordedRun[],
  taskQueue: string,
): Record<string, string[]> {
  const found = new Map<string, Set<string>>();
  const note = (identity: string | null | undefined, queue: string): void => {
    const queues = found.get(identity ?? '') ?? new Set();
    found.set(identity ?? '', queues.add(queue.slice(taskQueue.length)));
  };
  for (const { history } of runs) {
    const queueOf = new Map<string, string>();
    for (const event of history.events ?? []) {
      const scheduled = event.activityTaskScheduledEventAttributes;
      const started = event.activityTaskStartedEventAttributes;
      const step = event.workflowTaskCompletedEventAttributes;
      if (scheduled) queueOf.set(String(event.eventId), scheduled.taskQueue?.name ?? '');
      if (started) note(started.identity, queueOf.get(String(started.scheduledEventId)) ?? '');
      if (step) note(step.identity, taskQueue);
    }
  }
  return Object.fromEntries(
    [...found].map(([process, queues]) => [process, [...queues].toSorted()]),
  );
}
