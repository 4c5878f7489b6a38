import { expect, test } from 'vitest';
import { machineDetails } from '../../../workflows/machine/details.ts';
import type { MachineState } from '../../../workflows/machine/state.ts';
import { newMachineState } from '../../../workflows/machine/state.ts';

const ref = { namespace: 'shoot', name: 'pool-1' };
const blocker = {
  pod: 'apps/web',
  podUid: 'uid-of-web',
  blockedBy: 'web-budget',
  since: 0,
  why: 'allows none',
};
const report = { uid: 'uid-1', podsLeft: 1, blockers: [blocker], blockerCount: 1 };

function withBlockedDrain(): MachineState {
  return { ...newMachineState(0), drain: report };
}

function pageOf(state: MachineState): string {
  return machineDetails(ref, state, { action: 'wait', reason: 'is healthy' });
}

test('a drain that is blocked says until when', () => {
  const state = withBlockedDrain();
  state.preservation = {
    seen: '',
    drain: { startedAt: 0, isDone: false, attempts: 1 },
  };
  expect(pageOf(state)).toContain('what is left at 2200-01-01T00:00:00Z is deleted by force');
  state.drain = { ...report, deadline: 60_000 };
  expect(pageOf(state)).toContain('what is left at 1970-01-01T00:01:00Z is deleted by force');
});

test('the report of a drain that is over is not shown', () => {
  expect(pageOf(withBlockedDrain())).not.toContain('Drain is blocked');
});
