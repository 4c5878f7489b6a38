/** Troubles of pools and of whole namespaces: made, found and healed by their runbooks. */
import { apiVersion } from '../../../workflows/api/constants.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { runCheck } from '../support/checks.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  deleteDeployment,
  deleteMachine,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { machineManifest } from '../support/manifests.ts';
import { createClass, untilComplete, untilCondition } from '../support/rollouts.ts';
import { Runbook } from '../support/runbook.ts';
import { untilExplained, untilStuck } from '../support/runbook-findings.ts';
import { useScenario } from '../support/scenario.ts';
import { ofObjects } from '../support/workflow-records.ts';

describe('the runbook of', () => {
  const scenario = useScenario('runbook-pools', {
    isDoubled: false,
    // Checks are started by hand only.
    workerFlags: [
      '--machine-safety-overshooting-period=24h',
      '--machine-safety-orphan-vms-period=24h',
      '--safety-orphans-min-age=0s',
      '--safety-orphans-max-deletions=1',
      '--safety-entities-period=24h',
    ],
    causes: [/: TERMINATED$/],
  });
  const { cluster, cloud, namespace, workflows } = scenario;

  test('a rollout that is past its deadline: hold it, go on, roll back', async () => {
    await createClass(scenario, 'medium');
    const pool = await createDeployment(scenario, 'rolled', {
      replicas: 1,
      progressDeadlineSeconds: 3,
    });
    const before = await untilRunning(scenario, pool, 1);
    // On a busy machine its creation is past the deadline as well, and said to be for a moment.
    await untilComplete(scenario, pool);
    const page = await Runbook.of(scenario, 'rollout-blocked', { POOL: pool });
    await cloud.addFault({ kind: 'neverJoin' });
    const spec = { template: { spec: { class: { name: 'medium' } } } };
    await cluster.patch('machinedeployments', pool, { spec });
    await untilCondition(scenario, pool, { status: 'False', reason: 'ProgressDeadlineExceeded' });
    await untilExplained(page, {
      trouble: 'rollout-blocked',
      object: `machinedeployment/${pool}`,
      cause: 'has timed out progressing',
      way: 'rollbackTo',
    });
    const seen = await page.run('Look');
    expect(seen).toMatch(/^Progressing False .* ProgressDeadlineExceeded: /m);
    expect(seen).toMatch(/\tPending\t/);
    await page.run('Hold it');
    await eventually('nothing is rolled back while it is held', async () => {
      const { details } = await workflows.pageOf('machineDeployment', pool);
      expect(details).toContain('paused');
    });
    await page.run('Let it go on');
    await page.run('Roll back');
    await untilCondition(scenario, pool, { status: 'True', reason: 'NewMachineSetAvailable' });
    const now = await untilRunning(scenario, pool, 1);
    expect(now.map(({ metadata }) => metadata.uid)).toEqual(
      before.map(({ metadata }) => metadata.uid),
    );
    await deleteDeployment(scenario, pool);
    await cluster.delete(cluster.pathOf('machineclasses', 'medium'));
  });

  test('a set that is frozen: a check ends it, or a person', async () => {
    const pool = await createDeployment(scenario, 'frozen', { replicas: 1 });
    await untilRunning(scenario, pool, 1);
    const page = await Runbook.of(scenario, 'frozen-set', { POOL: pool });
    await runCheck(workflows, 'overshoot');
    const set = (await cluster.sets()).find(({ metadata }) => metadata.name.startsWith(pool));
    const { name = '', uid = '' } = set?.metadata ?? {};
    const isFrozen = async (): Promise<boolean> => {
      const { metadata } = await cluster.deployment(pool);
      return metadata.labels?.['freeze'] === 'True';
    };
    const untilThawed = async (): Promise<void> =>
      await eventually('the pool is not frozen', async () => expect(await isFrozen()).toBe(false));

    // It would delete them at once: nobody looks after the set for a while.
    await workflows.terminate(workflowIdOf('machineSet', { namespace, name }));
    for (const end of ['x1', 'x2', 'x3']) {
      const machine = { namespace, name: `${pool}-${end}` };
      await cluster.create('machines', {
        ...machineManifest(machine),
        metadata: {
          ...machine,
          labels: set?.spec.template?.metadata?.labels,
          ownerReferences: [{ apiVersion, kind: 'MachineSet', name, uid, controller: true }],
        },
      });
    }
    // What is too much goes at once when the set is looked after again.
    await cloud.addFault({ operation: 'delete', kind: 'error', code: 'Internal' });
    // Nothing is frozen within a minute after a pause, which a busy machine may have.
    await eventually('the check freezes the pool', async () => {
      await runCheck(workflows, 'overshoot');
      expect(await isFrozen()).toBe(true);
    });
    await untilExplained(page, {
      trouble: 'frozen-set',
      object: `machineset/${name}`,
      cause: '4 machines, allowed are fewer than 4',
      way: `annotate machineset ${name} safety.machine.sapcloud.io/unfreeze=True`,
    });
    const seen = await page.run('Look');
    expect(seen).toMatch(new RegExp(`^${name} wants 1, has `, 'm'));
    expect(seen).toMatch(new RegExp(`^${pool}-x1\t`, 'm'));
    await cloud.clearFaults();
    await untilRunning(scenario, pool, 1);
    await page.run('Repair');
    await untilThawed();

    await cluster.patch('machinesets', name, { metadata: { labels: { freeze: 'True' } } });
    await cluster.patch('machinedeployments', pool, { metadata: { labels: { freeze: 'True' } } });
    await cluster.scale(pool, 2);
    await page.run('End it by hand');
    await runCheck(workflows, 'overshoot');
    await untilThawed();
    await untilRunning(scenario, pool, 2);
    await deleteDeployment(scenario, pool);
  });

  test('a stop that was left on', async () => {
    const pool = await createDeployment(scenario, 'stopped', { replicas: 1 });
    await untilRunning(scenario, pool, 1);
    await cluster.kube.create(`/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name: 'millwright-stop' },
      data: { reason: 'the cloud deletes the wrong disks', by: 'alice' },
    });
    await eventually('the stop is seen', async () => {
      await cluster.scale(pool, 2);
      const { status } = await cluster.deployment(pool);
      expect(JSON.stringify(status?.conditions)).toContain('stopped');
    });
    const page = await Runbook.of(scenario, 'stop-left-on');
    const stop = {
      trouble: 'stop-left-on',
      object: 'configmap/millwright-stop',
      cause: 'everything is stopped by alice: the cloud deletes the wrong disks',
      way: 'millwright start',
    };
    await untilStuck(page, { ...stop, options: '--stopped-for 1s' });
    expect(await page.type('millwright stuck -n "$NAMESPACE"')).not.toContain('stop-left-on');
    const seen = await page.run('Look');
    expect(seen).toContain('alice');
    expect(seen).toContain('the cloud deletes the wrong disks');
    await page.run('Repair');
    await untilRunning(scenario, pool, 2);
    await deleteDeployment(scenario, pool);
  });

  test('instances without a Machine: one is kept, the other goes', async () => {
    const ours = {
      'millwright.dev/cluster': await cluster.uid(),
      'millwright.dev/namespace': namespace,
    };
    const names = ['needed', 'needless'].map((short) => scenario.named(short).name);
    const [MACHINE = '', needless = ''] = names;
    const instances = await Promise.all(names.map((name) => cloud.create(name, ours)));
    for (let search = 1; search <= 2; search += 1) await runCheck(workflows, 'orphans');
    expect(await cloud.instances()).toHaveLength(2);
    const page = await Runbook.of(scenario, 'orphan', { MACHINE, CLASS: 'small' });
    await untilStuck(page, {
      trouble: 'orphan',
      object: 'machineclass/small',
      cause: '2 instances have no Machine',
      way: 'reason=TooManyOrphans',
    });
    const seen = await page.run('Look');
    expect(seen).toMatch(/^stopped: 2 instances have no Machine/m);
    for (const { name, providerID } of instances) {
      expect(seen).toContain(`${name} ${providerID} noMachine`);
    }
    expect((await workflows.scheduleOf('orphans').describe()).state.paused).toBe(true);
    await page.run('Keep an instance');
    await eventually('the Machine has its instance', async () => {
      expect((await cluster.machine(MACHINE)).spec.providerID).toBe(instances[0]?.providerID);
    });
    await page.run('Delete the others');
    await eventually('the other instance is gone', async () => {
      expect((await cloud.instances()).map(({ name }) => name)).toEqual([MACHINE]);
    });
    expect((await cloud.deletions()).map(({ name }) => name)).toContain(needless);
    await deleteMachine(scenario, MACHINE);
  });

  test('workflows that are gone: they start again, and nothing is made twice', async () => {
    const pool = await createDeployment(scenario, 'lost', { replicas: 2 });
    const machines = await untilRunning(scenario, pool, 2);
    // Statuses that are still to be written would start a workflow again that was terminated.
    await untilComplete(scenario, pool);
    const ids = await eventually('all four are listed', async () => {
      const listed = await workflows.running(ofObjects);
      expect(listed).toHaveLength(4);
      return listed;
    });
    for (const id of ids) await workflows.terminate(id);
    const page = await Runbook.of(scenario, 'temporal-lost');
    await eventually('the page sees that none runs', async () => {
      for (const id of await workflows.running(ofObjects)) await workflows.terminate(id);
      const seen = await page.run('Look');
      expect(seen).toMatch(/^4\nTotal: 0$/m);
      for (const id of ids) expect(seen).toContain(id);
    });
    await page.run('Give an empty database what it needs');
    await page.run('Start the workflows again');
    await eventually('they run again', async () => {
      expect(await workflows.running(ofObjects)).toEqual(ids);
    });
    await untilStuck(page, {
      trouble: 'temporal-lost',
      object: pool,
      cause: 'workflow was terminated',
      way: 'reason=WorkflowRestored',
    });
    await cluster.scale(pool, 3);
    const now = await untilRunning(scenario, pool, 3);
    const uidsOf = (all: typeof now) => all.map(({ metadata }) => metadata.uid);
    expect(uidsOf(now)).toEqual(expect.arrayContaining(uidsOf(machines)));
    for (const { metadata } of machines) await untilPhase(scenario, metadata.name, 'Running');
    await deleteDeployment(scenario, pool);
  });
});
