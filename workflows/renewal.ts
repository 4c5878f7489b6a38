import { workflowInfo } from '@temporalio/workflow';

/**
 * A run that grew long is continued as new: a worker that takes over replays the whole history, 0.2 s for 500 events and
 * 3.7 s for 10,000.
 */
const longestHistoryEvents = 1_000;
const largestHistoryBytes = 1_000_000;
/** What is handed over may be large by itself, e.g. an object with large annotations: that alone is no reason to begin anew, and again. */
const shortestHistoryEvents = 60;

/** True when this run should continue as new as soon as nothing is in flight. */
export function mustRenew(): boolean {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  return (
    continueAsNewSuggested ||
    historyLength >= longestHistoryEvents ||
    (historySize >= largestHistoryBytes && historyLength >= shortestHistoryEvents)
  );
}

/**
 * What the run before handed over. Nothing after a run that failed: what it did in between is unknown, and everything that is
 * needed to go on stands on the objects and the instances.
 */
export function handedOver<State>(state: State | undefined): State | undefined {
  return workflowInfo().attempt > 1 ? undefined : state;
}
