/** One watcher and one worker for several namespaces. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubeObject } from '../../../kube/client/client.ts';
import { lease, namespaced } from '../../../kube/client/paths.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { TestFleet, targetSecret, writeKubeconfig, writeTarget } from '../support/fleet.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import type { Scenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';
import { kubeconfigOf } from '../support/worker-upstream.ts';

const run = promisify(execFile);
const { layout, temporalAddress } = testStack();

async function millwright(...words: string[]): Promise<string> {
  const entrance = join(repository, 'cli/millwright.ts');
  const all = [entrance, ...words, `--kubeconfig=${layout.kubeconfig}`];
  const env = { ...process.env, NODE_OPTIONS: '', TEMPORAL_ADDRESS: temporalAddress };
  return (await run(process.execPath, all, { env })).stdout;
}

/** The fleet and what is in its namespaces end after the tests of the file. */
function useFleet(name: string, finds: 'names' | 'labels', ...members: string[]) {
  const fleet = new TestFleet(name, { finds });
  const admin = new Cluster('default', layout.kubeconfig);
  const scenarios = members.map((member) => fleet.member(member));
  beforeAll(async () => {
    for (const scenario of scenarios) await scenario.start();
    await fleet.start(admin.kube);
  });
  afterAll(async () => {
    await fleet.end();
    await fleet.revoke(admin.kube);
    await admin.close();
  });
  const of = (index: number): Scenario => {
    const scenario = scenarios[index];
    if (!scenario) throw new Error(`the fleet has no member ${index}`);
    return scenario;
  };
  return { fleet, of };
}

async function runs(scenario: Scenario, name: string): Promise<void> {
  await untilPhase(scenario, await createMachine(scenario, name), 'Running');
}

describe('a fleet of namespaces that are named', () => {
  const { fleet, of } = useFleet('listed', 'names', 'left', 'right');

  test('serves each of them, and a stop of one stops no other', async () => {
    const [left, right] = [of(0), of(1)];
    await Promise.all([runs(left, 'a'), runs(right, 'a')]);
    await millwright('stop', '-n', left.namespace, '--reason', 'wrong disks');
    const held = await createMachine(left, 'held');
    await eventually('the creation is refused', async () => {
      const failures = await left.workflows.pendingFailures('machine', held);
      expect(failures['createInstance']).toContain(`${left.namespace}/millwright-stop`);
    });
    await runs(right, 'b');
    expect(await fleet.metrics('worker')).toContain(
      `millwright_stopped{kube_namespace="${left.namespace}"} 1`,
    );
    await millwright('start', '-n', left.namespace);
    await untilPhase(left, held, 'Running');
  });

  test('has the checks of each namespace under its own name', async () => {
    for (const { workflows, namespace } of [of(0), of(1)]) {
      const { action } = await workflows.scheduleOf('orphans').describe();
      expect(action.args).toMatchObject([{ namespace }]);
    }
  });
});

