/** Workers probe whether a run of a check is needed, and trigger its Schedule. */
import { beforeAll, describe, expect, test } from 'vitest';
import { node as nodePath } from '../../activities/kube/client/paths.ts';
import { apiVersion, annotations } from '../../workflows/api/constants.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { untilScheduled } from './support/checks.ts';
import type { NodeObject } from './support/cluster.ts';
import { untilEvent } from './support/events.ts';
import { eventually } from './support/eventually.ts';
import { probesOf } from './support/probes.ts';
import { createDeployment, deleteDeployment, untilRunning } from './support/machines.ts';
import { machineManifest } from './support/manifests.ts';
import { useScenario } from './support/scenario.ts';

const label = 'example.com/safety-probes';
const checks = ['overshoot', 'lost-workflows', 'unmanaged-nodes', 'reachability'] as const;
type CheckName = (typeof checks)[number];

describe('a worker that probes every second or two', () => {
  const scenario = useScenario('probes', {
    isDoubled: false,
    workerFlags: [
      // Their search is a run in any case.
      '--safety-orphans=off',
      '--machine-safety-overshooting-period=1s',
      '--safety-entities-period=2s',
      '--machine-safety-orphan-vms-period=1s',
      '--machine-safety-apiserver-statuscheck-period=1s',
      '--machine-creation-timeout=5s',
      // The Nodes of other scenarios are in the same cluster: for this one they are not managed.
      `--safety-unmanaged-nodes-selector=${label}`,
    ],
    causes: [/^(machineDeployment|machineSet)\/.*: TERMINATED$/],
  });
  const { cluster, workflows, namespace } = scenario;
  let pool: string;

  const scheduleOf = (check: CheckName) => workflows.scheduleOf(check);

  /** Runs that were started so far, and when the Schedule itself starts the next one. */
  async function runsOf(check: CheckName): Promise<{ taken: number; next: Date | undefined }> {
    const { info } = await scheduleOf(check).describe();
    return { taken: info.numActionsTaken, next: info.nextActionTimes[0] };
  }

  async function untilProbes(check: CheckName, more: number, outcome?: string): Promise<void> {
    const before = await probesOf(scenario, check, outcome);
    await eventually(`${more} probes for ${check}`, async () => {
      expect(await probesOf(scenario, check, outcome)).toBeGreaterThanOrEqual(before + more);
    });
  }

  async function setOf(name: string): Promise<MachineSet> {
    const sets = await cluster.sets();
    const set = sets.find(({ metadata }) => metadata.name.startsWith(name));
    if (!set) throw new Error(`${name} has no set`);
    return set;
  }

  beforeAll(async () => {
    for (const check of checks) await untilScheduled(workflows, check);
    pool = await createDeployment(scenario, 'pool', { replicas: 1 });
    await untilRunning(scenario, pool, 1);
  });

  test('starts no run where there is nothing to do', async () => {
    const before = await Promise.all(checks.map(runsOf));
    await Promise.all(checks.map((check) => untilProbes(check, 10, 'nothing')));
    const after = await Promise.all(checks.map(runsOf));
    for (const [index, { taken, next }] of before.entries()) {
      // A run every 6 hours is the Schedule's own.
      const own = next !== undefined && next < new Date() ? 1 : 0;
      expect(after[index]?.taken).toBe(taken + own);
    }
  });

  test('has a run start the workflow that somebody terminated', async () => {
    const id = workflowIdOf('machineDeployment', { namespace, name: pool });
    await workflows.terminate(id);
    await untilEvent(
      scenario,
      { kind: 'MachineDeployment', name: pool },
      {
        reason: 'WorkflowRestored',
      },
    );
    await eventually('it runs', async () => expect(await workflows.running()).toContain(id));
  });

  test('leaves a paused check alone, and has a run freeze and thaw a set', async () => {
    await scheduleOf('lost-workflows').pause('looking into it (Kim)');
    await scheduleOf('overshoot').pause('looking into it (Kim)');
    await untilProbes('lost-workflows', 2);
    const before = [await runsOf('lost-workflows'), await runsOf('overshoot')];
    const set = await setOf(pool);
    const { name, uid } = set.metadata;
    await workflows.terminate(workflowIdOf('machineSet', { namespace, name }));
    for (const end of ['x1', 'x2', 'x3']) {
      const manifest = machineManifest({ namespace, name: `${pool}-${end}` });
      await cluster.create('machines', {
        ...manifest,
        metadata: {
          name: `${pool}-${end}`,
          namespace,
          labels: set.spec.template?.metadata?.labels,
          ownerReferences: [{ apiVersion, kind: 'MachineSet', name, uid, controller: true }],
        },
      });
    }
    await untilProbes('overshoot', 2, 'found');
    await untilProbes('lost-workflows', 2, 'found');
    const after = [await runsOf('lost-workflows'), await runsOf('overshoot')];
    expect(after.map(({ taken }) => taken)).toEqual(before.map(({ taken }) => taken));
    expect((await setOf(pool)).metadata.labels).not.toHaveProperty('freeze');
    await scheduleOf('overshoot').unpause('done');
    const of = { kind: 'MachineSet', name };
    await untilEvent(scenario, of, { reason: 'FrozeMachineSet' });
    await scheduleOf('lost-workflows').unpause('done');
    // Its workflow deletes what is too much.
    await untilEvent(scenario, of, { reason: 'UnfrozeMachineSet' });
    await untilRunning(scenario, pool, 1);
  });

  test('has a run mark a Node that no Machine knows of', async () => {
    const lost = scenario.named('lost').name;
    await cluster.kube.create(nodePath(), {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: lost, labels: { [label]: 'yes' } },
    });
    await eventually('it is marked', async () => {
      const { metadata } = await cluster.kube.get<NodeObject>(nodePath(lost));
      expect(metadata.annotations).toMatchObject({ [annotations.notManaged]: '1' });
    });
    await cluster.delete(nodePath(lost));
    await deleteDeployment(scenario, pool);
  });
});
