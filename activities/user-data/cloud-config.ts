/**
 * What operating-system-manager made for a MachineDeployment: a Secret with the key `cloud-config`,
 * in a namespace of its own. Kubermatic's machine-controller takes it at the create, and waits if
 * its revision is not that of the deployment, as it is deleted and made anew (sdk/bootstrap of
 * machine-controller, declared stable).
 */
import { annotations } from '../../workflows/api/constants.ts';
import { cloudInitSettings } from '../../workflows/api/user-data.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource, namespaced, type MachineKind } from '../../kube/client/paths.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { fitted } from '../../userdata/sizes.ts';
import { wholeForms, type MadeUserData } from './rendered.ts';

const revisionOfSecret = 'k8c.io/machine-deployment-revision';
/** On a MachineDeployment of machine-controller; ours is that of Kubernetes. */
const revisionOfTheirs = 'machinedeployment.clusters.k8s.io/revision';
const key = 'cloud-config';

interface Asked {
  machine: { namespace: string; name: string };
  /** Of the Secret. */
  name: string;
  provider: string;
}

/** `waits`: why there is none to be used yet. */
export async function readCloudConfig(
  control: KubeClient,
  { machine, name, provider }: Asked,
): Promise<MadeUserData | { waits: string } | { fault: string }> {
  const path = namespaced('secrets', cloudInitSettings, name);
  const secret = await ignoreNotFound(
    control.get<KubeObject & { data?: Record<string, string> }>(path),
  );
  const what = `Secret "${name}" in namespace ${cloudInitSettings}`;
  const text = Buffer.from(secret?.data?.[key] ?? '', 'base64').toString('utf8');
  if (!secret) return { waits: `${what} does not exist: operating-system-manager makes it` };
  if (text === '') return { waits: `${what} has no key "${key}" yet` };
  const wanted = await revisionFor(control, machine);
  const has = secret.metadata.annotations?.[revisionOfSecret] ?? '';
  if (wanted !== undefined && wanted !== has) {
    const made = `was made for revision "${has}" of the MachineDeployment, which has "${wanted}"`;
    return { waits: `${what} ${made} (annotation ${revisionOfSecret})` };
  }
  const filled = named(text, machine.name);
  const format = filled.trimStart().startsWith('{') ? 'ignition' : 'cloud-init';
  const fit = fitted(filled, { provider, format });
  if ('fault' in fit) return fit;
  return { ...fit, hidden: [filled, ...wholeForms(filled, fit.userData)] };
}

/** Both forms, as machine-controller does it: a file may stand in the text as a data URL. */
function named(text: string, machineName: string): string {
  return text
    .replaceAll('<MACHINE_NAME>', () => machineName)
    .replaceAll('%3CMACHINE_NAME%3E', () => encodeURIComponent(machineName));
}

/**
 * Undefined: no MachineDeployment stands behind the machine, and nothing is compared. A new set is
 * there a moment before its deployment says its revision: then the Secret of the template before
 * would do. A machine of an old set is made of the latest one, as machine-controller does it.
 */
async function revisionFor(
  control: KubeClient,
  { namespace, name }: Asked['machine'],
): Promise<string | undefined> {
  const read = async (kind: MachineKind, of: string): Promise<KubeObject | undefined> =>
    await ignoreNotFound(control.get<KubeObject>(customResource(kind, namespace, of)));
  const machine = await read('machines', name);
  const owner = machine && controllerOf(machine);
  const set = owner && (await read('machinesets', owner.name));
  const ref = set && controllerOf(set);
  const deployment = ref && (await read('machinedeployments', ref.name));
  if (!deployment) return undefined;
  const noted = revisionIn(deployment);
  const ofSet = revisionIn(set);
  return Number(ofSet ?? 0) > Number(noted ?? 0) ? ofSet : noted;
}

function revisionIn({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotations.revision] ?? metadata.annotations?.[revisionOfTheirs];
}
