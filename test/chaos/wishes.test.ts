import type { Action } from './action.ts';
import { boundsOf } from './pool-bounds.ts';
import { Wishes } from './wishes.ts';

const created: Action = { type: 'create', pool: 'a', replicas: 5, class: 'small' };

function envelopeAfter(...actions: Action[]) {
  const wishes = new Wishes();
  wishes.apply(created);
  wishes.beginRound();
  for (const action of actions) wishes.apply(action);
  return wishes.snapshot().envelopes['a'];
}

describe('the envelope of a round', () => {
  test.each<[string, Action[], object]>([
    ['nothing', [], { least: 5, most: 5, removed: 0, isUnbounded: false }],
    [
      'a roll',
      [{ type: 'roll', pool: 'a', class: 'medium' }],
      { least: 5, most: 5, isUnbounded: false },
    ],
    [
      'a roll there and back',
      [
        { type: 'roll', pool: 'a', class: 'medium' },
        { type: 'roll', pool: 'a', class: 'small' },
      ],
      { isUnbounded: true },
    ],
    ['growing', [{ type: 'scale', pool: 'a', replicas: 8 }], { most: 8, isUnbounded: false }],
    ['shrinking', [{ type: 'scale', pool: 'a', replicas: 2 }], { least: 2, isUnbounded: true }],
    ['a deleted machine', [{ type: 'drain', pool: 'a', share: 0 }], { least: 5, removed: 1 }],
    [
      'a deleted pool that comes again',
      [{ type: 'delete', pool: 'a' }, created],
      { least: 0, most: 5, isUnbounded: true },
    ],
    [
      'VMs that vanish',
      [{ type: 'fault', fault: { kind: 'vanish', operation: 'create', times: 2 } }],
      { removed: 2 },
    ],
  ])('after %s', (_words, actions, expected) => {
    expect(envelopeAfter(...actions)).toMatchObject(expected);
  });
});

describe('the bounds of a pool', () => {
  const limits = { maxSurge: 3, maxUnavailable: 1 };

  test('are those of a rollout when nothing else happens', () => {
    const envelope = { least: 5, most: 5, removed: 0, isUnbounded: false };
    expect(boundsOf(envelope, limits)).toEqual({
      maxTotal: 8,
      maxActive: 8,
      minAvailable: 4,
      toleratedExtra: 0,
    });
  });

  test('say nothing of the total when terminating machines may add up', () => {
    const envelope = { least: 2, most: 5, removed: 4, isUnbounded: true };
    expect(boundsOf(envelope, limits)).toEqual({ maxActive: 8, minAvailable: 0 });
  });
});
