/**
 * A worker that lives on without a watcher: nothing is created, deleted or written until one holds
 * the Lease again.
 */
import { operatorWrites } from '../support/audit.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';

describe('a worker without a watcher', () => {
  const scenario = useScenario('no-watcher', { isDoubled: false });
  const { cluster, cloud, workflows, operator } = scenario;

  test('makes and deletes no VM and says why, and goes on when a watcher leads again', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    const leaving = await createMachine(scenario, 'leaving');
    await untilPhase(scenario, leaving, 'Running');
    await cloud.addFault({ operation: 'create', kind: 'throttle', seconds: 1 });
    const refused = await createMachine(scenario, 'refused');
    await untilPhase(scenario, refused, 'CrashLoopBackOff');

    await operator.retire('watcher');
    await cluster.scale(pool, 4);
    await cluster.delete(cluster.pathOf('machines', leaving));
    await workflows.handleOf('machine', refused).signal('retryNow', {});
    const untilItWaits = (attempts: number): Promise<number> =>
      eventually('the worker says that it waits for a watcher', async () => {
        const failures = Object.values(await workflows.pendingFailures('machine', refused));
        expect(failures.join()).toContain('no watcher holds the Lease "millwright"');
        const { attempt } = await workflows.pendingAttempt('machine', refused);
        expect(attempt).toBeGreaterThan(attempts);
        return attempt ?? 0;
      });
    // A busy worker hears of the Lease a moment later: until then the cloud refuses the create.
    const attempts = await untilItWaits(0);
    await cloud.clearFaults();
    const before = await cloud.instances();
    const writes = await writesTo(refused);
    await untilItWaits(Math.max(attempts + 1, 2));
    expect(await cloud.instances()).toEqual(before);
    expect(await cluster.machines()).toHaveLength(4);
    expect(await writesTo(refused)).toEqual(writes);

    operator.startStandby();
    await untilGone(scenario, cluster.pathOf('machines', leaving));
    await untilPhase(scenario, refused, 'Running');
    expect(await untilRunning(scenario, pool, 4)).toHaveLength(4);
    await deleteMachine(scenario, refused);
    await deleteDeployment(scenario, pool);
  });
});

/** Without Events, which are written in the background. */
async function writesTo(name: string): Promise<string[]> {
  return (await operatorWrites(name)).filter((write) => !write.includes('/events'));
}
