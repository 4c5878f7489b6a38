/**
 * The commands of the migration, with a stand-in that holds MCM's Leases. With the real MCM:
 * migration-midway.test.ts.
 */
import { deployments, replicasBefore, type Deployment } from '../../../cli/install/deployments.ts';
import { ownLeaseOf } from '../../../kube/leases/lease-set.ts';
import { lease as leasePath } from '../../../kube/client/paths.ts';
import type { Lease } from '../../../kube/leases/observed-lease.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, createMachine, untilPhase, untilRunning } from '../support/machines.ts';
import { classManifest } from '../support/manifests.ts';
import { useMcm } from '../support/migration.ts';
import { standIn } from '../support/real-mcm.ts';
import { writeAccountKubeconfig } from '../support/service-accounts.ts';

const migrated = useMcm('migrate-commands', {
  isStandIn: true,
  // A create that waits to be tried again is ended with its run.
  causes: [/TERMINATED/i],
  workerFlags: ['--resource-exhausted-retry=1s'],
});
const { scenario, installs } = migrated;
const { cluster, cloud, namespace, workflows } = scenario;

const mcmPath = deployments(namespace, 'machine-controller-manager');

const replicasOf = async (name: string): Promise<unknown> => {
  const { spec, metadata } = await cluster.kube.get<Deployment>(deployments(namespace, name));
  return { replicas: spec?.replicas, before: metadata.annotations?.[replicasBefore] };
};

const holderOf = async (name: string): Promise<string> => {
  const { spec } = await cluster.kube.get<Lease>(leasePath(namespace, name));
  return spec?.holderIdentity ?? '';
};

const all = ['machine-controller-manager', 'millwright-watcher', 'millwright-worker'] as const;

async function replicas(): Promise<unknown[]> {
  return await Promise.all(all.map(replicasOf));
}

describe('before the take-over', () => {
  test('the check lists what there is, for people and for programs', async () => {
    const { text, data, exitCode } = await migrated.run('check');
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^ok +leases +.*machine-controller is held by stand-in-of-mcm/m);
    expect(text).toMatch(/Nothing hinders a take-over/);
    expect(data).toMatchObject({
      namespace,
      isFree: true,
      values: { flags: { 'leader-elect-lease-duration': '6s' }, machines: { namespace } },
    });
  });

  test('what hinders keeps the take-over from doing anything', async () => {
    const foreign = classManifest({ namespace, name: 'foreign' }, { provider: 'stackit' });
    await cluster.create('machineclasses', foreign);
    expect(await migrated.run('check')).toMatchObject({ exitCode: 1 });
    const before = await replicas();
    await expect(migrated.run('take-over')).rejects.toThrow(
      /Nothing was done.*\n.*no driver of provider "stackit" is built in/,
    );
    expect(await replicas()).toEqual(before);
    await cluster.delete(cluster.pathOf('machineclasses', 'foreign'));
  });

  test('a person without rights reads which they are', async () => {
    const account = { namespace, name: 'nobody' };
    await cluster.kube.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
      metadata: { name: account.name },
    });
    const kubeconfig = await writeAccountKubeconfig(cluster.kube, account);
    const { text, exitCode } = await migrated.run('check', `--kubeconfig=${kubeconfig}`);
    expect(exitCode).toBe(1);
    expect(text).toContain(`you may not patch deployments.apps in ${namespace}`);
    expect(text).toContain(`you may not list machines.machine.sapcloud.io in ${namespace}`);
    expect(text).toMatch(/Deployments could not be read/);
  });

  test('one that is not installed, or at 0, is not left alone with the machines', async () => {
    await expect(migrated.run('take-over', '--release-namespace=default')).rejects.toThrow(
      /Nothing was done: Millwright is not installed/,
    );
    await cluster.kube.patch(deployments(namespace, 'millwright-worker'), 'merge', {
      spec: { replicas: 0 },
    });
    await expect(migrated.run('take-over')).rejects.toThrow(/millwright-worker .* is at 0/);
    expect(await replicasOf('machine-controller-manager')).toMatchObject({ replicas: 1 });
    await cluster.kube.patch(deployments(namespace, 'millwright-worker'), 'merge', {
      spec: { replicas: 1 },
    });
    await installs.untilReady();
  });
});

