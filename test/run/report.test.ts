import { Report } from './report.ts';

const unsteady = ['test/a.test.ts: was slow once'];
const counts = { passed: 2, failed: 0, pending: 0, failures: [], unsteady };

test.each([
  { tier: 'npm test', isStrict: false, code: 0 },
  { tier: 'the night', isStrict: true, code: 1 },
])('an unsteady test is named, and ends $tier with $code', async ({ isStrict, code }) => {
  const printed = jest.spyOn(console, 'log').mockReturnValue();
  const report = new Report({ isStrict });
  const isWell = await report.step('unit tests', async () => counts);
  const exitCode = report.finish();
  const lines = printed.mock.calls.flat().join('\n');
  printed.mockRestore();
  expect({ isWell, exitCode }).toEqual({ isWell: code === 0, exitCode: code });
  expect(lines).toMatch(/^Unsteady, failed once and passed when repeated \(\d{4}-\S+Z\):$/m);
  expect(lines).toContain('  test/a.test.ts: was slow once');
});
