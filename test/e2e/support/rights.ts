/** The rights of watcher and workers in a namespace that a test made. */
import {
  isRole,
  namespacedRoles,
  rightsIn,
  rightsOfFront,
  rightsOfFleet,
  rightsOfCluster,
  type Manifest,
} from '../../../deploy/local/cluster/rights.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import type { Cluster } from './cluster.ts';
import { writeAccountKubeconfig, type Account } from './service-accounts.ts';

const plurals: Readonly<Record<string, string>> = {
  ServiceAccount: 'serviceaccounts',
  Deployment: 'deployments',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
};

/** With the rights of watcher and workers. `kube` is an administrator's. */
export async function createNamespace(
  kube: KubeClient,
  namespace: string,
  { fleet }: { fleet?: string } = {},
): Promise<void> {
  const labels = fleet === undefined ? {} : { fleet };
  for (const manifest of rightsIn(namespace).filter(isOfCluster)) {
    await kube.create(pathOf(manifest), manifest);
  }
  await kube.create('/api/v1/namespaces', { metadata: { name: namespace, labels } });
  for (const manifest of rightsIn(namespace).filter((one) => !isOfCluster(one))) {
    await kube.create(pathOf(manifest), manifest);
  }
}

const isOfCluster = ({ metadata }: Manifest): boolean => metadata.namespace === undefined;

/** What the processes of a fleet need beside: its namespaces, and the kubeconfigs in them. */
export async function grantFleet(kube: KubeClient, name: string): Promise<void> {
  for (const manifest of fleetRights(name)) await kube.create(pathOf(manifest), manifest);
}

export async function revokeFleet(kube: KubeClient, name: string): Promise<void> {
  for (const manifest of fleetRights(name)) {
    await ignoreNotFound(kube.delete(`${pathOf(manifest)}/${manifest.metadata.name}`));
  }
}

function fleetRights(name: string): Manifest[] {
  return rightsOfFleet().map((manifest) => ({
    ...manifest,
    metadata: { name: `${name}.${manifest.metadata.name}` },
    ...('roleRef' in manifest && { roleRef: refTo(name, manifest.metadata) }),
  }));
}

function refTo(fleet: string, { name }: { name: string }) {
  return {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    name: `${fleet}.${name}`,
  };
}

/** In a namespace that is there. */
export async function grantFront(kube: KubeClient, namespace: string): Promise<void> {
  for (const manifest of rightsOfFront(namespace)) await kube.create(pathOf(manifest), manifest);
}

/** Those that are not of the namespace itself, which takes the others along. */
export async function revokeRights(kube: KubeClient, namespace: string): Promise<void> {
  const ofCluster = [...rightsIn(namespace), ...rightsOfFront(namespace)].filter(isOfCluster);
  for (const manifest of ofCluster)
    await ignoreNotFound(kube.delete(`${pathOf(manifest)}/${manifest.metadata.name}`));
}

/**
 * For a ServiceAccount that has all rights in all namespaces, as the chart has it with
 * `rbac.clusterWide`: they outlast the namespace.
 */
export async function grantEverywhere(cluster: Cluster, account: Account): Promise<void> {
  const { kube, namespace: machines } = cluster;
  const { namespace, name } = account;
  await kube.create('/api/v1/namespaces', { metadata: { name: machines } });
  await kube.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
  const roles = [...namespacedRoles(), ...rightsOfCluster().filter(isRole)];
  const role: Manifest & { rules: unknown[] } = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    // The Lease is called after the namespace.
    rules: [
      ...roles.flatMap(({ rules }) => rules),
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: [`millwright-${machines}`],
        verbs: ['get', 'update', 'watch'],
      },
    ],
  };
  const binding = {
    ...role,
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
  };
  for (const manifest of [role, binding]) await kube.create(pathOf(manifest), manifest);
  await writeAccountKubeconfig(kube, account);
}

export function pathOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const group = apiVersion === 'v1' ? '/api' : '/apis';
  return `${group}/${apiVersion}${scope}/${plurals[kind]}`;
}
