/** Follows the runbooks: their commands, as they stand in docs/runbooks. */
import { randomBytes } from 'node:crypto';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { runCheck } from '../support/checks.ts';
import { Cluster } from '../support/cluster.ts';
import { restoreEtcd, saveEtcd } from '../support/etcd-database.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, untilRunning } from '../support/machines.ts';
import { secretName } from '../support/manifests.ts';
import { Operator } from '../support/operator.ts';
import { Replicas } from '../support/replicas.ts';
import { createNamespace } from '../support/rights.ts';
import { Runbook } from '../support/runbook.ts';
import { placeOf, useScenario } from '../support/scenario.ts';
import { startControlPlane, stopSecondStack } from '../support/second-stack.ts';
import { restoreTemporal, saveTemporal } from '../support/temporal-database.ts';
import { testStack } from '../support/test-stack.ts';

const name = 'runbook';
const control = await startControlPlane(name);
// Registered first, so it runs last.
afterAll(() => stopSecondStack(name));

const shared = testStack();
const clusters = { control, target: shared };

/** One that no earlier run on the same Temporal server has claimed. */
const clusterNameOf = (start: string): string => `${start}-${randomBytes(2).toString('hex')}`;

describe('a restore of etcd and of Temporal from backups', () => {
  const clusterName = clusterNameOf('backup');
  const scenario = useScenario('backup', {
    clusters,
    clusterName,
    isDoubled: false,
    isInOne: true,
    // Checks are started by hand only.
    workerFlags: [
      '--machine-safety-orphan-vms-period=24h',
      '--safety-orphans-min-age=0s',
      '--safety-entities-period=24h',
    ],
  });
  const { cluster, cloud, namespace, workflows } = scenario;
  const replicas = new Replicas(scenario);
  beforeAll(() => replicas.start());
  afterAll(() => replicas.stop());

  test('keeps what both backups know, and finds the rest', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    const before = await cloud.instances();
    saveEtcd(control);
    saveTemporal();
    await cluster.scale(pool, 3);
    const grown = await untilRunning(scenario, pool, 3);
    const kept = before.map((instance) => instance.name);
    const [orphan = ''] = grown
      .map(({ metadata }) => metadata.name)
      .filter((machine) => !kept.includes(machine));

    const runbook = await Runbook.open('restore-from-backup.md', {
      KUBECONFIG: control.layout.kubeconfig,
      NAMESPACE: namespace,
      INSTALL: `${clusterName}/${namespace}`,
      TEMPORAL_ADDRESS: shared.temporalAddress,
      TARGET: shared.layout.kubeconfig,
      NODE: orphan,
    });
    await runbook.run('1. Stop Millwright');
    await restoreEtcd(control);
    await restoreTemporal();
    await eventually('the API server answers', () => cluster.machines());
    // The Deployment is as it was at the backup.
    await runbook.run('1. Stop Millwright');
    await runbook.run('3. Forget what the watcher knew');
    await runbook.run('4. Start Millwright');
    await eventually('Temporal knows the check', () => workflows.scheduleOf('orphans').describe());
    await runbook.run('5. Compare');

    expect(await cluster.machines()).toHaveLength(2);
    // Two searches have to agree.
    await runCheck(workflows, 'orphans');
    await runCheck(workflows, 'orphans');
    await eventually('the instance that the backup does not know is gone', async () => {
      expect(await cloud.instances()).toEqual(before);
    });
    await runbook.run('6. Remove the Nodes of orphans');
    await cluster.scale(pool, 3);
    await eventually('the pool is scaled again', async () => {
      expect(await cloud.instances()).toHaveLength(3);
      const phases = Object.values(await cluster.phases());
      expect(phases).toEqual(['Running', 'Running', 'Running']);
    });
    expect(await cloud.instances()).toEqual(expect.arrayContaining(before));
  });
});

describe('a control plane that moves to another cluster', () => {
  const clusterName = clusterNameOf('moved');
  const scenario = useScenario('moved', {
    clusters,
    clusterName,
    isDoubled: false,
    isInOne: true,
    // Of the runs that the old cluster leaves behind.
    causes: [/: TERMINATED$/],
  });
  const { cluster: old, cloud, namespace } = scenario;
  const replicas = new Replicas(scenario);
  beforeAll(() => replicas.start());
  afterAll(() => replicas.stop());

  test('takes its machines along', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    const before = { instances: await cloud.instances(), nodes: await nodesNow() };
    const next = new Cluster(namespace, shared.layout.kubeconfig);
    await createNamespace(next.kube, namespace);
    const runbook = await Runbook.open('control-plane-migration.md', {
      OLD: control.layout.kubeconfig,
      NEW: shared.layout.kubeconfig,
      NAMESPACE: namespace,
    });
    await runbook.run('1. Stop the old one');
    await runbook.run('2. Copy the objects');
    await runbook.run('3. Release the old objects');
    const takeOver = await runbook.run('4. Start the new one');
    expect(takeOver).toBe(await old.uid());
    const access = placeOf({ control: shared, target: shared }, clusterName);
    const operator = new Operator(shared, {
      namespace,
      isDoubled: false,
      ...access,
      flags: [...(access.flags ?? []), `--take-over=${takeOver}`],
    });
    operator.start();
    try {
      await runbook.run('5. Delete again what was being deleted');
      await eventually('the new control plane reports its machines', async () => {
        const { status } = await next.deployment(pool);
        expect(status).toMatchObject({ replicas: 2, readyReplicas: 2, updatedReplicas: 2 });
      });
      expect(await cloud.instances()).toEqual(before.instances);
      expect(await nodesNow()).toEqual(before.nodes);
      await next.scale(pool, 3);
      await eventually('the new control plane scales', async () => {
        expect(Object.values(await next.phases())).toEqual(['Running', 'Running', 'Running']);
      });
      expect(await cloud.deletions()).toEqual([]);
      await next.delete(customResource('machinedeployments', namespace));
      await eventually('no machine is left', async () => {
        expect(await next.machines()).toEqual([]);
        expect(await next.sets()).toEqual([]);
        expect(await next.deployments()).toEqual([]);
      });
      await next.delete(next.pathOf('machineclasses'));
      const secret = namespaced('secrets', namespace, secretName);
      await next.delete(secret);
      await eventually('neither class nor Secret is left', async () => {
        expect(await next.list(next.pathOf('machineclasses'))).toEqual([]);
        expect(await next.find(secret)).toBeUndefined();
      });
    } finally {
      await operator.stop();
      await next.delete(`/api/v1/namespaces/${namespace}`);
      await next.close();
    }
  });

  /** Name -> UID, with "cordoned" where it is. */
  async function nodesNow(): Promise<Record<string, string>> {
    const nodes = await old.nodes();
    return Object.fromEntries(
      nodes.map(({ metadata, spec }) => [
        metadata.name,
        spec?.unschedulable === true ? `${metadata.uid} cordoned` : metadata.uid,
      ]),
    );
  }
});
