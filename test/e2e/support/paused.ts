/** What a paused rollout shows. */
import type { Rollout } from './rollout-under-test.ts';
import { untilCondition } from './rollouts.ts';

/** Waits until condition and search say so. It stands still, with machines of both templates. */
export async function expectPaused(rollout: Rollout): Promise<void> {
  const { scenario, name } = rollout;
  const expected = { status: 'Unknown', reason: 'DeploymentPaused' };
  expect(await untilCondition(scenario, name, expected)).toBe('Deployment is paused');
  await rollout.untilFound('State="Paused" and BlockedBy="paused"');
  expect((await rollout.deployment()).spec.paused).toBe(true);
  await rollout.expectStandstill();
  // In the middle indeed.
  const { sizes } = rollout;
  expect(sizes.old).toBeGreaterThan(0);
  expect(sizes.new).toBeGreaterThan(0);
}
