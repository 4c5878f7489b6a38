/** A tenant that writes the largest objects that an API server takes. */
import { isAlreadyExists } from '../../kube/client/errors.ts';
import { namespaced } from '../../kube/client/paths.ts';
import type { Cluster } from '../e2e/support/cluster.ts';
import { classManifest, machineManifest, secretManifest } from '../e2e/support/manifests.ts';

const name = 'chaos-worst';
const podNames = ['0', '1', '2'].map((ordinal) => `${name}-${ordinal}`);
/** A Secret may have 1 MiB, all annotations of an object 256 KiB. */
const userData = 'x'.repeat(1_000_000);
const annotations = { 'example.com/notes': 'x'.repeat(250_000) };

/** A machine of a large class with a large Secret, which makes a large Node, and large pods. */
export async function createWorst(cluster: Cluster): Promise<string> {
  const { kube, namespace } = cluster;
  const worst = { namespace, name };
  const pods = podNames.map((podName) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName, annotations },
    spec: { containers: [{ name: 'app', image: 'nothing' }] },
  }));
  const machine = machineManifest(worst, { class: { kind: 'MachineClass', name } });
  const providerSpec = { annotations };
  const objects: [path: string, object][] = [
    [namespaced('secrets', namespace), secretManifest(worst, { userData })],
    [cluster.pathOf('machineclasses'), classManifest(worst, { providerSpec, secret: name })],
    [cluster.pathOf('machines'), withAnnotations(machine)],
    ...pods.map((pod): [string, object] => [namespaced('pods', namespace), pod]),
  ];
  for (const [path, object] of objects) {
    try {
      await kube.create(path, object);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
  return name;
}

export async function deleteWorst(cluster: Cluster): Promise<void> {
  const { namespace } = cluster;
  await cluster.delete(cluster.pathOf('machines', name));
  await cluster.delete(cluster.pathOf('machineclasses', name));
  await cluster.delete(namespaced('secrets', namespace, name));
  for (const podName of podNames) await cluster.delete(namespaced('pods', namespace, podName));
}

function withAnnotations(manifest: object): object {
  const { metadata }: { metadata?: object } = manifest;
  return { ...manifest, metadata: { ...metadata, annotations } };
}
