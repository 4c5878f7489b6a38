/** A target cluster that does not answer while Machine and Node are read. */
import type { MachineState } from './state.ts';
import { stepBackoffSeconds } from '../plan/step-backoff.ts';

/** The next look at a machine that is late to join, and the longest wait before the next read. */
export const outageLookMs = 30_000;

/** `reason`: absent when it answered. Nothing can join meanwhile: the creation timeout moves on. */
export function noteReach(state: MachineState, reason: string | undefined): void {
  if (reason === undefined) {
    delete state.outage;
    return;
  }
  const attempts = (state.outage?.attempts ?? 0) + 1;
  const random = Math.random();
  const seconds = stepBackoffSeconds({ attempts, random });
  const now = Date.now();
  state.outage = { reason, attempts, retryAt: now + Math.min(seconds * 1_000, outageLookMs) };
  state.isStale = true;
  state.joinBy = { at: now + outageLookMs, isOutage: true };
}
