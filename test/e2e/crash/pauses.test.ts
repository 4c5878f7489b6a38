/**
 * Deadlines run only while the system could act: outages and stops that begin and end inside one.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { lease } from '../../../kube/client/paths.ts';
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import type { NotedPause } from '../../../kube/objects/pauses.ts';
import { pausesAnnotation, readPauses } from '../../../kube/objects/pauses.ts';
import { options } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import type { Scenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

/** What the Lease says of this reason. */
async function untilNoted(
  { cluster, namespace }: Scenario,
  reason: NotedPause['reason'],
  check: (pause: NotedPause) => void,
): Promise<void> {
  await eventually(`the Lease says when the ${reason} was away`, async () => {
    const { metadata } = await cluster.kube.get<Lease>(lease(namespace, 'millwright'));
    const noted = readPauses(metadata.annotations?.[pausesAnnotation]);
    const last = noted.findLast((pause) => pause.reason === reason);
    if (!last) throw new Error(`noted is ${JSON.stringify(noted)}`);
    check(last);
  });
}

describe('a deadline', () => {
  const rollouts = useRollouts('pauses', { isDoubled: false });
  const { scenario } = rollouts;
  const { cluster, namespace, operator, workflows } = scenario;
  const stopPath = `/api/v1/namespaces/${namespace}/configmaps`;

  test('of a rollout does not run while no worker is there, and nothing is rolled back', async () => {
    // The machines of a busy worker have to join within it.
    const progressDeadlineSeconds = 25;
    const rollout = await rollouts.begin({ replicas: 3, maxSurge: 1, progressDeadlineSeconds });
    await rollout.annotate({ [options.autoRollback]: 'true' });
    await rollout.changeClass(secondClass);
    await rollout.recorder.markWhen('the rollout has begun', ({ total }) => total === 4);
    await operator.retire('worker');
    await untilNoted(scenario, 'worker', ({ from, until }) => {
      expect(until).toBeUndefined();
      expect(Date.now() - from).toBeGreaterThan(2_000 * progressDeadlineSeconds);
    });
    operator.startAgain('worker');
    expect(await rollout.expectEnd({ class: secondClass, replicas: 3 })).toHaveLength(3);
    expect((await rollout.deployment()).metadata.annotations).not.toHaveProperty([
      options.rolledBackFrom,
    ]);
    await untilNoted(scenario, 'worker', ({ until }) => expect(until).toBeDefined());
  });

  test('of a drain moves by a stop, and no command after it forces the drain', async () => {
    const name = await createMachine(scenario, 'drained', { drainTimeout: '25s' });
    await untilPhase(scenario, name, 'Running');
    const workloads = new Workloads(scenario);
    await workloads.start({ app: 'web', nodeName: name });
    await workloads.guard('web', { app: 'web', minAvailable: 1 });
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    const handle = workflows.handleOf('machine', name);
    await eventually('the drain is blocked', async () => {
      expect(await handle.query('drain')).toMatchObject({ isBlocked: true });
    });
    const metadata = { name: 'millwright-stop' };
    await cluster.kube.create(stopPath, { metadata, data: { reason: 'wrong disks' } });
    const { deletionTimestamp = '' } = (await cluster.find<KubeObject>(path))?.metadata ?? {};
    const bare = Date.parse(deletionTimestamp) + 25_000;
    await eventually('the drain timeout is over', () => {
      expect(Date.now()).toBeGreaterThan(bare + 5_000);
    });
    await cluster.delete(`${stopPath}/millwright-stop`);
    await handle.executeUpdate('retryNow', { args: [{}] });
    await eventually('the drain says until when it has time', async () => {
      const { deadline } = await handle.query<{ deadline: number }>('drain');
      expect(deadline).toBeGreaterThan(bare + 5_000);
    });
    expect(await workloads.podsOn(name, 'web')).toHaveLength(1);
    await cluster.delete(workloads.budgets('web'));
    await untilGone(scenario, path);
    await workloads.end('web');
  });
});
