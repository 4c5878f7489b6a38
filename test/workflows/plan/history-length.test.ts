import { hasGrownLong } from '../../../workflows/plan/history-length.ts';

const short = { historyLength: 100, historySize: 50_000, continueAsNewSuggested: false };

test.each([
  { says: 'is short', run: short, isLong: false },

  { says: 'has 1,000 events', run: { ...short, historyLength: 1_000 }, isLong: true },
  { says: 'has a megabyte', run: { ...short, historySize: 1_000_000 }, isLong: true },
  {
    says: 'has just begun, with a megabyte that was handed over to it',
    run: { ...short, historyLength: 59, historySize: 1_500_000 },
    isLong: false,
  },
  {
    says: 'is said by the server to be long',
    run: { ...short, continueAsNewSuggested: true },
    isLong: true,
  },
])('a run that $says: continued as new is $isLong', ({ run, isLong }) => {
  expect(hasGrownLong(run)).toBe(isLong);
});
