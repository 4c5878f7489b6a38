import type { Row } from './rows.ts';
import {
  asked,
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
} from './rows.ts';

const outage = { failures: 1, message: 'connection refused', retryAt: now + 3_000 };

const { provider: _, ...withoutProvider } = pending;
const looking = { name: 'getConsoleOutput', isCancelRequested: false, drain: asked } as const;

describe('launch', () => {
  const unread = { ...running, isRead: false };
  test.each<Row>([
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
      name: 'a target cluster that did not answer is asked again after a while',
      given: { outage },
      action: 'wait',
      reason: 'connection refused',
      until: now + 3_000,
    },
    {
      name: 'and then the object is read again',
      given: { outage: { ...outage, retryAt: now } },
      action: 'readAndClaim',
    },
    {
      name: 'also one of a Failed machine, whose Node is not known before',
      given: { ...pending, isRead: false, phase: 'Failed', outage: { ...outage, retryAt: now } },
      action: 'readAndClaim',
    },
    {
      name: 'one that backs off is not woken again and again by an outage that may be over',
      given: { failure: failing(), outage: { ...outage, retryAt: now } },
      action: 'wait',
      until: now + 4_000,
    },

    {
      name: 'a Node that joins gets what the Machine says of it',
      given: { ...pending, isNodeBehind: true },
      action: 'syncNode',
    },
    {
      name: 'an edit before the join is read before its Node follows',
      given: { ...pending, isNodeBehind: true, isRead: false },
      action: 'readAndClaim',
    },
    {
      name: 'a Machine whose Node is deleted before it joined goes with it',
      given: { ...pending, hasLostNode: true },
      action: 'deleteWithNode',
    },
    {
      name: 'a Machine that could not go with its Node fails when its time to join is over',
      given: { ...pending, hasLostNode: true, isConsoleRead: true, createDeadline: now },
      action: 'recordTimeout',
    },
    {
      name: 'a Node of the name of a new instance is looked for before the instance is written down',
      given: { ...launched, mustCheckName: true },
      action: 'findStaleNode',
    },
    {
      name: 'a failure is said on the object before anything else',
      given: { ...prepared, failure: failing(), isUnreported: true },
      action: 'recordFailure',
    },
    {
      name: 'a finalizer that somebody took off is set again',
      given: { ...running, hasFinalizer: false, finalizerAt: now },
      action: 'readAndClaim',
    },
    {
      name: 'whoever takes it off has the time to delete the object',
      given: { ...running, hasFinalizer: false, finalizerAt: now + 60_000 },
      action: 'wait',
      until: now + 60_000,
    },

    {
      name: 'the Node of a running machine follows what was edited',
      given: { ...running, isNodeBehind: true },
      action: 'syncNode',
    },
    {
      name: 'of an edited machine what was written is read before its Node follows',
      given: { ...unread, isNodeBehind: true },
      action: 'readAndClaim',
    },
    {
      name: 'a machine without a target cluster is Available and waits',
      given: { ...launched, isRecorded: true, phase: 'Available', usesTarget: false },
      action: 'wait',
      reason: 'runs without a Node',
    },

    {
      name: 'of a pending machine without a Node at its deadline the console is read',
      given: { ...pending, createDeadline: now },
      action: 'getConsoleOutput',
    },

    {
      name: 'a look at the console is waited for',
      given: { ...pending, createDeadline: now, running: looking },
      action: 'wait',
      reason: 'getConsoleOutput is running',
    },
    {
      name: 'but not by a Node that has joined meanwhile',
      given: { ...pending, createDeadline: now, running: looking, isNodeReady: true },
      action: 'cancel',
      reason: 'its Node has joined after all',
    },
    {
      name: 'nor by a deletion',
      given: { ...pending, ...deleted, createDeadline: now, running: looking },
      action: 'cancel',
      reason: 'deletion requested during a read of the console of its instance',
    },
    {
      name: 'nobody is asked for the console where the driver is not known',
      given: { ...withoutProvider, createDeadline: now },
      action: 'recordTimeout',
    },
    {
      name: 'nor where no Node is to join',
      given: { ...pending, createDeadline: now, usesTarget: false },
      action: 'recordTimeout',
    },
    {
      name: 'one that was never created times out as well',
      given: { ...prepared, createDeadline: now, failure: failing() },
      action: 'recordTimeout',
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
      name: 'a wait never outlasts the creation deadline',
      given: { ...prepared, failure: failing(), createDeadline: now + 1_000 },
      action: 'wait',
      until: now + 1_000,
    },
    {
      name: 'the time is over: it is read again before the next create',
      given: { failure: failing({ retryAt: now }) },
      action: 'readAndClaim',
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
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });
});

describe('an instance that seems to be gone', () => {
  const loss = { askAt: now, isConfirmed: false };
  const rows: Row[] = [
    {
      name: 'is asked for at the cloud when it is time',
      given: { ...running, missing: loss },
      action: 'describeInstance',
    },

    {
      name: 'is not asked for before it is time: the machine wakes then',
      given: { ...running, missing: { askAt: now + 7_000, isConfirmed: false } },
      action: 'wait',
      reason: 'its instance is not to be found',
      until: now + 7_000,
    },
    {
      name: 'is written down once the cloud has confirmed it twice',
      given: { ...pending, missing: { ...loss, isConfirmed: true } },
      action: 'recordMissingInstance',
    },
    {
      name: 'leaves a Failed machine as it is',
      given: { ...running, phase: 'Failed', missing: loss },
      action: 'wait',
    },
  ];
  test.each<Row>(rows)('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });
});
