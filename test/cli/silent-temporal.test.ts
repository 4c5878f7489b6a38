import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { lifeInTemporal } from '../../cli/timeline/from-temporal.ts';
import type { SilentTemporal } from '../support/silent-temporal.ts';
import { startSilentTemporal } from '../support/silent-temporal.ts';

let temporal: SilentTemporal;
beforeAll(async () => {
  temporal = await startSilentTemporal();
});
afterAll(() => temporal.close());

beforeEach(() => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('TEMPORAL_')) vi.stubEnv(name, undefined);
  }
});

test('timeline waits for a silent Temporal no longer than for a moment', async () => {
  const life = lifeInTemporal('machine/shoot/a', { temporalAddress: temporal.address });
  await expect(life).rejects.toThrow('Failed to describe workflow');
}, 25_000);
