/**
 * A production Temporal server on PostgreSQL: kill -9 of the server in the middle of a rollout,
 * then of its database in the middle of drains and creates. Runs alone, with
 * `--temporal=postgresql`.
 */
import { kill9 } from '../support/components.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, machinesOf, untilRunning } from '../support/machines.ts';
import {
  secondClass,
  thirdClass,
  useRollouts,
  type Rollout,
} from '../support/rollout-under-test.ts';
import { testStack } from '../support/test-stack.ts';
import { Workloads } from '../support/workloads.ts';

const replicas = 20;
const maxSurge = 4;

/** Drains take a while, so that some are under way at any moment. */
const slowToGo = { 'local.millwright.dev/delete-delay': '3s' };

describe('Temporal on PostgreSQL', () => {
  const rollouts = useRollouts('postgresql', { isDoubled: false });
  const { scenario } = rollouts;
  const workloads = new Workloads(scenario);

  /** A pod on each of them, which is evicted and goes after some seconds. */
  async function occupy(rollout: Rollout): Promise<void> {
    const machines = await machinesOf(scenario, rollout.name);
    await Promise.all(
      machines.map(({ metadata }) =>
        workloads.startAlone({ app: 'web', nodeName: metadata.name, annotations: slowToGo }),
      ),
    );
  }

  async function expectNone(pool: string): Promise<void> {
    await eventually('no machine and no VM is left', async () => {
      expect(await machinesOf(scenario, pool)).toEqual([]);
      expect(await scenario.cloud.instances()).toEqual([]);
    });
  }

  test('kill -9 of the server, then of PostgreSQL, in the middle of rollouts', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge });
    const { stateDir } = testStack().layout;

    await rollout.changeClass(secondClass);
    await rollout.untilMiddle();
    await kill9(stateDir, 'temporal');
    const second = { class: secondClass, replicas };
    expect(await rollout.expectEnd(second)).toHaveLength(replicas);

    await occupy(rollout);
    await rollout.changeClass(thirdClass);
    await rollout.recorder.markWhen('some drain', ({ total, active }) => total > active);
    await kill9(stateDir, 'postgresql');
    const third = { class: thirdClass, replicas };
    expect(await rollout.expectEnd(third)).toHaveLength(replicas);

    rollout.recorder.expectBounds({ maxTotal: replicas + maxSurge, minAvailable: replicas });
    await scenario.cluster.scale(rollout.name, 0);
    await expectNone(rollout.name);
  });

  test('kill -9 of PostgreSQL while machines are created, and while they are deleted', async () => {
    const { stateDir } = testStack().layout;
    const pool = await createDeployment(scenario, 'pool', { replicas: 10 });
    await eventually('the first VM is there', async () =>
      expect((await scenario.cloud.instances()).length).toBeGreaterThan(0),
    );
    await kill9(stateDir, 'postgresql');
    await untilRunning(scenario, pool, 10);
    await scenario.cluster.scale(pool, 0);
    await eventually('the first VM is gone', async () =>
      expect((await scenario.cloud.instances()).length).toBeLessThan(10),
    );
    await kill9(stateDir, 'postgresql');
    await expectNone(pool);
  });
});
