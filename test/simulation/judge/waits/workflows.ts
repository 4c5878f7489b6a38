/** The workflows that are open, as the judge reads them. */
import type { ExecutionEngine } from '../../temporal/engine.ts';

export interface OpenWorkflow {
  runId: string;
  /** Of its history. */
  events: number;
  /** No timer, no activity and nothing new: only a signal makes it go on. */
  isIdle: boolean;
  /** One of its activities is tried again, and Temporal shows why. */
  showsFailure: boolean;
}

/** By workflow id. */
export function openWorkflows(
  engine: Pick<ExecutionEngine, 'executions'>,
): ReadonlyMap<string, OpenWorkflow> {
  const open = new Map<string, OpenWorkflow>();
  for (const { isOpen, run, history, timers, activities, hasPendingTask } of engine.executions()) {
    if (!isOpen) continue;
    const isIdle = timers.size === 0 && activities.size === 0 && !hasPendingTask;
    const showsFailure = [...activities.values()].some(({ view }) => view.lastFailure);
    open.set(run.workflowId, { runId: run.runId, events: history.length, isIdle, showsFailure });
  }
  return open;
}
