/** What scenarios do with MachineSets of their own. */
import { apiVersion } from '../../../workflows/api/constants.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { MachineSpec } from '../../../workflows/api/machine.ts';
import { untilGone } from './machines.ts';
import { className } from './manifests.ts';
import type { Scenario } from './scenario.ts';

/** Selects by the label `set`, which has the set's own name. Returns the name. */
export async function createSet(
  scenario: Scenario,
  short: string,
  { replicas, ...spec }: MachineSpec & { replicas: number },
): Promise<string> {
  const { name, namespace } = scenario.named(short);
  await scenario.cluster.create('machinesets', {
    apiVersion,
    kind: 'MachineSet',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { set: name } },
      template: {
        metadata: { labels: { set: name } },
        spec: { class: { kind: 'MachineClass', name: className }, ...spec },
      },
    },
  });
  return name;
}

export async function readSet({ cluster }: Scenario, name: string): Promise<MachineSet> {
  return await cluster.kube.get<MachineSet>(cluster.pathOf('machinesets', name));
}

export async function deleteSet(scenario: Scenario, name: string, options?: object): Promise<void> {
  const { cluster } = scenario;
  const path = cluster.pathOf('machinesets', name);
  await cluster.kube.delete(path, options);
  await untilGone(scenario, path);
}
