/** `npm run simulate` as a person runs it, without npm. */
import { execFile } from 'node:child_process';
import { repository } from '../../../deploy/local/layout.ts';
import type { RunInJson } from './tally.ts';

interface Ended {
  code: unknown;
  stdout: string;
  stderr: string;
}

function simulateWith(...args: string[]): Promise<Ended> {
  const script = 'test/simulation/run/run.ts';
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd: repository }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test('a small world without faults ends with 0, and its result is JSON alone', async () => {
  const size = '--machines 1 --hours 0.2 --faults none --users none'.split(' ');
  const { code, stdout, stderr } = await simulateWith('--seed', '3', ...size, '-o', 'json');
  const result: RunInJson = JSON.parse(stdout);
  expect(result).toMatchObject({ firstSeed: 3, lastSeed: 3, violations: 0, failures: [] });
  expect(result.lives).toBeGreaterThan(0);
  expect(stderr).toContain(`npm run simulate -- --seed 3 ${size.join(' ')}\n`);
  expect(code).toBe(0);
});

test('a kind of fault that does not exist ends with 2, and those that do are named', async () => {
  const { code, stderr } = await simulateWith('--faults', 'rain');
  expect(stderr).toMatch(/^--faults: "rain" is not one of all, none, lostCalls, /);
  expect(code).toBe(2);
});

test('a file that is not there ends with 2', async () => {
  const { code, stderr } = await simulateWith('--replay', 'no-such-file.json');
  expect(stderr).toMatch(/^no-such-file.json: ENOENT/);
  expect(code).toBe(2);
});
