import { certificateResult } from '../../../cli/doctor/certificates.ts';
import { clockResult } from '../../../cli/doctor/clusters.ts';
import { answerOf } from '../../../cli/doctor/doctor.ts';
import { error, ok, runAll, skipped, warning } from '../../../cli/doctor/check.ts';

const answering = (name: string) => ({ name, run: () => Promise.resolve(ok(name, 'fine')) });

test('a check that fails or hangs is a finding, and the others are told in their order', async () => {
  const checks = [
    { name: 'hangs', run: () => new Promise<never>(() => undefined) },
    { name: 'fails', run: () => Promise.reject(new Error('no such host')) },
    ...Array.from({ length: 9 }, (_, index) => answering(`check ${index}`)),
  ];
  const found = await runAll(checks, 50);
  expect(found.map(({ what }) => what)).toEqual(checks.map(({ name }) => name));
  expect(found.slice(0, 2)).toMatchObject([
    { state: 'skipped', text: 'no answer within 0.05 s' },
    { state: 'skipped', text: expect.stringContaining('no such host') },
  ]);
});

test('each check is a line, and its repair another one', () => {
  const { text } = answerOf('shoot', [ok('a', 'fine'), error('bbb', 'broken', 'mend it')]);
  expect(text.split('\n').slice(0, 3)).toEqual([
    'ok       a    fine',
    'error    bbb  broken',
    '              repair: mend it',
  ]);
});

const start = Date.parse('2026-01-01T00:00:00Z');
const day = 86_400_000;

test.each([
  [90, 'ok'],
  [10, 'warning'],
  [-1, 'error'],
])('a certificate with %i days left is %s', (days, state) => {
  const end = start + days * day;
  expect(certificateResult('cert', { whose: 'of x', end }, start)).toMatchObject({ state });
});

test.each([
  [0, 'ok', 'within'],
  [60_000, 'warning', '60 s ahead of'],
  [-60_000, 'warning', '59 s behind'],
])('a clock that is off by %i ms is a %s', (off, state, words) => {
  const date = new Date(start + off).toUTCString();
  const result = clockResult('control cluster', { date, sentAt: start, gotAt: start });
  expect(result).toMatchObject({ state, text: expect.stringContaining(words) });
});

test.each([
  [[ok('a', '')], 'Millwright can work in namespace shoot; warnings: 0.'],
  [
    [ok('a', ''), skipped('b', ''), skipped('c', '')],
    'Nothing keeps Millwright from work in namespace shoot; warnings: 0; not found out: 2.',
  ],
  [
    [error('a', '', 'x'), warning('b', '', 'y'), skipped('c', '')],
    'Millwright cannot work in namespace shoot; errors: 1, warnings: 1; not found out: 1.',
  ],
])('the last line says no more than was found out: %j', (findings, end) => {
  const { text, exitCode } = answerOf('shoot', findings);
  expect(text.split('\n').at(-1)).toBe(end);
  expect(exitCode).toBe(end.includes('cannot') ? 1 : 0);
});
