/** Steps of workflow code that a worker did in vain: they took longer than their time. */
import type { Stack } from '../../deploy/local/stack.ts';

const pattern =
  /^temporal_request_failure_total\{[^}]*operation="RespondWorkflowTaskCompleted"[^}]*\} (\d+)/;

/**
 * Of all workers since their start. Temporal does not know a task any more that it has given to
 * another worker.
 */
export async function lostTasksOf({ components }: Stack): Promise<number> {
  const workers = ['worker', 'second-worker'].flatMap((name) => components[name]?.address ?? []);
  const pages = await Promise.all(
    workers.map(async (address) => await (await fetch(`${address}/metrics`)).text()),
  );
  return pages
    .flatMap((page) => page.split('\n'))
    .map((line) => Number(pattern.exec(line)?.[1] ?? 0))
    .reduce((sum, count) => sum + count, 0);
}
