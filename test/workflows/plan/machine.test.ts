import { describe, expect, test } from '@jest/globals';
import type { Row } from './machine-rows.ts';
import {
  now,
  prepared,
  launched,
  pending,
  running,
  orphanedAndFailed,
  deleted,
  teardown,
  failing,
  plan,
  wantedOf,
} from './machine-rows.ts';

describe('launch', () => {
  const unread = { ...running, isPrepared: false };
  test.each<Row>([
    { name: 'a new machine is read first', given: {}, action: 'prepare' },
    { name: 'one that was read gets its instance', given: prepared, action: 'create' },
    { name: 'an instance is written on the object', given: launched, action: 'recordCreated' },
    {
      name: 'a written one waits for its Node until the deadline',
      given: pending,
      action: 'wait',
      reason: 'Node pool-a has not joined yet',
      until: now + 1_200_000,
    },
    {
      name: 'a ready Node makes it Running',
      given: { ...pending, isNodeReady: true },
      action: 'recordJoined',
    },
    {
      name: 'a ready Node in the last moment beats the deadline',
      given: { ...pending, isNodeReady: true, createDeadline: now },
      action: 'recordJoined',
    },
    {
      name: 'a ready Node whose instance is not on the object yet: first the object',
      given: { ...launched, isNodeReady: true },
      action: 'recordCreated',
    },
    {
      name: 'so is one that came at its deadline: what is not on the object could be lost',
      given: { ...launched, isNodeReady: true, createDeadline: now },
      action: 'recordCreated',
    },
    {
      name: 'and one whose object is to be read again',
      given: { ...launched, isPrepared: false, failure: failing() },
      action: 'recordCreated',
    },
    {
      name: 'a running machine waits',
      given: running,
      action: 'wait',
      reason: 'runs on Node pool-a',
    },
    {
      name: 'the Node of a running machine follows what was edited',
      given: { ...running, isNodeBehind: true },
      action: 'syncNode',
    },
    {
      name: 'of an edited machine what was written is read before its Node follows',
      given: { ...unread, isNodeBehind: true },
      action: 'prepare',
    },
    {
      name: 'a machine without a target cluster is Available and waits',
      given: { ...launched, isRecorded: true, phase: 'Available', usesTarget: false },
      action: 'wait',
      reason: 'runs without a Node',
    },
    {
      name: 'a running machine whose spec was edited is read again, not joined again',
      given: unread,
      action: 'prepare',
    },
    {
      name: 'a running machine has no creation deadline',
      given: { ...running, isNodeReady: false, createDeadline: now - 1 },
      action: 'wait',
    },
    {
      name: 'a pending machine without a Node at its deadline is looked at once more',
      given: { ...pending, createDeadline: now },
      action: 'recordTimeout',
    },
    {
      name: 'one that was never created times out as well',
      given: { ...prepared, createDeadline: now, failure: failing() },
      action: 'recordTimeout',
    },
    {
      name: 'a Failed machine without an owner is created all the same',
      given: { ...prepared, ...orphanedAndFailed },
      action: 'create',
    },
    {
      name: 'a Failed machine without an owner backs off past its deadline',
      given: { ...prepared, ...orphanedAndFailed, failure: failing() },
      action: 'wait',
      until: now + 4_000,
    },
    {
      name: 'a Failed machine without an owner waits for its Node without a limit',
      given: { ...pending, ...orphanedAndFailed },
      action: 'wait',
      reason: 'has not joined yet',
    },
    {
      name: 'a Failed machine without an owner joins late',
      given: { ...pending, ...orphanedAndFailed, isNodeReady: true },
      action: 'recordJoined',
    },
    {
      name: 'a Failed machine waits for its set, whatever else is true',
      given: { ...pending, phase: 'Failed', isNodeReady: true, createDeadline: now - 1 },
      action: 'wait',
      reason: 'failed',
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });
});

describe('back-off', () => {
  test.each<Row>([
    {
      name: 'a refused create waits and says why',
      given: { ...prepared, failure: failing() },
      action: 'wait',
      reason: 'Internal: no luck',
      until: now + 4_000,
    },
    {
      name: 'a faulty class waits as well',
      given: { failure: failing() },
      action: 'wait',
      until: now + 4_000,
    },
    {
      name: 'a wait never outlasts the creation deadline',
      given: { ...prepared, failure: failing(), createDeadline: now + 1_000 },
      action: 'wait',
      until: now + 1_000,
    },
    {
      name: 'the time is over: it is read again before the next create',
      given: { failure: failing({ retryAt: now }) },
      action: 'prepare',
    },
    {
      name: 'a repaired class wakes it at once',
      given: { failure: failing({ retryAt: 0 }) },
      action: 'prepare',
    },
    {
      name: 'a failed deletion waits past the creation deadline',
      given: { ...launched, ...deleted, teardown, failure: failing(), createDeadline: now - 1 },
      action: 'wait',
      until: now + 4_000,
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });
});

describe('deletion', () => {
  const drained = { ...running, ...deleted, teardown };
  const gone = { ...drained, teardown: { ...teardown, isInstanceGone: true } };
  const creating = { name: 'create', isCancelRequested: false, isForced: false } as const;
  const draining = { ...creating, name: 'drain' } as const;
  const syncing = { ...creating, name: 'syncNode' } as const;
  test.each<Row>([
    {
      name: 'does not wait until its Node was written',
      given: { ...running, ...deleted, running: syncing },
      action: 'cancel',
      reason: 'deletion requested during a change of its Node',
    },
    { name: 'begins with a look', given: { ...running, ...deleted }, action: 'beginTeardown' },
    { name: 'of a machine never read', given: deleted, action: 'beginTeardown' },
    {
      name: 'of a Failed machine',
      given: { ...pending, ...deleted, phase: 'Failed' },
      action: 'beginTeardown',
    },
    {
      name: 'while a create is refused',
      given: { ...prepared, ...deleted, failure: failing() },
      action: 'beginTeardown',
    },
    {
      name: 'drains first',
      given: { ...drained, teardown: { ...teardown, isDrained: false } },
      action: 'drain',
    },
    {
      name: 'of a create without an answer looks first for what it made',
      given: { ...prepared, ...deleted, teardown: { ...teardown, mustFind: true } },
      action: 'findInstance',
    },
    {
      name: 'looks for it again after a while when the cloud does not answer',
      given: {
        ...prepared,
        ...deleted,
        failure: failing(),
        teardown: { ...teardown, mustFind: true },
      },
      action: 'wait',
      until: now + 4_000,
    },
    { name: 'then deletes the instance', given: drained, action: 'deleteInstance' },
    { name: 'then lets the object go', given: gone, action: 'finishTeardown' },
    {
      name: 'a machine that never had a readable class has nothing to delete',
      given: { ...deleted, teardown },
      action: 'finishTeardown',
    },
    {
      name: 'a create that was sent is deleted even when the class is gone',
      given: { ...deleted, teardown, wasCreateSent: true },
      action: 'deleteInstance',
    },
    {
      name: 'a readable class is asked even when no create was sent in this life',
      given: { ...prepared, ...deleted, teardown },
      action: 'deleteInstance',
    },
    {
      name: 'an ambiguous create holds the object through the settle window',
      given: { ...gone, unsettledUntil: now + 5_000 },
      action: 'wait',
      reason: 'no known outcome',
      until: now + 5_000,
    },
    {
      name: 'and is searched once more after it',
      given: { ...gone, unsettledUntil: now },
      action: 'deleteInstance',
    },
    {
      name: 'later each time while the cloud does not answer',
      given: { ...gone, unsettledUntil: now, failure: failing() },
      action: 'wait',
      until: now + 4_000,
    },
    {
      name: 'a create under way is cancelled first',
      given: { ...prepared, ...deleted, running: creating },
      action: 'cancel',
    },
    {
      name: 'and awaited',
      given: { ...prepared, ...deleted, running: { ...creating, isCancelRequested: true } },
      action: 'wait',
      reason: 'create is being cancelled',
    },
    {
      name: 'a create is cancelled too when the object vanished',
      given: { ...prepared, isGone: true, running: creating },
      action: 'cancel',
    },
    {
      name: 'a drain goes on when the object vanished',
      given: { ...drained, isGone: true, running: draining },
      action: 'wait',
      reason: 'drain is running',
    },
    {
      name: 'a teardown that began is finished although the object vanished',
      given: { ...drained, isGone: true },
      action: 'deleteInstance',
    },
    {
      name: 'a finished one ends the life and says so, also when the object was seen to go',
      given: { ...gone, isGone: true, teardown: { ...gone.teardown, isFinished: true } },
      action: 'complete',
      reason: 'instance, Node and object are gone',
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });

  test.each<Row>([
    {
      name: 'a drain under way is cancelled, to be done by force',
      given: { ...drained, mustForce: true, running: draining },
      action: 'cancel',
      reason: 'force-deletion',
    },
    {
      name: 'that is asked once',
      given: { ...drained, mustForce: true, running: { ...draining, isCancelRequested: true } },
      action: 'wait',
      reason: 'drain is being cancelled',
    },
    {
      name: 'a forced drain goes on',
      given: { ...drained, mustForce: true, running: { ...draining, isForced: true } },
      action: 'wait',
      reason: 'drain is running',
    },
    {
      name: 'a drain whose annotations changed is cancelled, to be begun again',
      given: { ...drained, drainOptions: 'b', running: { ...draining, drainOptions: 'a' } },
      action: 'cancel',
      reason: 'its annotations changed',
    },
    {
      name: 'a drain goes on as long as they are the same',
      given: { ...drained, drainOptions: 'a', running: { ...draining, drainOptions: 'a' } },
      action: 'wait',
      reason: 'drain is running',
    },
    {
      name: 'the deletion of the instance has nothing to force',
      given: { ...drained, mustForce: true, running: { ...draining, name: 'deleteInstance' } },
      action: 'wait',
      reason: 'deleteInstance is running',
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });
});

describe('a stripped finalizer', () => {
  test.each<Row>([
    {
      name: 'deleting without our finalizer: wait',
      given: { ...running, ...deleted, hasFinalizer: false },
      action: 'wait',
      reason: 'not ours',
    },
    {
      name: 'gone without a teardown: complete',
      given: { ...running, isGone: true },
      action: 'complete',
      reason: 'lives on',
    },
    {
      name: 'gone after both were seen, but no teardown began: complete',
      given: { ...running, ...deleted, isGone: true },
      action: 'complete',
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });
});
