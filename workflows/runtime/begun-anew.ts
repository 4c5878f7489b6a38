/** The metric of runs that began anew because the one before them failed (decision 6). */
import { ApplicationFailure, TimeoutFailure, workflowInfo } from '@temporalio/workflow';
import { followsFailedRun } from './continue-as-new.ts';
import { count } from './counters.ts';

/** Few, as each is a label. */
export type BegunAnewReason = 'nondeterminism' | 'timeout' | 'error';

/** On the worker that begins the run; replays do not count. */
export function countBegunAnew(): void {
  if (!followsFailedRun()) return;
  const { workflowType: kind, lastFailure } = workflowInfo();
  count('runsBegunAnew', { kind, reason: begunAnewReason(lastFailure) });
}

/**
 * "Missing associated machine for LocalActivity" is what the SDK says both when it lost one itself
 * and when the code has changed.
 */
export function begunAnewReason(failure: unknown): BegunAnewReason {
  if (failure instanceof TimeoutFailure) return 'timeout';
  if (!(failure instanceof Error)) return 'error';
  const type = failure instanceof ApplicationFailure ? failure.type : undefined;
  const isBroken = type === 'NondeterminismError' || failure.message.includes('[TMPRL1100]');
  return isBroken ? 'nondeterminism' : 'error';
}
