import { drainBeganAt } from '../../../workflows/machine/deadlines.ts';
import { newMachineState } from '../../../workflows/machine/state.ts';
import { enterTeardown } from '../../../workflows/machine/teardown.ts';
import type { PreparedMachine } from '../../../workflows/contracts/machine-activities.ts';

const deleted: PreparedMachine = {
  uid: 'uid-1',
  resourceVersion: '1',
  isDeleting: true,
  hasFinalizer: true,
  createdAt: 0,
  deletionRequestedAt: 5_000,
  className: 'small',
  phase: 'Running',
  createGeneration: 0,
  usesTarget: true,
  limits: {
    creationTimeoutSeconds: 1_200,
    drainTimeoutSeconds: 7_200,
    resourceExhaustedRetrySeconds: 600,
  },
};

/** A command begins the drain anew, and pauses before that count all the same. */
test('a drain counts from the deletion, however often it is scheduled', () => {
  const state = newMachineState(0);
  state.object.prepared = deleted;
  enterTeardown(state, deleted);
  expect(drainBeganAt(state)).toBe(5_000);
});
