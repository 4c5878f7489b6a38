/** `millwright setup` on a real server. */
import { randomUUID } from 'node:crypto';
import { setup } from '../../../cli/setup/setup.ts';
import { testStack } from '../support/test-stack.ts';

const asked = {
  temporalNamespace: `setup-${randomUUID()}`,
  retentionDays: 3,
  isCheck: false,
} as const;

function setUp(changes: { isCheck?: boolean; temporalAddress?: string } = {}) {
  return setup({ ...asked, ...changes }, { TEMPORAL_ADDRESS: testStack().temporalAddress });
}

describe('millwright setup', () => {
  test('says what is missing, makes it, and finds it from then on', async () => {
    const before = await setUp({ isCheck: true });
    expect(before.exitCode).toBe(1);
    expect(before.text).toMatch(
      /^missing namespace: make it with: temporal operator namespace create .* --retention 3d$/m,
    );
    const made = await setUp();
    expect(made.text).toMatch(/^made    namespace: keeps closed workflows for 3 days$/m);
    expect(made.text).toMatch(/^made    search attributes: State, /m);
    expect(made.exitCode).toBe(0);
    for (const isCheck of [true, false]) {
      const after = await setUp({ isCheck });
      expect(after.text).toMatch(/^there   namespace: keeps closed workflows for 72 hours$/m);
      expect(after.text).toMatch(/^there   search attributes: all of them$/m);
      expect(after.exitCode).toBe(0);
    }
  });

  test('names a server that does not answer', async () => {
    await expect(setUp({ temporalAddress: '127.0.0.1:1' })).rejects.toThrow(
      /^Temporal at 127\.0\.0\.1:1 does not answer: /,
    );
  });
});
