/** MachineSets: the machines that they own, adopt, let go and replace. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  createMachine,
  deleteMachine,
  machinesOf,
  untilBooted,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import { classManifest } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';
import { createSet, deleteSet } from '../support/sets.ts';

const scenario = useScenario('sets', { isDoubled: true });
const { cluster, cloud } = scenario;

async function limitCreationTo(set: string, creationTimeout: string): Promise<void> {
  const spec = { template: { spec: { creationTimeout } } };
  await cluster.patch('machinesets', set, { spec });
}

describe('a MachineSet without a deployment', () => {
  test('replaces a machine that a user deleted', async () => {
    const set = await createSet(scenario, 'replaces', { replicas: 2 });
    const [first] = await untilRunning(scenario, set, 2);
    const gone = first?.metadata.name ?? '';
    await deleteMachine(scenario, gone);
    const now = await untilRunning(scenario, set, 2);
    expect(now.map(({ metadata }) => metadata.name)).not.toContain(gone);
    await deleteSet(scenario, set);
  });

  test('replaces a machine whose Node did not join in time', async () => {
    await cloud.addFault({ kind: 'neverJoin', times: 1 });
    const set = await createSet(scenario, 'late', { replicas: 1 });
    const failed = await eventually('the first machine is there', async () => {
      const [machine] = await machinesOf(scenario, set);
      expect(machine).toBeDefined();
      return machine?.metadata.name ?? '';
    });
    await untilBooted(scenario, failed);
    await limitCreationTo(set, '1s');
    await untilGone(scenario, cluster.pathOf('machines', failed));
    // On a busy machine no replacement joins within a limit that the test can wait for.
    await limitCreationTo(set, '20m');
    const [replacement] = await untilRunning(scenario, set, 1);
    expect(replacement?.metadata.name).not.toBe(failed);
    await untilEvent(scenario, { kind: 'Machine', name: failed }, { reason: 'CreationTimeout' });
    await deleteSet(scenario, set);
  });

  test('adopts a machine that fits its selector, and makes one fewer', async () => {
    const set = scenario.named('adopts').name;
    const orphan = await createMachine(scenario, 'orphan');
    await untilPhase(scenario, orphan, 'Running');
    await cluster.patch('machines', orphan, { metadata: { labels: { set } } });
    await createSet(scenario, 'adopts', { replicas: 2 });
    await untilRunning(scenario, set, 1);
    const { metadata } = await cluster.machine(orphan);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'MachineSet', name: set }]);
    await deleteSet(scenario, set);
    await untilGone(scenario, cluster.pathOf('machines', orphan));
  });

  test('a MachineSet without a deployment that is deleted with --cascade=orphan leaves its machines', async () => {
    const set = await createSet(scenario, 'orphans', { replicas: 2 });
    await untilRunning(scenario, set, 2);
    await deleteSet(scenario, set, { propagationPolicy: 'Orphan' });
    const left = await untilRunning(scenario, set, 2);
    expect(left.map(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([[], []]);
    for (const { metadata } of left) await deleteMachine(scenario, metadata.name);
  });
});

describe('a MachineClass', () => {
  test('a MachineClass that a machine uses outlives its deletion until the machine is gone', async () => {
    const named = scenario.named('used');
    await cluster.create('machineclasses', classManifest(named));
    const name = await createMachine(scenario, 'user', {
      class: { kind: 'MachineClass', name: named.name },
    });
    await untilPhase(scenario, name, 'Running');
    const path = cluster.pathOf('machineclasses', named.name);
    await eventually('its finalizer protects it', async () => {
      const { metadata } = await cluster.kube.get<KubeObject>(path);
      expect(metadata.finalizers ?? []).not.toEqual([]);
    });
    await cluster.delete(path);
    expect(await cluster.find<KubeObject>(path)).toBeDefined();
    await deleteMachine(scenario, name);
    await untilGone(scenario, path);
  });
});
