/**
 * A driver in another language: it serves the port and nothing else. `driver-python-troubled` has
 * the checks whose cloud keeps silent, by night.
 */
import { createHash } from 'node:crypto';
import type { OrphanReport } from '../../../workflows/safety/orphans.ts';
import { runCheck } from '../support/checks.ts';
import type { SecretObject } from '../support/cluster.ts';
import { createClass, createSecret } from '../support/classes.ts';
import { complaintsIn, skippedIn, verifyDriver } from '../support/driver-verify.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { untilStopIsKnown } from '../support/probes.ts';
import type { PythonDriver } from '../support/python-driver.ts';
import { pythonProvider as provider, startPythonClass } from '../support/python-driver.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const classRef = (name: string) => ({ kind: 'MachineClass', name });

describe('the driver in Python', () => {
  const workerFlags = ['--machine-safety-orphan-vms-period=24h', '--safety-orphans-min-age=0s'];
  const scenario = useScenario('python', { workerFlags });
  const { cluster, cloud, workflows, namespace } = scenario;
  let driver: PythonDriver;

  beforeAll(async () => {
    driver = await startPythonClass(scenario, testStack().virtualCloud);
  });
  // Before the scenario ends: it deletes what is left, which needs the driver.
  afterAll(async () => {
    await driver.stop();
  });

  test('does everything that the kit asks', async () => {
    const { exitCode, report } = await verifyDriver(scenario, provider, [
      '--bad-spec={"size": "huge"}',
    ]);
    expect(complaintsIn(report)).toEqual([]);
    expect(exitCode).toBe(0);
    // It offers no console, and without --trouble its cloud is well.
    expect(skippedIn(report)).toEqual(
      [
        'the console of an instance, if it is offered',
        'the console of an instance that does not exist',
        'a cloud that never answers',
        'an HTML page with status 404',
        'an instance that dies right after its create',
      ].map((check) => expect.stringContaining(check)),
    );
  });

  test('makes the machines of a deployment, up and down, and deletes them', async () => {
    const metadata = { labels: { name: scenario.named('pool').name } };
    const spec = { class: classRef('python') };
    const pool = await createDeployment(scenario, 'pool', {
      replicas: 1,
      template: { metadata, spec },
    });
    await untilRunning(scenario, pool, 1);
    await cluster.kube.patch(cluster.pathOf('machinedeployments', pool), 'merge', {
      spec: { replicas: 3 },
    });
    await untilRunning(scenario, pool, 3);
    const tags = (await cloud.instances()).map(({ tags: found }) => found);
    expect(tags).toHaveLength(3);
    for (const found of tags) expect(found).toMatchObject({ 'millwright.dev/provider': provider });
    await deleteDeployment(scenario, pool);
    expect(await cloud.instances()).toEqual([]);
  });

  test('fills the user data, with the bootstrap token', async () => {
    const userData = 'join <<BOOTSTRAP_TOKEN>> as <<MACHINE_NAME>>';
    await createSecret(scenario, 'joining', { userData });
    await createClass(scenario, 'joining', { provider, secret: 'joining' });
    // The token goes when the Node has joined.
    await cloud.addFault({ operation: 'create', kind: 'neverJoin' });
    const name = await createMachine(scenario, 'joins', { class: classRef('joining') });
    const { metadata } = await untilPhase(scenario, name, 'Pending');
    const token = await bootstrapTokenOf(metadata.uid);
    const filled = `join ${token} as ${name}`;
    const [instance] = await cloud.instances();
    expect(instance?.userDataDigest).toBe(createHash('sha256').update(filled).digest('hex'));
    await deleteMachine(scenario, name);
    await cluster.delete(cluster.pathOf('machineclasses', 'joining'));
  });

  async function bootstrapTokenOf(uid: string): Promise<string> {
    const secrets = await cluster.list<SecretObject>('/api/v1/namespaces/kube-system/secrets');
    const { data = {} } =
      secrets.find(
        ({ metadata }) => metadata.annotations?.['millwright.dev/machine-uid'] === uid,
      ) ?? {};
    const parts = [data['token-id'], data['token-secret']];
    return parts.map((part = '') => Buffer.from(part, 'base64').toString()).join('.');
  }

  test('waits while everything is stopped', async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const stop = { metadata: { name: 'millwright-stop' }, data: { reason: 'wrong disks' } };
    await cluster.kube.create(path, stop);
    await untilStopIsKnown(scenario);
    const name = await createMachine(scenario, 'waits', { class: classRef('python') });
    await eventually('the create waits', async () => {
      const failures = await workflows.pendingFailures('machine', name);
      expect(failures['createInstance']).toBe(
        `stopped by ConfigMap ${namespace}/millwright-stop: wrong disks`,
      );
    });
    expect(await cloud.instances()).toEqual([]);
    await cluster.delete(`${path}/millwright-stop`);
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
  });

  test('an instance of it without a Machine is found and deleted', async () => {
    const path = '/api/v1/namespaces/kube-system';
    const { metadata } = await cluster.kube.get<{ metadata: { uid: string } }>(path);
    const { providerID } = await cloud.create(scenario.named('lost').name, {
      'millwright.dev/cluster': metadata.uid,
      'millwright.dev/namespace': namespace,
      'millwright.dev/provider': provider,
    });
    const first = await findOrphans();
    expect(first.suspects).toMatchObject([{ providerID, provider, className: 'python' }]);
    expect(await findOrphans()).toMatchObject({ deleted: [{ providerID }], errors: [] });
    expect(await cloud.instances()).toEqual([]);
  });

  async function findOrphans(): Promise<OrphanReport> {
    return await (await runCheck(workflows, 'orphans')).result();
  }
});
