import type { MachineState } from '../../../workflows/machine/state.ts';
import { factsOf } from '../../../workflows/machine/facts.ts';
import { noteReadNode, observeNode } from '../../../workflows/machine/node.ts';
import { drainOptionsOf } from '../../../workflows/machine/deadlines.ts';
import {
  noteDrainOptions,
  noteForce,
  noteRead,
  noteWritten,
  observeMachine,
} from '../../../workflows/machine/object.ts';
import { newMachineState } from '../../../workflows/machine/state.ts';
import { enterTeardown, noteInstanceGone } from '../../../workflows/machine/teardown.ts';
import type { PreparedMachine } from '../../../workflows/contracts/machine-activities.ts';
import { cluster, instance, readyNode } from './machine-world.ts';

const sighting = { cluster, epoch: 5 };
const seen = {
  ...sighting,
  resourceVersion: '900000000',
  uid: 'uid-1',
  isDeleting: false,
  hasFinalizer: true,
  specDigest: 'a',
  forceDeletion: false,
};
const prepared: PreparedMachine = {
  uid: 'uid-1',
  resourceVersion: seen.resourceVersion,
  isDeleting: false,
  hasFinalizer: true,
  createdAt: 0,
  className: 'small',
  phase: 'Pending',
  createGeneration: 0,
  usesTarget: true,
  limits: {
    creationTimeoutSeconds: 1200,
    drainTimeoutSeconds: 7200,
    resourceExhaustedRetrySeconds: 600,
  },
};
const node = { ...sighting, ...readyNode, exists: true, conditionsDigest: 'a' };

function pending(): MachineState {
  const object = { isGone: false, isStale: false, uid: 'uid-1', prepared };
  const creation = { stage: 'recorded', generation: 0, instance } as const;
  const state: MachineState = { ...newMachineState(0), object, creation, phase: 'Pending' };
  observeMachine(state, seen);
  return state;
}

describe('a Node that a step read', () => {
  test.each([
    { name: 'its NotReady', change: { isReady: false } },
    { name: 'its end', change: { exists: false } },
  ])('hides nothing that is signalled later: $name', ({ change }) => {
    const state = pending();
    noteReadNode(state, { ...readyNode, resourceVersion: '1200344' });
    expect(observeNode(state, { ...node, ...change, resourceVersion: '1200345' })).toBe(true);
    expect(state.node.seen).toMatchObject(change);
  });

  test('does not replace a later state that was signalled before', () => {
    const state = pending();
    observeNode(state, { ...node, isReady: false, resourceVersion: '12' });
    noteReadNode(state, { ...readyNode, resourceVersion: '11' });
    expect(state.node.seen?.isReady).toBe(false);
  });
});

describe('a Node that joins', () => {
  const joining = { ...node, isReady: false };

  test('is brought in step when it appears, and again when its conditions change', () => {
    const state = pending();
    observeNode(state, { ...joining, resourceVersion: '1' });
    expect(factsOf(state, undefined).isNodeBehind).toBe(true);
    state.node.equipped = { uid: node.uid, seen: 'uid-of-node there a' };
    expect(factsOf(state, undefined).isNodeBehind).toBe(false);
    observeNode(state, { ...joining, conditionsDigest: 'b', resourceVersion: '2' });
    expect(factsOf(state, undefined).isNodeBehind).toBe(true);
  });

  test.each([{ exists: false }, { isDeleting: true }])('takes its Machine along: %j', (change) => {
    const state = pending();
    observeNode(state, { ...joining, ...change, resourceVersion: '1' });
    expect(factsOf(state, undefined)).toMatchObject({ hasLostNode: true, isNodeBehind: false });
  });

  test('that was never seen takes no Machine along', () => {
    const state = pending();
    observeNode(state, { ...joining, uid: '', exists: false, resourceVersion: '1' });
    expect(factsOf(state, undefined).hasLostNode).toBeUndefined();
  });

  test('of another instance says nothing of this machine', () => {
    const state = pending();
    const other = { ...joining, providerID: 'virtual:///zone-1/i-2', exists: false };
    observeNode(state, { ...other, resourceVersion: '1' });
    expect(factsOf(state, undefined).hasLostNode).toBeUndefined();
  });
});

