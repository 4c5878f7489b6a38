import { tmpdir } from 'node:os';
import * as fake from './fake-simulator.ts';
import { Runner } from './runner.ts';
import { crashRule } from './simulator.ts';

const module = new URL('./fake-simulator.ts', import.meta.url).href;
const setup = { machines: 4, hours: 2, faults: fake.faultNames, users: fake.userNames };

function order(seed: number) {
  return { setup: { ...setup, seed }, isShrinking: false };
}

test('a run that never ends is a failure, and its process ends', async () => {
  const runner = new Runner({ module, folder: tmpdir() }, 1_500);
  const { failure } = await runner.run(order(fake.endlessSeed), () => undefined);
  expect(failure?.rule).toBe(crashRule);
  expect(failure?.text).toBe('a run did not end within 0.025 minutes');
  // Its successor in the same process would wait for it for ever.
  const { failure: next } = await runner.run(order(fake.goodSeed), () => undefined);
  expect(next?.text).toContain('the process ended with SIGKILL');
});