describe('a fleet of namespaces with a label, each with a target cluster in a Secret', () => {
  const { fleet, of } = useFleet('labelled', 'labels', 'well', 'broken', 'taken');
  // What is taken off board ends.
  const late = fleet.member('late', { causes: [/^\w+\/late-[^:]*: TERMINATED$/] });

  beforeAll(async () => {
    await of(1).cluster.delete(namespaced('secrets', of(1).namespace, targetSecret));
  });

  test('serves those that it can; of one whose kubeconfig is missing it says so', async () => {
    const [well, broken] = [of(0), of(1)];
    await runs(well, 'a');
    await fleet.untilServed('worker', broken.namespace, 0);
    await fleet.untilServed('watcher', broken.namespace, 0);
    const why = `Secret ${broken.namespace}/${targetSecret} does not exist`;
    const [line] = fleet.logged('worker', 'the namespace is not served');
    expect(line).toMatchObject({ reason: expect.stringContaining(why) });
    await eventually('an Event in the namespace says why', async () => {
      const { namespace, cluster } = broken;
      const events = await cluster.list<KubeObject & { reason: string; message: string }>(
        namespaced('events', namespace),
      );
      expect(events).toContainEqual(
        expect.objectContaining({
          reason: 'NamespaceNotServed',
          message: expect.stringContaining(why),
        }),
      );
    });
  });

  test('says what is wrong with a kubeconfig, and serves the namespace once it is right', async () => {
    const { cluster, namespace } = of(1);
    await writeKubeconfig(cluster.kube, namespace, kubeconfigOf('https://127.0.0.1:1'));
    await eventually('it says that nothing answers there', async () => {
      const lines = fleet.logged('worker', 'the namespace is not served');
      expect(lines.some(({ reason }) => String(reason).includes('127.0.0.1:1'))).toBe(true);
    });
    const withCommand = kubeconfigOf('https://127.0.0.1:1').replace(
      'user: {}',
      'user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: touch } }',
    );
    await writeKubeconfig(cluster.kube, namespace, withCommand);
    await eventually('it refuses a command', async () => {
      const lines = fleet.logged('worker', 'the namespace is not served');
      expect(lines.at(-1)).toMatchObject({
        reason: expect.stringContaining('exec is not allowed'),
      });
    });
    await writeTarget(cluster.kube, namespace, testStack());
    await runs(of(1), 'a');
    expect(fleet.operator.startsOf('worker')).toBe(1);
  });

  test('stands by in a namespace whose Lease MCM holds, and nowhere else', async () => {
    const { cluster, namespace } = of(2);
    await fleet.untilServed('watcher', namespace);
    const path = lease(namespace, 'machine-controller');
    const holder = {
      holderIdentity: 'mcm',
      renewTime: new Date().toISOString().replace('Z', '000Z'),
      leaseDurationSeconds: 3_600,
    };
    await eventually('MCM has the Lease', async () => {
      await cluster.kube.patch(path, 'merge', { spec: holder });
      const found = await cluster.kube.get<{ spec: { holderIdentity: string } }>(path);
      expect(found.spec.holderIdentity).toBe('mcm');
      const text = await fleet.metrics('watcher');
      expect(text).toContain(`millwright_watcher_leader{kube_namespace="${namespace}"} 0`);
    });
    const waiting = await createMachine(of(2), 'a');
    await runs(of(0), 'b');
    // But for what the CRD gives to each new Machine.
    expect(Object.keys((await cluster.machine(waiting)).status ?? {})).toEqual(['conditions']);
    await cluster.kube.delete(path);
    await untilPhase(of(2), waiting, 'Running');
  });

  test('serves a namespace that comes later, and leaves nothing of one that is taken off board', async () => {
    await late.start();
    await runs(late, 'a');
    const { cluster, namespace, workflows } = late;
    await expect(millwright('offboard', namespace, '--keep-machines', '--yes')).rejects.toThrow(
      `Namespace ${namespace} is served: watcher watcher holds the Lease`,
    );
    const path = `/api/v1/namespaces/${namespace}`;
    await cluster.kube.patch(path, 'merge', { metadata: { labels: { fleet: null } } });
    await eventually('it is served no more', async () => {
      for (const program of ['worker', 'watcher'] as const) {
        const lines = (await fleet.metrics(program)).split('\n');
        expect(lines.filter((line) => line.includes(namespace))).toEqual([]);
      }
    });
    await expect(millwright('offboard', namespace, '--yes')).rejects.toThrow(
      `Namespace ${namespace} has machines: ${namespace}-a.`,
    );
    const keep = ['offboard', namespace, '--keep-machines'];
    await expect(millwright(...keep)).rejects.toThrow('Command failed');
    expect(await workflows.running('WorkflowType="machine"')).toEqual([
      `machine/${namespace}/${namespace}-a`,
    ]);
    const { removals } = JSON.parse(await millwright(...keep, '--yes', '-o', 'json'));
    const kinds = removals.map(({ kind }: { kind: string }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['schedule', 'workflow', 'Lease', 'claim']));
    expect(kinds.filter((kind: string) => kind === 'schedule')).toHaveLength(5);
    await eventually('nothing is left, and a second time does no harm', async () => {
      expect(await millwright(...keep)).toContain(`Nothing is left of namespace ${namespace}.`);
    });
    expect(await workflows.running()).toEqual([]);
    expect(await cluster.list(lease(namespace))).toEqual([]);
    await cluster.kube.patch(path, 'merge', { metadata: { labels: { fleet: fleet.name } } });
    await runs(late, 'b');
    await deleteMachine(late, `${namespace}-a`);
  });
});