test.each([
  {
    name: 'named by the object, without its Node',
    providerID: 'virtual:///zone-1/i-1',
    stage: 'searching',
  },
  { name: 'never there', providerID: undefined, stage: 'deleting' },
])('the teardown of an instance $name begins with $stage', ({ providerID, stage }) => {
  const state: MachineState = { ...pending(), creation: { stage: 'sent', generation: 0 } };
  enterTeardown(state, { ...prepared, ...(providerID !== undefined && { providerID }) });
  expect(state.teardown?.stage).toBe(stage);
});

test.each([
  { outcome: 'that may be listed late', isLate: true, usesTarget: true, stage: 'searching' },
  {
    outcome: 'that may be listed late and has no Node',
    isLate: true,
    usesTarget: false,
    stage: 'deleting',
  },
  { outcome: 'that cannot come back', isLate: false, usesTarget: true, stage: 'deleted' },
])('a deletion of an instance $outcome ends in $stage', ({ isLate, usesTarget, stage }) => {
  const machine = { ...prepared, usesTarget };
  const object = { isGone: false, isStale: false, uid: 'uid-1', prepared: machine };
  const state: MachineState = { ...pending(), object };
  enterTeardown(state, machine);
  noteInstanceGone(state, isLate);
  expect(state.teardown?.stage).toBe(stage);
});

test('a version from before a command takes nothing of the command back, a later one does', () => {
  const state = pending();
  observeMachine(state, { ...seen, resourceVersion: '900000001' });
  noteDrainOptions(state, { until: 5_000 });
  noteForce(state);
  noteWritten(state, '900000003');
  observeMachine(state, { ...seen, resourceVersion: '900000002', drain: { until: 1_000 } });
  expect(drainOptionsOf(state)).toEqual({ until: 5_000 });
  expect(factsOf(state, undefined).drain.byForce).toBe(true);
  observeMachine(state, { ...seen, resourceVersion: '900000004', drain: { until: 9_000 } });
  expect(drainOptionsOf(state)).toEqual({ until: 9_000 });
  expect(factsOf(state, undefined).drain.byForce).toBe(false);
});

test('a finalizer that is taken off while the object is read is due again, also where the read still found it', () => {
  const state = pending();
  observeMachine(state, { ...seen, resourceVersion: '900000002', hasFinalizer: false });
  noteRead(state, { ...prepared, resourceVersion: '900000001' }, cluster);
  expect(factsOf(state, undefined).finalizerAt).toBeDefined();
  noteRead(state, { ...prepared, resourceVersion: '900000003' }, cluster);
  expect(factsOf(state, undefined).finalizerAt).toBeUndefined();
});

test('a finalizer that a read could not set is due a while after that read', () => {
  const state = pending();
  observeMachine(state, { ...seen, resourceVersion: '900000002', hasFinalizer: false });
  state.object.finalizerLostAt = 0;
  const read = { ...prepared, hasFinalizer: false, resourceVersion: '900000003' };
  noteRead(state, read, cluster);
  expect(factsOf(state, undefined).finalizerAt).toBeGreaterThan(Date.now());
});

test('a finalizer that is taken off a living object is due again; one that goes gets none', () => {
  const state = pending();
  observeMachine(state, { ...seen, hasFinalizer: false, resourceVersion: '900000001' });
  expect(factsOf(state, undefined).finalizerAt).toBeGreaterThan(Date.now());
  const going = { ...seen, hasFinalizer: false, isDeleting: true, resourceVersion: '900000002' };
  observeMachine(state, going);
  expect(factsOf(state, undefined).finalizerAt).toBeUndefined();
});
