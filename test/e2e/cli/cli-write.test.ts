/** The commands of `millwright` that act and check, on rollouts and drains that are under way. */
import { namespaced } from '../../../kube/client/paths.ts';
import { drainOptions } from '../../../workflows/api/constants.ts';
import { millwright } from '../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import { pathOf } from '../support/rights.ts';
import { revisionsOf } from '../support/rollouts.ts';
import { useScenario } from '../support/scenario.ts';
import type { Scenario } from '../support/scenario.ts';
import { writeAccountKubeconfig } from '../support/service-accounts.ts';
import { testStack } from '../support/test-stack.ts';
import { Workloads } from '../support/workloads.ts';

describe('a rollout', () => {
  const rollouts = useRollouts('cli-rollout', { workerFlags: ['--commands-by=none'] });

  test('is paused, resumed, watched and undone from the command line', async () => {
    const rollout = await rollouts.begin({ replicas: 3 });
    const { scenario, name } = rollout;
    const run = async (...words: string[]) => await millwright(scenario, ['rollout', ...words]);
    const pool = `machinedeployment/${name}`;
    const plan = ['plan', pool, `--class=${secondClass}`, '--output=json'];
    const planned = await millwright(scenario, plan);
    expect(planned.code).toBe(0);
    const [{ created, deleted, mostMachines, fewestAvailable }] = JSON.parse(planned.stdout);
    expect(await run('pause', pool)).toMatchObject({ code: 0 });
    expect(await run('pause', pool)).toMatchObject({
      code: 1,
      text: expect.stringContaining('is already paused'),
    });
    await rollout.changeClass(secondClass);
    const held = await run('status', pool, '--timeout=2s');
    expect(held).toMatchObject({ code: 1, text: expect.stringContaining('timed out') });
    expect(await revisionsOf(scenario, name)).toHaveLength(1);
    expect(await run('status', pool, '--watch=false')).toMatchObject({ code: 0 });
    expect(await run('resume', pool)).toMatchObject({ code: 0 });
    expect(await run('status', pool, '--timeout=5m')).toMatchObject({
      code: 0,
      text: expect.stringContaining('successfully rolled out'),
    });
    const machines = await rollout.expectEnd({ class: secondClass, replicas: 3 });
    const old = machines.filter((machine) => rollout.firstMachines.includes(machine));
    // What was planned is what came about.
    expect(machines.length - old.length).toBe(created);
    expect(rollout.firstMachines.length - old.length).toBe(deleted);
    rollout.recorder.expectBounds({ maxTotal: mostMachines, minAvailable: fewestAvailable });

    expect(await run('undo', pool)).toMatchObject({
      code: 0,
      text: expect.stringContaining(`${pool} rolled back to revision 1`),
    });
    expect(await run('status', pool, '--timeout=5m')).toMatchObject({ code: 0 });
    const { stdout } = await run('history', pool, '--output=json');
    expect(JSON.parse(stdout)).toMatchObject([
      { revision: 2, class: secondClass, replicas: 0 },
      { revision: 3, class: 'small', replicas: 3 },
    ]);
    const before = await scenario.cluster.machines();
    expect(await run('restart', pool)).toMatchObject({ code: 0 });
    expect(await run('status', pool, '--timeout=5m')).toMatchObject({ code: 0 });
    const after = (await scenario.cluster.machines()).map(({ metadata }) => metadata.name);
    expect(after).toHaveLength(3);
    for (const { metadata } of before) expect(after).not.toContain(metadata.name);
  });
});

