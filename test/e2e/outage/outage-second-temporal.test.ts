/**
 * Two Temporal servers on one PostgreSQL: the one that watcher and worker talk to is killed in the
 * middle of a rollout and does not come back. The other takes its histories over. Runs alone, with
 * `--temporal=postgresql`.
 */
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import { SecondTemporal, untilAloneAgain } from '../support/second-temporal.ts';
import { TemporalOutage } from '../support/temporal-outage.ts';
import { testStack } from '../support/test-stack.ts';

const replicas = 20;
const maxSurge = 4;

describe('one of two Temporal servers', () => {
  let first: SecondTemporal | undefined;
  let isFirstAlive = true;
  /** What a load balancer would do. */
  const balancer = new TemporalOutage(() =>
    first && isFirstAlive ? first.address : testStack().temporalAddress,
  );
  // In this order: the operator is started after both.
  beforeAll(async () => {
    first = await SecondTemporal.start('second-temporal');
    await balancer.start();
  });
  const rollouts = useRollouts('failover', { ...balancer.options, isDoubled: false });
  afterAll(async () => {
    await balancer.stop();
    await first?.kill9();
  });

  test('is killed in the middle of a rollout: the other one goes on with it', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge });
    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    isFirstAlive = false;
    await first?.kill9();
    await untilAloneAgain();
    const end = { class: secondClass, replicas };
    expect(await rollout.expectEnd(end)).toHaveLength(replicas);
    rollout.recorder.expectBounds({ maxTotal: replicas + maxSurge, minAvailable: replicas });
  });
});
