/** Which signals are of the same object, of a later one of its name, or of one that is gone. */
import { fakeClock } from '../../support/fake-clock.ts';
import type { SetSnapshot } from '../../../workflows/contracts/snapshots.ts';
import { epochAt } from '../../../workflows/values/epoch.ts';
import type { ObjectState } from '../../../workflows/runtime/object-lifecycle.ts';
import {
  isSameObject,
  noteObserved,
  observeGone,
  withPlausibleEpoch,
} from '../../../workflows/runtime/object-lifecycle.ts';

function seen(uid: string, resourceVersion: string): SetSnapshot {
  const spec = { generation: 1, isDeleting: false, hasFinalizer: true, metadataDigest: '' };
  return { cluster: 'c', epoch: 1, resourceVersion, uid, ...spec };
}

function following(uid?: string): ObjectState {
  return { isGone: false, ...(uid !== undefined && { uid, observed: seen(uid, '5') }) };
}

test('a later version of the same object is news, an older one is not', () => {
  const state = following('first');
  expect(noteObserved(state, seen('first', '4'))).toBe(false);
  expect(state.observed).toEqual(seen('first', '5'));
  expect(noteObserved(state, seen('first', '6'))).toBe(true);
  expect(state).toEqual({ isGone: false, uid: 'first', observed: seen('first', '6') });
});

test('before the first read an object of any UID is the same', () => {
  const state = following();
  expect(isSameObject(state, 'any')).toBe(true);
  expect(noteObserved(state, seen('any', '1'))).toBe(true);
  expect(state.isGone).toBe(false);
  expect(isSameObject(following('first'), 'second')).toBe(false);
});

test('another UID under the name is the successor: the object is gone without a signal', () => {
  const state = following('first');
  expect(noteObserved(state, seen('second', '9'))).toBe(true);
  expect(state).toMatchObject({ isGone: true, successor: { uid: 'second' } });
  expect(state.observed?.uid).toBe('first');
});

test('the newest of several successors of an object counts', () => {
  const state = following('first');
  noteObserved(state, seen('third', '12'));
  expect(noteObserved(state, seen('second', '9'))).toBe(false);
  expect(state.successor?.uid).toBe('third');
});

test('an older object of the name is no successor', () => {
  const state = following('first');
  expect(noteObserved(state, seen('before', '3'))).toBe(false);
  expect(state).toEqual(following('first'));
});

test('the end of the object is news, that of an earlier one of its name is not', () => {
  const state = following('first');
  expect(observeGone(state, seen('before', '6'))).toBe(false);
  expect(state.isGone).toBe(false);
  expect(observeGone(state, seen('first', '6'))).toBe(true);
  expect(state.isGone).toBe(true);
});

test('a successor that goes as well is forgotten', () => {
  const state = following('first');
  noteObserved(state, seen('second', '9'));
  expect(observeGone(state, seen('second', '10'))).toBe(true);
  expect(state.successor).toBeUndefined();
  expect(state.isGone).toBe(true);
});

test('a forged term of the far future makes nothing deaf: a term that begins later is later', () => {
  const clock = fakeClock({ now: Date.parse('2026-11-01T00:00:00Z') });
  const state = following('first');
  noteObserved(state, withPlausibleEpoch({ ...seen('first', '6'), epoch: 2 ** 52 }));
  expect(state.observed?.epoch).toBe(epochAt(Date.parse('2026-11-01T00:10:00Z')));
  const nextTerm = { ...seen('first', '7'), epoch: epochAt(Date.parse('2026-11-01T00:10:01Z')) };
  clock.setSystemTime(new Date('2026-11-01T00:10:01Z'));
  expect(noteObserved(state, withPlausibleEpoch(nextTerm))).toBe(true);
  expect(state.observed).toEqual(nextTerm);
  clock.uninstall();
});

test('terms of a Lease that counts from a clock years ahead still follow each other', () => {
  const clock = fakeClock({ now: Date.parse('2026-11-01T00:00:00Z') });
  const state = following('first');
  const ahead = { ...seen('first', '6'), epoch: epochAt(Date.parse('2031-01-01T00:00:00Z')) };
  expect(noteObserved(state, withPlausibleEpoch(ahead))).toBe(true);
  expect(noteObserved(state, withPlausibleEpoch({ ...ahead, resourceVersion: '7' }))).toBe(true);
  clock.uninstall();
});
