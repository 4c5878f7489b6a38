/**
 * The control cluster's etcd is restored from a backup while watcher and worker run: versions go
 * back, and everything goes on. The runbook finds and ends what the backup does not know.
 */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { runCheck } from '../support/checks.ts';
import { restoreEtcd, saveEtcd } from '../support/etcd-database.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { Runbook } from '../support/runbook.ts';
import { untilStuck } from '../support/runbook-findings.ts';
import { useScenario } from '../support/scenario.ts';
import { startControlPlane, stopSecondStack } from '../support/second-stack.ts';
import { testStack } from '../support/test-stack.ts';

const name = 'restored';
const control = await startControlPlane(name);
// Registered first, so it runs last.
afterAll(() => stopSecondStack(name));

describe('an etcd that is restored', () => {
  const scenario = useScenario('restored', {
    clusters: { control, target: testStack() },
    // The first install of the shared stack holds the ids without a cluster's name.
    clusterName: name,
    isDoubled: false,
    // Checks are started by hand only.
    workerFlags: [
      '--machine-safety-orphan-vms-period=24h',
      '--safety-orphans-min-age=0s',
      '--safety-entities-period=24h',
    ],
  });
  const { cluster, cloud, workflows } = scenario;

  /** Makes versions and generations of the Machine that the backup will not know. */
  async function edit(machine: string, times: number): Promise<void> {
    const path = cluster.pathOf('machines', machine);
    for (let time = 1; time <= times; time += 1) {
      const spec = { nodeTemplate: { metadata: { labels: { edit: `${time}` } } } };
      await cluster.kube.patch(path, 'merge', { spec });
    }
    await untilLabelled(machine, String(times));
  }

  async function untilLabelled(machine: string, value: string): Promise<void> {
    await eventually(`the Node of ${machine} has the label edit=${value}`, async () => {
      const nodes = await cluster.nodes();
      const node = nodes.find(({ metadata }) => metadata.name === machine);
      expect(node?.metadata.labels).toMatchObject({ edit: value });
    });
  }

  test('is followed: edits and deletions that come with older versions take effect', async () => {
    const edited = await createMachine(scenario, 'edited');
    const deleted = await createMachine(scenario, 'deleted');
    for (const one of [edited, deleted]) await untilPhase(scenario, one, 'Running');
    const before = await cloud.instances();
    saveEtcd(control);
    await edit(edited, 20);
    const unknown = await createMachine(scenario, 'unknown');
    await untilPhase(scenario, unknown, 'Running');
    await restoreEtcd(control);
    await eventually('the API server answers', () => cluster.machines());
    expect(await cluster.find(cluster.pathOf('machines', unknown))).toBeUndefined();

    const path = cluster.pathOf('machines', edited);
    const spec = { nodeTemplate: { metadata: { labels: { edit: 'after' } } } };
    await cluster.kube.patch(path, 'merge', { spec });
    await untilLabelled(edited, 'after');
    await deleteMachine(scenario, deleted);
    const kept = before.filter(({ name: vm }) => vm === edited);
    expect(kept).toHaveLength(1);
    expect(await cloud.instances()).toEqual(expect.arrayContaining(kept));

    // Nobody's by now: its run ends, and its instance is for the search of orphans.
    const page = await Runbook.of(scenario, 'restored-etcd', {
      KUBECONFIG: control.layout.kubeconfig,
      INSTALL: `${name}/${scenario.namespace}`,
    });
    await untilStuck(page, {
      trouble: 'restored-etcd',
      object: 'lease/millwright',
      cause: 'etcd was restored to an earlier moment',
      way: 'temporal schedule toggle --schedule-id safety/orphans/',
    });
    await eventually('the page finds the machine that the backup does not know', async () => {
      expect(await page.run('Look')).toBe(`${unknown}\n`);
    });
    await page.run('Compare');
    await eventually('it has no run', async () => {
      expect(await workflows.running('WorkflowType="machine"')).toEqual([
        expect.stringContaining(edited),
      ]);
    });
    // Two searches have to agree.
    await runCheck(workflows, 'orphans');
    await page.run('Let the orphans go');
    await eventually('its instance is gone', async () => {
      expect((await cloud.instances()).map(({ name: vm }) => vm)).toEqual([edited]);
    });
    // As the controller of the cloud does. The check of unmanaged Nodes takes our finalizer off
    // when a Node is 20 minutes old.
    await cluster.target.patch(nodePath(unknown), 'merge', { metadata: { finalizers: null } });
    await cluster.target.delete(nodePath(unknown));
    await deleteMachine(scenario, edited);
  });
});
