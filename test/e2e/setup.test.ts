/** `millwright setup` on a real server. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { setup } from '../../cli/setup.ts';
import { testStack } from './support/test-stack.ts';

const asked = {
  command: 'setup',
  address: '',
  temporalNamespace: `setup-${randomUUID()}`,
  retentionDays: 3,
  isCheck: false,
  isJson: false,
} as const;

function setUp(changes: { isCheck?: boolean; address?: string } = {}) {
  return setup({ ...asked, ...changes }, { TEMPORAL_ADDRESS: testStack().temporalAddress });
}

describe('millwright setup', () => {
  test('says what is missing, makes it, and finds it from then on', async () => {
    const before = await setUp({ isCheck: true });
    expect(before.isReady).toBe(false);
    expect(before.text).toMatch(
      /^missing namespace: make it with: temporal operator namespace create .* --retention 3d$/m,
    );
    const made = await setUp();
    expect(made.text).toMatch(/^made    namespace: keeps closed workflows for 3 days$/m);
    expect(made.text).toMatch(/^made    search attributes: State, /m);
    expect(made.isReady).toBe(true);
    for (const isCheck of [true, false]) {
      const after = await setUp({ isCheck });
      expect(after.text).toMatch(/^there   namespace: keeps closed workflows for 72 hours$/m);
      expect(after.text).toMatch(/^there   search attributes: all of them$/m);
      expect(after.isReady).toBe(true);
    }
  });

  test('names a server that does not answer', async () => {
    await expect(setUp({ address: '127.0.0.1:1' })).rejects.toThrow(
      /^Temporal at 127\.0\.0\.1:1 does not answer: /,
    );
  });
});
