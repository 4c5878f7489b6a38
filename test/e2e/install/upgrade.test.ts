/**
 * A rolling upgrade from the release before to the present code, and back again, in the middle of a
 * rollout that a drain holds up: what was asked for is done, and nothing is done twice.
 */
import { randomUUID } from 'node:crypto';
import { checkedOut, commitBefore } from '../../support/other-revision.ts';
import { eventually } from '../../support/eventually.ts';
import type { Launch } from '../support/operator.ts';
import { sourcesWith } from '../support/operator.ts';
import { readinessOf } from '../support/probes.ts';
import { secondClass, useRollouts, type Rollout } from '../support/rollout-under-test.ts';
import { createNamespace } from '../support/rights.ts';
import type { Scenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';
import { nameCurrent, versionsIn } from '../support/versions.ts';
import { Workloads } from '../support/workloads.ts';

const { compileCache } = testStack().layout;
const present = sourcesWith(compileCache);
const before = sourcesWith(compileCache, checkedOut(await commitBefore()));
/** `standby` is the watcher of the present code. */
const launch: Launch = (process) =>
  (['watcher', 'worker-old'].includes(process.program) ? before : present)(process);

/** Which other verbs the processes before need: Leases were written by patch, and all watched. */
async function grantBefore({ cluster, namespace }: Scenario): Promise<void> {
  await createNamespace(cluster.kube, namespace);
  const group = 'rbac.authorization.k8s.io';
  const metadata = { name: 'before', namespace };
  const roles = `/apis/${group}/v1/namespaces/${namespace}`;
  await cluster.kube.create(`${roles}/roles`, {
    metadata,
    rules: [
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['list', 'watch', 'patch'],
      },
    ],
  });
  await cluster.kube.create(`${roles}/rolebindings`, {
    metadata,
    roleRef: { apiGroup: group, kind: 'Role', name: 'before' },
    subjects: ['millwright-watcher', 'millwright-worker'].map((name) => ({
      apiGroup: group,
      kind: 'User',
      name,
    })),
  });
}

const deploymentName = `upgrade_${randomUUID()}`;
const buildId = 'present';
const replicas = 10;
const app = 'web';

interface DrainSeen {
  isBlocked: boolean;
  deadline?: unknown;
}

async function expectPaused(rollout: Rollout): Promise<void> {
  await rollout.untilFound('State="Paused"');
  expect((await rollout.deployment()).spec.paused).toBe(true);
}

describe('a rolling upgrade in the middle of a rollout', () => {
  const rollouts = useRollouts('upgrade', {
    isDoubled: false,
    grant: grantBefore,
    launch,
    workers: [
      { name: 'worker-old' },
      {
        name: 'worker-new',
        flags: [`--worker-deployment=${deploymentName}`, `--build-id=${buildId}`],
        isLater: true,
      },
    ],
  });
  const { scenario } = rollouts;
  const { cluster, operator, workflows } = scenario;
  const workloads = new Workloads(scenario);

  async function untilBlocked(name: string): Promise<void> {
    await eventually(`the drain of ${name} is blocked`, async () => {
      const { drainNode } = await workflows.pendingFailures('machine', name);
      expect(drainNode).toContain('PodDisruptionBudget');
    });
  }

  const drainOf = (name: string) => workflows.handleOf('machine', name).query<DrainSeen>('drain');

  async function extend(name: string, minutes: number): Promise<unknown> {
    const handle = workflows.handleOf('machine', name);
    const said = await handle.executeUpdate('extendDrain', { args: [{ minutes }] });
    expect(said).toMatch(/^Drain extended until /);
    return said;
  }

  /** Ready beside those that work: a Deployment goes on with its rolling update. */
  async function untilReady(program: 'worker-old' | 'worker-new'): Promise<void> {
    await eventually(`${program} is ready`, async () => {
      expect(await readinessOf(scenario, program)).toMatchObject({ isReady: true });
    });
  }

  /** As a Deployment does: new ones are ready before old ones end. */
  async function upgrade(): Promise<void> {
    operator.startStandby();
    operator.startAgain('worker-new');
    await untilReady('worker-new');
    await nameCurrent({ deploymentName, buildId });
    await operator.retire('worker-old');
    await operator.retire('watcher');
  }

  async function goBack(): Promise<void> {
    operator.startAgain('watcher');
    operator.startAgain('worker-old');
    await untilReady('worker-old');
    // The release before knows nothing of versions.
    await nameCurrent({ deploymentName, buildId: 'unversioned' });
    await operator.retire('worker-new');
    await operator.retire('standby');
  }

  // Nothing else lets the drain end when the test has failed.
  afterEach(() => cluster.delete(workloads.budgets(app)));

  test('and the way back lose no command, move no deadline, and make no machine twice', async () => {
    const rollout = await rollouts.begin({ replicas, maxSurge: 2 });
    const [blocked = ''] = rollout.firstMachines;
    await workloads.startAlone({ app, nodeName: blocked });
    await workloads.guard(app, { app, minAvailable: 1 });
    await rollout.changeClass(secondClass);
    await untilBlocked(blocked);
    await rollout.signal('pause', { by: 'ann' });
    await expectPaused(rollout);
    await extend(blocked, 60);
    const drain = await drainOf(blocked);
    expect(drain.deadline).toBeDefined();

    // A command that comes in the middle of it.
    const [, resized] = await Promise.all([
      upgrade(),
      rollout.update('setReplicas', { replicas: replicas + 1 }),
    ]);
    expect(resized).toBeDefined();
    await expectPaused(rollout);
    await untilBlocked(blocked);
    expect((await drainOf(blocked)).deadline).toEqual(drain.deadline);
    expect((await rollout.deployment()).spec.replicas).toBe(replicas + 1);
    await rollout.signal('resume', { by: 'ann' });
    await rollout.untilMiddle(4);
    await extend(blocked, 90);
    const extended = await drainOf(blocked);
    expect(extended.deadline).not.toEqual(drain.deadline);

    await goBack();
    await untilBlocked(blocked);
    expect((await drainOf(blocked)).deadline).toEqual(extended.deadline);
    await cluster.delete(workloads.budgets(app));
    await rollout.expectEnd({ class: secondClass, replicas: replicas + 1 });
    // A run ends with its rollout: the next one has not done its first step yet.
    await eventually('the release before goes on with the deployment', async () => {
      const history = await workflows.handleOf('machineDeployment', rollout.name).fetchHistory();
      expect(versionsIn({ history })).toContain('unversioned');
    });
    const runs = await workflows.runs();
    expect(runs.filter((run) => versionsIn(run).includes(buildId))).not.toEqual([]);
    // Also none that the SDK is to blame for, which other tests let pass.
    expect(await workflows.endedBadly()).toEqual({ endings: [], brokenBySdk: [] });
  });
});
