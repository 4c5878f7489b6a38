import {
  behaviourAnnotation,
  behaviourOf,
  parseBehaviour,
} from '../../../deploy/local/update-agent/behaviour.ts';

test.each([
  ['', { answers: ['successful'], isEarly: false, dies: false, deletesPods: false, rebootMs: 0 }],
  ['failed', { answers: ['failed'], workMs: 1_000 }],
  ['failed-then-successful', { answers: ['failed', 'successful'] }],
  ['never', { answers: [] }],
  ['late=1m30s', { answers: ['successful'], workMs: 90_000 }],
  ['early, dies', { isEarly: true, dies: true }],
  ['failed,reboots=5s,deletes-pods', { answers: ['failed'], rebootMs: 5_000, deletesPods: true }],
])('"%s" is understood', (text, expected) => {
  expect(parseBehaviour(text)).toMatchObject(expected);
});

test.each([
  ['sucessful', '"sucessful" is not allowed; allowed, separated by commas: successful, failed, '],
  ['late', '"late" is not allowed; '],
  ['late=soon', '"late=soon" is not allowed; '],
  ['early=5s', '"early=5s" is not allowed; '],
  ['toString', '"toString" is not allowed; '],
  ['failed,never', '"failed,never" has more than one of successful, failed, '],
])('"%s" is refused in words, and fails the update with them', (text, words) => {
  const message = `${behaviourAnnotation}: ${words}`;
  expect(() => parseBehaviour(text)).toThrow(message);
  const { answers, failedReason } = behaviourOf(text);
  expect({ answers, failedReason }).toEqual({
    answers: ['failed'],
    failedReason: expect.stringContaining(message),
  });
});