/** May look at machines, and change none. */
async function readersKubeconfig({ cluster, namespace }: Scenario): Promise<string> {
  const account = { namespace, name: 'reader' };
  const metadata = { namespace, name: 'reader' };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = [{ apiGroups: ['machine.sapcloud.io'], resources: ['*'], verbs: ['get', 'list'] }];
  await cluster.kube.create(namespaced('serviceaccounts', namespace), { metadata });
  const role = { apiVersion, kind: 'Role', metadata, rules };
  await cluster.kube.create(pathOf(role), role);
  const binding = {
    apiVersion,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
  await cluster.kube.create(pathOf(binding), binding);
  return await writeAccountKubeconfig(cluster.kube, account);
}

describe('a machine', () => {
  const scenario = useScenario('cli-drain', { workerFlags: ['--commands-by=kubernetes'] });
  const { cluster } = scenario;
  const workloads = new Workloads(scenario);

  test('is drained, extended and skipped, by who may and says --yes', async () => {
    const name = await createMachine(scenario, 'blocked');
    await untilPhase(scenario, name, 'Running');
    await workloads.start({ app: 'web', nodeName: name });
    await workloads.guard('web', { app: 'web', maxUnavailable: 0 });
    const object = `machine/${name}`;
    expect(await millwright(scenario, ['skip-drain', object, '--yes'])).toMatchObject({
      code: 1,
      text: expect.stringContaining('is not being drained: delete it first'),
    });
    const budget = `${scenario.namespace}/web`;
    const foreseen = await millwright(scenario, ['drain', '--dry-run', object]);
    expect(foreseen).toMatchObject({
      code: 1,
      text: expect.stringContaining(`would be refused now: PodDisruptionBudget ${budget}`),
    });
    const path = cluster.pathOf('machines', name);
    await cluster.delete(path);
    await eventually('the drain is blocked', async () => {
      const { status } = await cluster.machine(name);
      expect(status?.lastOperation?.description).toContain('Drain failed due to - ');
    });

    const without = await millwright(scenario, ['skip-drain', object]);
    expect(without.code).toBe(1);
    expect(without.text).toContain(`${scenario.namespace}/web-`);
    expect(without.text).toContain(`without waiting for PodDisruptionBudget ${budget}`);
    expect(without.text).toContain('Nothing was done');

    const reader = await readersKubeconfig(scenario);
    const refused = await millwright(scenario, ['skip-drain', object, '--yes'], {
      kubeconfig: reader,
    });
    expect(refused.code).toBe(1);
    expect(refused.text).toContain(
      `you lack the right to patch machines.machine.sapcloud.io in ${scenario.namespace}`,
    );
    const { metadata } = await cluster.machine(name);
    expect(metadata.annotations ?? {}).not.toHaveProperty([drainOptions.skip]);

    const extended = ['extend-drain', object, '--minutes=30', '--yes'];
    expect(await millwright(scenario, extended)).toMatchObject({
      code: 0,
      text: expect.stringContaining('Done: Drain extended until '),
    });
    expect(await millwright(scenario, ['skip-drain', object, '--yes'])).toMatchObject({ code: 0 });
    await untilGone(scenario, path);
    await cluster.delete(workloads.budgets('web'));
    await workloads.end('web');
  });

  test('is preserved until a time', async () => {
    const name = await createMachine(scenario, 'kept');
    await untilPhase(scenario, name, 'Running');
    const until = '2040-01-01T00:00:00Z';
    const words = ['preserve', `machine/${name}`, `--until=${until}`];
    expect(await millwright(scenario, words)).toMatchObject({ code: 1 });
    expect(await millwright(scenario, [...words, '--yes'])).toMatchObject({ code: 0 });
    const { status } = await cluster.machine(name);
    expect(status?.currentStatus?.preserveExpiryTime).toBe(until);
    const end = ['preserve', `machine/${name}`, '--value=false', '--yes'];
    expect(await millwright(scenario, end)).toMatchObject({ code: 0 });
    await eventually('it is not preserved', async () => {
      const { status: later } = await cluster.machine(name);
      expect(later?.currentStatus?.preserveExpiryTime ?? '').toBe('');
    });
  });
});

describe('the doctor', () => {
  const scenario = useScenario('cli-doctor', { isDoubled: false });
  const doctor = async (...words: string[]) =>
    await millwright(scenario, [
      'doctor',
      `--temporal-address=${testStack().temporalAddress}`,
      ...words,
    ]);

  test('finds an install healthy, and a worker that ended, with what to do', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 1 });
    await untilRunning(scenario, pool, 1);
    await eventually('all is healthy', async () => {
      const { code, text } = await doctor();
      expect(text).toContain(`Millwright from work in namespace ${scenario.namespace}`);
      expect(code).toBe(0);
    });
    expect(await doctor('--temporal-address=127.0.0.1:1')).toMatchObject({
      code: 1,
      text: expect.stringMatching(
        /error +Temporal +Temporal at 127\.0\.0\.1:1 does not answer[^]*repair: temporal operator/,
      ),
    });
    await deleteDeployment(scenario, pool);
    await scenario.operator.retire('worker');
    await eventually('nobody polls any more', async () => {
      const { code, text } = await doctor();
      expect(text).toMatch(/error +task queues +no worker polls[^]*repair: start a worker/);
      expect(code).toBe(1);
    });
    scenario.operator.startAgain('worker');
  });
});
