import { execFile } from 'node:child_process';
import { repository } from '../../deploy/local/layout.ts';

/** Exit code and error output of `npm test -- ARGS`, without npm. */
async function npmTest(...args: string[]): Promise<{ code: unknown; stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stderr: string }>();
  const options = { cwd: repository };
  execFile(process.execPath, ['test/run.ts', ...args], options, (error, _stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stderr }),
  );
  return await promise;
}

test('a pattern that no test file matches ends npm test with 2 and names the pattern', async () => {
  expect(await npmTest('--pattern', 'no-such-file')).toEqual({
    code: 2,
    stderr:
      '--pattern: no test file of unit or e2e matches "no-such-file" (--temporal=development)\n',
  });
});

test('a part that does not exist ends npm test with 2 and names those that do', async () => {
  expect(await npmTest('--only', 'e2')).toEqual({
    code: 2,
    stderr: '--only: "e2" is not one of check, unit, e2e, simulation, chaos\n',
  });
});

test('a Temporal server that does not exist ends npm test with 2 and names those that do', async () => {
  expect(await npmTest('--temporal', 'mysql')).toEqual({
    code: 2,
    stderr: '--temporal: "mysql" is not one of development, postgresql\n',
  });
});

test('a pattern that only matches tests of another Temporal server ends npm test with 2', async () => {
  // Should it go on, the minutes end it before it starts a stack.
  const args = ['--only=e2e', '--pattern=outage-memory', '--simulation-minutes=x'];
  expect(await npmTest('--temporal=postgresql', ...args)).toEqual({
    code: 2,
    stderr: '--pattern: no test file of e2e matches "outage-memory" (--temporal=postgresql)\n',
  });
});

test('minutes of simulation that are no number end npm test with 2, before anything runs', async () => {
  expect(await npmTest('--tier=all', '--simulation-minutes', 'x')).toEqual({
    code: 2,
    stderr: '--simulation-minutes: "x" is not a number above 0\n',
  });
});
