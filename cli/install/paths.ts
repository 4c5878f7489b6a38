/** Paths of lists in one namespace, or in all. */
import type { MachineKind } from '../../kube/client/paths.ts';
import { customResource, disruptionPolicy, lease, namespaced } from '../../kube/client/paths.ts';
import { group, ownGroup } from '../../workflows/api/constants.ts';
import { deployments } from './deployments.ts';

export const machinesPath = (kind: MachineKind, namespace: string | undefined): string =>
  namespace === undefined ? `/apis/${group}/v1alpha1/${kind}` : customResource(kind, namespace);

export const policiesPath = (namespace: string | undefined): string =>
  namespace === undefined
    ? `/apis/${ownGroup}/v1alpha1/disruptionpolicies`
    : disruptionPolicy(namespace);

export const corePath = (resource: string, namespace: string | undefined): string =>
  namespace === undefined ? `/api/v1/${resource}` : namespaced(resource, namespace);

export const leasesPath = (namespace: string | undefined): string =>
  namespace === undefined ? '/apis/coordination.k8s.io/v1/leases' : lease(namespace);

export const deploymentsPath = (namespace: string | undefined): string =>
  namespace === undefined ? '/apis/apps/v1/deployments' : deployments(namespace);
