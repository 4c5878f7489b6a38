/** The workflows that are open, as the judge reads them. */
import type { ExecutionEngine } from '../../temporal/engine.ts';

export interface OpenWorkflow {
  runId: string;
  /** Of its history. */
  events: number;
  /** No timer, no activity and nothing new: only a signal makes it go on. */
  isIdle: boolean;
  /** An activity is under way, or waits for its next attempt. */
  hasActivity: boolean;
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
    const hasActivity = activities.size > 0;
    const isIdle = timers.size === 0 && !hasActivity && !hasPendingTask;
    const showsFailure = [...activities.values()].some(({ view }) => view.lastFailure);
    const view = { runId: run.runId, events: history.length, isIdle, hasActivity, showsFailure };
    open.set(run.workflowId, view);
  }
  return open;
}