describe('there and back', () => {
  test('MCM goes to 0 and its Leases to us; to repeat it changes nothing', async () => {
    await migrated.run('take-over');
    expect(await replicas()).toEqual([
      { replicas: 0, before: '1' },
      { replicas: 1, before: undefined },
      { replicas: 1, before: undefined },
    ]);
    const leader = await holderOf(ownLeaseOf(namespace).name);
    expect(leader).not.toBe('');
    expect(await holderOf('machine-controller-manager')).toBe(leader);
    expect(await holderOf('machine-controller')).toBe(leader);
    const taken = await cluster.kube.get<Deployment>(mcmPath);
    await migrated.run('take-over');
    const again = await cluster.kube.get<Deployment>(mcmPath);
    expect(again.metadata.resourceVersion).toBe(taken.metadata.resourceVersion);
  });

  test('both at work is refused', async () => {
    await cluster.kube.patch(leasePath(namespace, 'machine-controller'), 'merge', {
      spec: { holderIdentity: 'somebody' },
    });
    // Ours notices within seconds that it lost one, so this is what there is before.
    const { text, exitCode } = await migrated.run('check');
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^hinders +leases +(both are at work|.*by none of the Deployments)/m);
    await cluster.kube.patch(leasePath(namespace, 'machine-controller'), 'merge', {
      spec: { holderIdentity: '' },
    });
    await eventually('ours leads again', async () => {
      expect((await migrated.run('check')).exitCode).toBe(0);
      expect(await holderOf('millwright')).not.toBe('');
    });
  });

  test('a policy that keeps MCM from recording its machines hinders, both ways', async () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    const name = `${namespace}-provider-id`;
    await cluster.kube.create(policies, {
      metadata: { name },
      spec: {
        matchConstraints: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          resourceRules: [
            {
              apiGroups: ['machine.sapcloud.io'],
              apiVersions: ['*'],
              resources: ['machines'],
              operations: ['UPDATE'],
            },
          ],
        },
        matchConditions: [
          {
            name: 'who',
            expression: '!(request.userInfo.username in ["system:serviceaccount:x:y"])',
          },
        ],
        validations: [{ expression: 'true' }],
      },
    });
    try {
      expect((await migrated.run('check')).text).toMatch(/^note +mcm +admission policy /m);
      await expect(migrated.run('hand-back')).rejects.toThrow(
        /Nothing was done: .*providerID: add its user to the value admission.providerIDWriters/,
      );
    } finally {
      await cluster.kube.delete(`${policies}/${name}`);
    }
  });

  test('hand-back leaves nothing in Temporal that would act later', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    await untilRunning(scenario, pool, 2);
    await cloud.addFault({ kind: 'quota', operation: 'create' });
    const refused = await createMachine(scenario, 'refused');
    await untilPhase(scenario, refused, 'CrashLoopBackOff');
    const before = await migrated.belongings();

    await migrated.run('hand-back');
    expect(await migrated.belongings()).toEqual(before);
    expect(await workflows.running()).toEqual([]);
    await expect(workflows.scheduleOf('orphans').describe()).rejects.toThrow(/not found/i);
    expect(await replicas()).toEqual([
      { replicas: 1, before: undefined },
      { replicas: 0, before: '1' },
      { replicas: 0, before: '1' },
    ]);
    expect(await holderOf('machine-controller')).toBe(standIn);
    expect(await holderOf('millwright')).toBe('');
  });

  test('it comes back to what is there by then', async () => {
    const machine = scenario.named('refused').name;
    // Those of a test end with it.
    await cloud.addFault({ kind: 'quota', operation: 'create' });
    const before = await migrated.belongings();
    await migrated.run('take-over');
    expect(await migrated.belongings()).toEqual(before);
    await cloud.clearFaults();
    await untilPhase(scenario, machine, 'Running');
    expect(await migrated.belongings()).toMatchObject({ created: before.created + 1, deleted: 0 });
  });

  test('somebody who scales MCM up again is named, and MCM without a Deployment too', async () => {
    await cluster.kube.patch(mcmPath, 'merge', { spec: { replicas: 1 } });
    // It finds the Leases taken, and waits.
    await cluster.kube.patch(mcmPath, 'merge', { spec: { replicas: 0 } });
    await cluster.kube.delete(mcmPath);
    await expect(migrated.run('hand-back')).rejects.toThrow(
      /Nothing was done: there is no Deployment machine-controller-manager of MCM/,
    );
    expect(await replicasOf('millwright-watcher')).toMatchObject({ replicas: 1 });
    expect((await migrated.run('check')).text).toMatch(/^ok +mcm +there is none/m);
    await installs.apply(installs.mcmManifest(['--leader-elect=false']));
    await expect(migrated.run('hand-back')).rejects.toThrow(/--leader-elect=false/);
    expect((await migrated.run('check')).text).toMatch(/^hinders +flags +--leader-elect=false/m);
  });
});
