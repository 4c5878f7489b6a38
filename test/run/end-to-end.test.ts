import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import { tryLock } from '../../deploy/local/supervision/lock.ts';
import { endToEnd } from './end-to-end.ts';
import { Report } from './report.ts';

test('end-to-end tests leave the stack of those in another terminal alone', async () => {
  const printed = jest.spyOn(console, 'log').mockReturnValue();
  // Those of another terminal may have it in fact.
  const other = tryLock(join(repository, '.millwright', 'test.lock'));
  const report = new Report();
  const nothing = { pattern: 'no-such-file', tier: 'test', temporal: 'development' } as const;
  await endToEnd(report, nothing);
  if (other.taken) other.release();
  const lines = printed.mock.calls.join('\n');
  printed.mockRestore();
  expect(lines).toMatch(/process \d+ runs end-to-end tests in .*test: wait for it, or end it/);
  expect(lines).not.toContain('start the stack');
  jest.spyOn(console, 'log').mockReturnValue();
  expect(report.finish()).toBe(1);
  jest.restoreAllMocks();
});
