import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { begunAnewReason } from '../../../workflows/runtime/object-lifecycle.ts';

test.each([
  {
    reason: 'nondeterminism',
    failure: ApplicationFailure.create({ message: 'no match', type: 'NondeterminismError' }),
  },
  { reason: 'nondeterminism', failure: new Error('[TMPRL1100] Nondeterminism error: no match') },

  { reason: 'timeout', failure: new TimeoutFailure('late', undefined, 'START_TO_CLOSE') },
  { reason: 'error', failure: new Error('a bug') },
  { reason: 'error', failure: undefined },
])('a run after $failure counts as begun anew because of $reason', ({ reason, failure }) => {
  expect(begunAnewReason(failure)).toBe(reason);
});
