import { withEnvironment, withoutTemporal } from '../../support/environment.ts';
import { lifeInTemporal } from '../../../cli/timeline/from-temporal.ts';
import type { SilentTemporal } from '../../support/silent-temporal.ts';
import { startSilentTemporal } from '../../support/silent-temporal.ts';

let temporal: SilentTemporal;
beforeAll(async () => {
  temporal = await startSilentTemporal();
});
afterAll(() => temporal.close());

withEnvironment(withoutTemporal());

test('timeline waits for a silent Temporal no longer than for a moment', async () => {
  const life = lifeInTemporal('machine/shoot/a', { temporalAddress: temporal.address }, undefined);
  await expect(life).rejects.toThrow('Failed to describe workflow');
});
