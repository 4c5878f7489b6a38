import { formatAge } from '../../../cli/terminal/age.ts';

/** As HumanDuration in k8s.io/apimachinery has them in its own test. */
test.each([
  [-1, '0s'],
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [9 * 60 + 59, '9m59s'],
  [10 * 60 + 1, '10m'],
  [179 * 60, '179m'],
  [3 * 3600, '3h'],
  [7 * 3600 + 59 * 60, '7h59m'],
  [8 * 3600 + 59 * 60, '8h'],
  [47 * 3600, '47h'],
  [5 * 86_400 + 3 * 3600, '5d3h'],
  [8 * 86_400, '8d'],
  [729 * 86_400, '729d'],
  [3 * 365 * 86_400 + 86_400, '3y1d'],
  [9 * 365 * 86_400, '9y'],
])('%i s is %s', (seconds, text) => {
  expect(formatAge(seconds * 1_000)).toBe(text);
});
