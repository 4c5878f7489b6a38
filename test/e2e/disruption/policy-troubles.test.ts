/** DisruptionPolicies that are wrong, are changed or go, or that may not be read. */
import { randomBytes } from 'node:crypto';
import type { DisruptionPolicySpec } from '../../../workflows/api/disruption-policy.ts';
import { ownGroup } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import type { Role } from '../../../deploy/local/cluster/rights.ts';
import { closedUntil, Policy } from '../support/policies.ts';
import { grantEverywhere } from '../support/rights.ts';
import { secondClass, useRollouts, type Rollout } from '../support/rollout-under-test.ts';
import { Runbook } from '../support/runbook.ts';
import { kubeconfigFileOf } from '../support/service-accounts.ts';
import { testStack } from '../support/test-stack.ts';
import { untilExplained, untilNotStuck } from '../support/runbook-findings.ts';

/** Each minute of all days. */
const always = { schedule: '* * * * *', duration: '2m' };

/** All machines are new, and none was missing meanwhile. */
async function endOf(rollout: Rollout): Promise<string[]> {
  const machines = await rollout.expectEnd({ class: secondClass, replicas: 2 });
  rollout.recorder.expectBounds({ maxTotal: 3, minAvailable: 2 });
  return machines;
}

describe('a rollout whose DisruptionPolicy', () => {
  const rollouts = useRollouts('policy-troubles', { isDoubled: false });
  const { scenario } = rollouts;
  const { operator } = scenario;
  let policy: Policy | undefined;

  afterEach(async () => {
    await policy?.delete();
    policy = undefined;
  });

  /** The rollout of a deployment is held by it. */
  async function heldBy(
    spec: DisruptionPolicySpec,
    attention: 'none' | 'person',
  ): Promise<[Rollout, Policy]> {
    const rollout = await rollouts.begin({ replicas: 2, maxSurge: 1 });
    policy = await Policy.create(scenario, 'pool', spec);
    await rollout.changeClass(secondClass);
    await rollout.untilFound(
      `State="Paused" and BlockedBy="DisruptionPolicy/pool" and Attention="${attention}"`,
    );
    expect(await rollout.revisions()).toHaveLength(1);
    return [rollout, policy];
  }

  test('has a zone that does not exist: the runbook finds and repairs it', async () => {
    const wrong = { ...always, timeZone: 'Mars/Olympus' };
    const [rollout, broken] = await heldBy({ windows: [wrong] }, 'person');
    await broken.until({
      conditions: [expect.objectContaining({ type: 'Accepted', status: 'False' })],
    });
    const page = await Runbook.of(scenario, 'policy-invalid', {
      POLICY: broken.name,
      POOL: rollout.name,
      EDITOR: 'sed -i s#Mars/Olympus#Europe/Berlin#',
    });
    await untilExplained(
      page,
      {
        trouble: 'policy-invalid',
        object: 'disruptionpolicy/pool',
        cause: 'Mars/Olympus',
        way: 'edit disruptionpolicy pool',
      },
      `machinedeployment/${rollout.name}`,
    );
    expect(await page.run('Look')).toMatch(/^Accepted False: .*Mars\/Olympus/m);
    await operator.kill9('worker');
    await page.run('Repair');
    expect(await endOf(rollout)).toHaveLength(2);
    await untilNotStuck(page, 'policy-invalid');
  });

  test('has a schedule that never comes: the rollout goes on without it', async () => {
    const never = { ...always, schedule: '0 0 30 2 *' };
    const [rollout, broken] = await heldBy({ windows: [never] }, 'person');
    const page = await Runbook.of(scenario, 'policy-invalid', {
      POLICY: broken.name,
      POOL: rollout.name,
    });
    await page.run('Go on without it');
    expect(await endOf(rollout)).toHaveLength(2);
  });

  test('lets 0 machines go: the rollout goes on with 1', async () => {
    const [rollout, none] = await heldBy({ atATime: { machines: 0 } }, 'person');
    await operator.kill9('watcher');
    await none.edit({ atATime: { machines: 1 } });
    expect(await endOf(rollout)).toHaveLength(2);
  });

  test('is deleted goes on without it', async () => {
    const [rollout, closed] = await heldBy({ exclusions: [closedUntil()] }, 'none');
    await operator.kill9('watcher');
    await closed.delete();
    expect(await endOf(rollout)).toHaveLength(2);
  });

  test('is edited to select others goes on without it', async () => {
    const [rollout, closed] = await heldBy({ exclusions: [closedUntil()] }, 'none');
    await operator.kill9('worker');
    await closed.edit({ selector: { matchLabels: { pool: 'another' } } });
    expect(await endOf(rollout)).toHaveLength(2);
  });
});

describe('a rollout whose DisruptionPolicies may not be read', () => {
  // The users of the local stack may read them in all namespaces.
  const account = { namespace: 'default', name: `unread-${randomBytes(2).toString('hex')}` };
  const { virtualCloud } = testStack();
  const access = () => ({ kubeconfig: kubeconfigFileOf(account), virtualCloud });
  const rollouts = useRollouts('policy-unread', {
    isDoubled: false,
    watcherAccess: access,
    workerAccess: access,
    grant: ({ cluster }) => grantEverywhere(cluster, account),
  });
  const { cluster, operator } = rollouts.scenario;

  test('is held, and says which right is missing, until they may', async () => {
    const rollout = await rollouts.begin({ replicas: 2, maxSurge: 1 });
    const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${account.name}`;
    const { rules } = await cluster.kube.get<Role>(path);
    const others = rules.filter(({ apiGroups }) => !apiGroups.includes(ownGroup));
    await cluster.kube.patch(path, 'merge', { rules: others });
    // A watch that is open goes on.
    await operator.kill9('worker');
    await rollout.changeClass(secondClass);
    await rollout.untilFound('State="Paused" and Attention="person"');
    await eventually('the condition names the right', async () => {
      const { status } = await rollout.deployment();
      const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
      expect(progress?.message).toContain('disruptionpolicies');
    });
    expect(await rollout.revisions()).toHaveLength(1);
    await cluster.kube.patch(path, 'merge', { rules });
    expect(await endOf(rollout)).toHaveLength(2);
  });
});
