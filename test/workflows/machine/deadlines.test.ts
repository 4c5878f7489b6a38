import { drainBeganAt, drainDeadlineOf } from '../../../workflows/machine/deadlines.ts';
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

describe('hooks that held the drain', () => {
  const hour = 3_600_000;
  const drainHeldUntil = 10 * hour;

  function released(drain = {}) {
    const state = newMachineState(0);
    state.object.prepared = { ...deleted, drainHeldUntil, drain };
    enterTeardown(state, state.object.prepared);
    return state;
  }

  test('its time counts from their end', () => {
    const state = released();
    expect(drainBeganAt(state)).toBe(drainHeldUntil);
    expect(drainDeadlineOf(state)).toBe(drainHeldUntil + 2 * hour);
  });

  test('an end that a person gave it counts, unless it passed meanwhile', () => {
    expect(drainDeadlineOf(released({ until: 11 * hour }))).toBe(11 * hour);
    expect(drainDeadlineOf(released({ until: 9 * hour }))).toBe(12 * hour);
  });

  test('a hold of before the deletion, as of one that was undone, counts for nothing', () => {
    const state = newMachineState(0);
    state.object.prepared = { ...deleted, drainHeldUntil: 1_000 };
    enterTeardown(state, state.object.prepared);
    expect(drainBeganAt(state)).toBe(5_000);
  });
});
