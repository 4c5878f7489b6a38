/** What the workers of a stack say of themselves: how they share the work, and their open polls. */
import type { Stack } from '../../deploy/local/stack.ts';

export interface WorkerShare {
  workflowTasks: number;
  activities: number;
  localActivities: number;
  /** Long polls that are open at the end. */
  polls: number;
}

const counters = {
  workflowTasks: 'temporal_workflow_task_execution_latency_seconds_count',
  activities: 'temporal_activity_execution_latency_seconds_count',
  localActivities: 'temporal_local_activity_execution_latency_seconds_count',
} as const;

/** A page of `/metrics` for each worker, by its name. */
export async function metricsOfWorkers({ components }: Stack): Promise<Record<string, string>> {
  const workers = Object.entries(components).filter(([name]) => /^(.+-)?worker$/.test(name));
  const pages = await Promise.all(
    workers.map(async ([name, { address }]) => [
      name,
      await (await fetch(`${address}/metrics`)).text(),
    ]),
  );
  return Object.fromEntries(pages);
}

/** Since the start of each. */
export async function sharesOf(stack: Stack): Promise<Record<string, WorkerShare>> {
  const pages = Object.entries(await metricsOfWorkers(stack));
  return Object.fromEntries(pages.map(([name, page]) => [name, shareIn(page)]));
}

export function sharesBetween(
  before: Record<string, WorkerShare>,
  after: Record<string, WorkerShare>,
): Record<string, WorkerShare> {
  return Object.fromEntries(
    Object.entries(after).map(([name, { workflowTasks, activities, localActivities, polls }]) => [
      name,
      {
        workflowTasks: workflowTasks - (before[name]?.workflowTasks ?? 0),
        activities: activities - (before[name]?.activities ?? 0),
        localActivities: localActivities - (before[name]?.localActivities ?? 0),
        polls,
      },
    ]),
  );
}

export function shareIn(page: string): WorkerShare {
  return {
    workflowTasks: sumOf(page, counters.workflowTasks),
    activities: sumOf(page, counters.activities),
    localActivities: sumOf(page, counters.localActivities),
    polls: sumOf(page, 'temporal_num_pollers'),
  };
}

/** Of all series of this name. */
export function sumOf(page: string, name: string): number {
  return page
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
