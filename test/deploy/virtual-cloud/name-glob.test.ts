import { matchesGlob } from '../../../deploy/local/virtual-cloud/name-glob.ts';

test.each([
  { name: 'web-0', pattern: '*', matches: true },
  { name: '', pattern: '*', matches: true },
  { name: 'web-0', pattern: 'web-*', matches: true },
  { name: 'web-0', pattern: 'web', matches: false },
  { name: 'my-web-0', pattern: 'web-*', matches: false },
  { name: 'web-12', pattern: 'web-?', matches: false },
  { name: 'web-1', pattern: 'web-?', matches: true },
  { name: 'web.0', pattern: 'web.0', matches: true },
  { name: 'webx0', pattern: 'web.0', matches: false },
  { name: 'a(b', pattern: 'a(b', matches: true },
])('the pattern $pattern matches the name "$name": $matches', ({ name, pattern, matches }) => {
  expect(matchesGlob(name, pattern)).toBe(matches);
});
