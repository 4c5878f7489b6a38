import type { Row } from './rows.ts';
import {
  asked,
  now,
  prepared,
  running,
  deleted,
  teardown,
  failing,
  plan,
  wantedOf,
} from './rows.ts';

describe('deletion', () => {
  const drained = { ...running, ...deleted, teardown };
  const gone = { ...drained, teardown: { stage: 'deleted' } } as const;
  const creating = { name: 'create', isCancelRequested: false, drain: asked } as const;
  const draining = { ...creating, name: 'drain' } as const;

  const forced = { ...asked, byForce: true };
  const refusal = { ...failing().detail, code: 'FailedPrecondition' } as const;
  const refused = { ...failing(), detail: refusal };
  test.each<Row>([
    { name: 'of a machine never read', given: deleted, action: 'beginTeardown' },

    {
      name: 'drains first',
      given: { ...drained, teardown: { stage: 'draining' } },
      action: 'drain',
    },
    {
      name: 'of a create without an answer looks first for what it made',
      given: { ...prepared, ...deleted, teardown: { stage: 'searching' } },
      action: 'findInstance',
    },

    { name: 'then lets the object go', given: gone, action: 'finishTeardown' },
    {
      name: 'a machine that never had a readable class has nothing to delete',
      given: { isRead: true, ...deleted, teardown },
      action: 'finishTeardown',
    },
    {
      name: 'a create that was sent is deleted even when the class is gone',
      given: { isRead: true, ...deleted, teardown, wasCreateSent: true },
      action: 'deleteInstance',
    },
    {
      name: 'an edit of the spec is read before the deletion goes on',
      given: { ...drained, isRead: false },
      action: 'readAndClaim',
    },
    {
      name: 'an edit of the spec during a drain begins the drain anew',
      given: { ...drained, isRead: false, running: draining },
      action: 'cancel',
      reason: 'spec was edited',
    },
    {
      name: 'what failed is said before the next attempt',
      given: { ...drained, isUnreported: true },
      action: 'recordFailure',
    },

    {
      name: 'an ambiguous create holds the object through the settle window',
      given: { ...drained, unsettledUntil: now + 5_000 },
      action: 'wait',
      reason: 'no known outcome',
      until: now + 5_000,
    },
    {
      name: 'and is searched once more after it',
      given: { ...drained, unsettledUntil: now },
      action: 'deleteInstance',
    },

    {
      name: 'a create is cancelled too when the object vanished',
      given: { ...prepared, isGone: true, running: creating },
      action: 'cancel',
    },

    {
      name: 'a Machine of the same name is told what it waits for, beside the drain',
      given: { ...drained, isGone: true, running: draining, isSuccessorUntold: true },
      action: 'recordSuccessor',
    },
    {
      name: 'a Machine of the same name is told nothing while there is something to do',
      given: { ...drained, isGone: true, isSuccessorUntold: true },
      action: 'deleteInstance',
    },
    {
      name: 'a Machine of the same name does not wait for an object that went without a teardown',
      given: {
        ...prepared,
        isGone: true,
        running: { ...creating, isCancelRequested: true },
        isSuccessorUntold: true,
      },
      action: 'wait',
      reason: 'create is being cancelled',
    },

    {
      name: 'a finished one ends the life and says so, also when the object was seen to go',
      given: { ...gone, isGone: true, teardown: { stage: 'finished' } },
      action: 'complete',
      reason: 'instance, Node and object are gone',
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });

  test.each<Row>([
    {
      name: 'a drain under way is cancelled, to be done by force',
      given: { ...drained, drain: forced, running: draining },
      action: 'cancel',
      reason: 'force-deletion',
    },

    {
      name: 'a forced drain goes on',
      given: { ...drained, drain: forced, running: { ...draining, drain: forced } },
      action: 'wait',
      reason: 'drain is running',
    },
    {
      name: 'a drain whose annotations changed is cancelled, to be begun again',
      given: { ...drained, drain: { ...asked, options: 'b' }, running: draining },
      action: 'cancel',
      reason: 'its annotations changed',
    },

    {
      name: 'that is undone ends in a life that begins with a read',
      given: { ...drained, isDeleting: false },
      action: 'startOver',
      reason: 'its deletion was undone',
    },
    {
      name: 'that is undone cancels its drain first',
      given: { ...drained, isDeleting: false, running: draining },
      action: 'cancel',
      reason: 'its deletion was undone during drain',
    },
    {
      name: 'that is over is not undone',
      given: { ...running, teardown: { stage: 'finished' } },
      action: 'complete',
    },
    {
      name: 'of an object that went goes on',
      given: { ...drained, isDeleting: false, isGone: true },
      action: 'deleteInstance',
    },
    {
      name: 'of an object that went, and whose instance another Machine has, is over',
      given: { ...drained, isGone: true, failure: refused, isUnreported: true },
      action: 'complete',
    },
    {
      name: 'of an object that went is tried again for a while',
      given: { ...drained, isGone: true, failure: failing({ attempts: 9 }) },
      action: 'wait',
      until: now + 4_000,
    },
    {
      name: 'of an object that went, and that fails again and again, is over',
      given: { ...drained, isGone: true, failure: failing({ attempts: 10 }), isUnreported: true },
      action: 'complete',
      reason: 'the object went, and its deletion keeps failing: Internal: no luck',
    },
    {
      name: 'that fails again and again goes on while the object is there',
      given: { ...drained, failure: failing({ attempts: 10 }) },
      action: 'wait',
    },
    {
      name: 'that is refused while the object is there is tried again',
      given: { ...drained, failure: refused },
      action: 'wait',
      until: now + 4_000,
    },
    {
      name: 'the deletion of the instance has nothing to force',
      given: { ...drained, drain: forced, running: { ...draining, name: 'deleteInstance' } },
      action: 'wait',
      reason: 'deleteInstance is running',
    },
  ])('$name', (row) => {
    expect(plan(row.given)).toMatchObject(wantedOf(row));
  });
});
