/** A local stack without a Temporal server of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, stopStack } from '../../../deploy/local/stack.ts';
import { testStack } from '../support/test-stack.ts';

const guestDir = mkdtempSync(join(tmpdir(), 'millwright-guest-'));

afterAll(async () => {
  await stopStack(guestDir);
  rmSync(guestDir, { recursive: true, force: true });
});

describe('the local stack', () => {
  test('uses a Temporal server that is there already', async () => {
    const { temporalAddress } = testStack();
    const stack = await startStack({ stateDir: guestDir, quiet: true, temporalAddress });
    expect(stack.environment).toMatchObject({ TEMPORAL_ADDRESS: temporalAddress });
    expect(Object.keys(stack.components)).not.toContain('temporal');
    // The worker is ready only once it has the server.
    expect(Object.keys(stack.components)).toContain('worker');
    await expect(stopStack(guestDir)).resolves.toBe(true);
  });
});
