/**
 * Nodes that no Machine knows of are marked and let go, and lose the mark when a Machine has them.
 */
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { UnmanagedNodesReport } from '../../../workflows/contracts/safety-activities.ts';
import { annotations, finalizers, labels } from '../../../workflows/api/constants.ts';
import { runCheck } from '../support/checks.ts';
import type { NodeObject } from '../support/cluster.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { className } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';

const label = 'example.com/safety-nodes';

describe('a Node', () => {
  // The Nodes of other scenarios are in the same cluster: for this one they are not managed.
  const scenario = useScenario('nodes', {
    workerFlags: [
      // Its own machines join within it on a busy machine.
      '--machine-creation-timeout=20s',
      // Runs are started by hand only.
      '--machine-safety-orphan-vms-period=24h',
      `--safety-unmanaged-nodes-selector=${label}`,
    ],
  });
  const { cluster, cloud, workflows } = scenario;

  beforeAll(async () => {
    await cluster.patch('machineclasses', className, {
      providerSpec: { labels: { [label]: 'yes' } },
    });
  });

  /** Runs until a run says so: a Node has to be older than the creation timeout. */
  async function untilReport(expected: object): Promise<UnmanagedNodesReport> {
    for (let runs = 0; ; runs += 1) {
      const run = await runCheck(workflows, 'unmanaged-nodes');
      const report: UnmanagedNodesReport = await run.result();
      const isSo = (): void => expect(report).toMatchObject(expected);
      if (runs === 60) isSo();
      try {
        isSo();
        return report;
      } catch {
        // Another second, another run.
      }
    }
  }

  test('without a Machine is marked and let go; that of a Machine is not', async () => {
    const name = await createMachine(scenario, 'managed');
    await untilPhase(scenario, name, 'Running');
    const lost = scenario.named('lost').name;
    await cluster.kube.create(nodePath(), {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: lost, labels: { [label]: 'yes' }, finalizers: [finalizers.node] },
    });
    expect(await untilReport({ marked: [lost] })).toEqual({
      nodes: 2,
      unmanaged: 1,
      marked: [lost],
      cleared: [],
      postponed: 0,
    });
    const { metadata } = await cluster.kube.get<NodeObject>(nodePath(lost));
    expect(metadata.annotations).toMatchObject({ [annotations.notManaged]: '1' });
    expect(metadata.finalizers).toBeUndefined();
    await cluster.delete(nodePath(lost));
    await deleteMachine(scenario, name);
  });

  test('loses the mark when its Machine knows of it again', async () => {
    const name = await createMachine(scenario, 'back');
    await untilPhase(scenario, name, 'Running');
    const path = cluster.pathOf('machines', name);
    await cluster.kube.patch(path, 'merge', { metadata: { labels: { [labels.node]: null } } });
    await cluster.kube.patch(nodePath(name), 'merge', {
      metadata: { labels: { [labels.machineName]: null } },
    });
    await untilReport({ marked: [name] });
    await cluster.kube.patch(path, 'merge', { metadata: { labels: { [labels.node]: name } } });
    await untilReport({ unmanaged: 0, cleared: [name] });
    const { metadata } = await cluster.kube.get<NodeObject>(nodePath(name));
    expect(metadata.annotations ?? {}).not.toHaveProperty([annotations.notManaged]);
    expect(await cloud.instances()).toHaveLength(1);
    await deleteMachine(scenario, name);
  });
});
