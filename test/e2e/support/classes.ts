/** MachineClasses of other providers than the virtual cloud, and their Secrets. */
import { namespaced } from '../../../kube/client/paths.ts';
import { classManifest, secretManifest } from './manifests.ts';
import type { Scenario } from './scenario.ts';

/** With the Secret of the scenario by default. */
export async function createClass(
  scenario: Scenario,
  name: string,
  changes: { provider: string; providerSpec?: object; secret?: string },
): Promise<void> {
  const { cluster, namespace } = scenario;
  await cluster.create('machineclasses', classManifest({ namespace, name }, changes));
}

export async function createSecret(
  { cluster, namespace }: Scenario,
  name: string,
  data: Record<string, string>,
): Promise<void> {
  const secret = secretManifest({ namespace, name }, data);
  await cluster.kube.create(namespaced('secrets', namespace), secret);
}
