import {
  historyWith,
  revisionOf,
} from '../../../../../workflows/plan/machine-deployment/rollout/revisions.ts';

test.each([
  { text: undefined, expected: 0 },
  { text: '', expected: 0 },
  { text: '3', expected: 3 },
  { text: '0', expected: 0 },
  { text: '-1', expected: 0 },
  { text: '1.5', expected: 0 },
  { text: 'third', expected: 0 },
  { text: '99999999999999999999', expected: 0 },
])('revision $text is $expected', ({ text, expected }) => {
  expect(revisionOf(text)).toBe(expected);
});

describe('the history', () => {
  test.each([
    { history: undefined, left: 1, expected: '1' },
    { history: '', left: 1, expected: '1' },
    { history: '1', left: 3, expected: '1,3' },
    { history: '1,3', left: 3, expected: '1,3,3' },
  ])('$history and then $left is $expected', ({ history, left, expected }) => {
    expect(historyWith(history, left)).toBe(expected);
  });

  test('forgets the earliest when it grows too long', () => {
    let history = '';
    for (let revision = 1; revision <= 2000; revision += 1)
      history = historyWith(history, revision);
    expect(history.length).toBeLessThanOrEqual(2000);
    expect(history.length).toBeGreaterThan(1990);
    expect(history).toMatch(/,1999,2000$/);
    expect(history).not.toMatch(/^1,/);
  });

  test('keeps the last even if it is too long by itself', () => {
    expect(historyWith('9'.repeat(3000), 4)).toBe('4');
  });
});
