import type { MachineKind } from '../../activities/kube/client/paths.ts';
import { customResource, namespaced, node } from '../../activities/kube/client/paths.ts';
import type { KubeObject } from '../../activities/kube/client/client.ts';

const customKinds: Record<string, MachineKind> = {
  Machine: 'machines',
  MachineSet: 'machinesets',
  MachineDeployment: 'machinedeployments',
  MachineClass: 'machineclasses',
};

/** Of the other groups that we look at. */
const groups: Record<string, string> = {
  Lease: '/apis/coordination.k8s.io/v1',
  PodDisruptionBudget: '/apis/policy/v1',
  VolumeAttachment: '/apis/storage.k8s.io/v1',
};

/** Where the API server keeps an object of this kind and name. */
export function pathOf({ kind = '', metadata }: KubeObject): string {
  const { namespace = '', name } = metadata;
  const custom = customKinds[kind];
  if (custom) return customResource(custom, namespace, name);
  const group = groups[kind];
  if (group !== undefined) {
    const where = namespace === '' ? '' : `/namespaces/${namespace}`;
    return `${group}${where}/${kind.toLowerCase()}s/${name}`;
  }
  if (kind === 'Namespace') return `/api/v1/namespaces/${name}`;
  return kind === 'Node' ? node(name) : namespaced(`${kind.toLowerCase()}s`, namespace, name);
}
