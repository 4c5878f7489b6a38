/** Paths of the resources that we read and write. */
import { group, ownGroup } from '../../workflows/api/constants.ts';
import { kubermaticApiVersion } from '../../workflows/api/kubermatic-names.ts';

export type MachineKind = 'machines' | 'machinesets' | 'machinedeployments' | 'machineclasses';

export const customResource = (kind: MachineKind, namespace: string, name?: string): string =>
  `/apis/${group}/v1alpha1/namespaces/${namespace}/${kind}${name === undefined ? '' : `/${name}`}`;

export type KubermaticKind = 'machines' | 'machinesets' | 'machinedeployments';

export const kubermaticKinds: readonly KubermaticKind[] = [
  'machinedeployments',
  'machinesets',
  'machines',
];

export const kubermaticApi = `/apis/${kubermaticApiVersion}`;

/**
 * The CRDs may be absent: then all of these are answered with 404. `namespace` undefined: of all.
 */
export const kubermatic = (kind: KubermaticKind, namespace?: string, name?: string): string => {
  const place = namespace === undefined ? kind : `namespaces/${namespace}/${kind}`;
  return `${kubermaticApi}/${place}${name === undefined ? '' : `/${name}`}`;
};

/** The CRD may be absent: then all of these are answered with 404. */
export const disruptionPolicy = (namespace: string, name?: string): string =>
  `/apis/${ownGroup}/v1alpha1/namespaces/${namespace}/disruptionpolicies${name === undefined ? '' : `/${name}`}`;

export const namespaced = (resource: string, namespace: string, name?: string): string =>
  `/api/v1/namespaces/${namespace}/${resource}${name === undefined ? '' : `/${name}`}`;

export const node = (name?: string): string =>
  `/api/v1/nodes${name === undefined ? '' : `/${name}`}`;

export const lease = (namespace: string, name?: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name === undefined ? '' : `/${name}`}`;
