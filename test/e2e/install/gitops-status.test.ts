/**
 * Helm waits for a pool, kstatus and Argo CD say how it is: by their own code. `gitops-rollout`
 * follows a rollout, by night.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { failed, healthOf, healthy, install, uninstall, untilHealth } from '../support/gitops.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, machinesOf, untilGone, untilPhase } from '../support/machines.ts';
import { classManifest, deploymentManifest } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

const scenario = useScenario('gitops');
const { cluster, namespace } = scenario;

const placeOf = (release: string) => ({ namespace, release });

function poolOf(name: string, className: string, providerSpec: object): object[] {
  const named = scenario.named(name);
  const template = {
    metadata: { labels: { name: named.name } },
    spec: { class: { kind: 'MachineClass', name: className } },
  };
  return [
    classManifest({ namespace, name: className }, { providerSpec }),
    deploymentManifest(named, { replicas: 2, template }),
  ];
}

async function onlySet(): Promise<KubeObject> {
  const [set] = await cluster.sets();
  if (!set) throw new Error('there is no MachineSet');
  return set;
}

describe('helm install --wait', () => {
  let installed: string | undefined;
  afterEach(async () => {
    if (installed === undefined) return;
    const { name } = scenario.named(installed);
    await uninstall(placeOf(installed));
    await untilGone(scenario, cluster.pathOf('machinedeployments', name));
    await eventually('its machines are gone', async () => {
      expect(await machinesOf(scenario, name)).toEqual([]);
    });
    installed = undefined;
  });

  test('ends well once the machines of a new pool are there, not before', async () => {
    installed = 'well';
    const { name } = scenario.named('well');
    await install(placeOf('well'), poolOf('well', 'well', {}));
    const { status } = await cluster.deployment(name);
    expect(status).toMatchObject({ availableReplicas: 2, updatedReplicas: 2 });
    await untilHealth('the deployment', () => cluster.deployment(name), healthy);
    await untilHealth('its set', onlySet, healthy);
    for (const { metadata } of await machinesOf(scenario, name)) {
      await untilHealth('a machine of it', () => cluster.machine(metadata.name), healthy);
    }
  });

  test('fails on a pool that a person has to repair, with what is wrong, and not on the repaired one', async () => {
    installed = 'bad';
    const { name } = scenario.named('bad');
    const bad = poolOf('bad', 'bad', { size: 'enormous' });
    await expect(install(placeOf('bad'), bad)).rejects.toThrow(/status: Failed.*enormous/s);
    const said = await untilHealth('the deployment', () => cluster.deployment(name), failed);
    expect(said).toMatch(/enormous.*Correct the MachineClass/);
    const [machine] = await machinesOf(scenario, name);
    await untilHealth('a machine', () => cluster.machine(machine?.metadata.name ?? ''), failed);
    await untilHealth('its set', onlySet, failed);
    await cluster.patch('machineclasses', 'bad', { providerSpec: { size: 'small' } });
    await untilHealth('the repaired deployment', () => cluster.deployment(name), healthy);
    await install(placeOf('bad'), poolOf('bad', 'bad', { size: 'small' }));
  });
});

describe('a machine', () => {
  const workloads = new Workloads(scenario);

  test('is in progress from its first moment on, and Degraded while a budget blocks its drain', async () => {
    const path = (name: string) => cluster.pathOf('machines', name);
    const name = await createMachine(scenario, 'one');
    const first = await healthOf(await cluster.machine(name));
    expect(first.kstatus.status).toBe('InProgress');
    await untilPhase(scenario, name, 'Running');
    await untilHealth('the machine', () => cluster.machine(name), healthy);
    await workloads.start({ app: 'web', nodeName: name });
    await workloads.guard('web', { app: 'web', minAvailable: 1 });
    await cluster.delete(path(name));
    const blocked = { kstatus: 'Terminating', argocd: 'Degraded' };
    const said = await untilHealth('the machine', () => cluster.machine(name), blocked);
    expect(said).toMatch(/web.*Remove what is in the way/s);
    await cluster.kube.delete(workloads.budgets('web'));
    await untilGone(scenario, path(name));
  });
});
