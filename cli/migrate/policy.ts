/** The chart's admission policy that lets the worker alone change `spec.providerID`. */
import type { KubeClient, KubeObject } from '../../activities/kube/client/client.ts';
import type { Deployment } from './deployments.ts';
import { isRefusal } from '../../activities/kube/client/errors.ts';

interface Policy extends KubeObject {
  spec?: {
    matchConstraints?: {
      namespaceSelector?: { matchLabels?: Record<string, string> };
    };
    matchConditions?: readonly { expression: string }[];
  };
}

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const ending = '-provider-id';

/**
 * What to do where MCM could not record the machines that it creates; undefined where it can, and
 * where the person may not read policies. A user that a kubeconfig names is not known here: with
 * one of several users that MCM may be, the policy is taken to let MCM write.
 */
export async function policyAgainst(
  kube: KubeClient,
  namespace: string,
  mcm: readonly Deployment[],
): Promise<string | undefined> {
  const users = mcm.map(
    ({ spec }) =>
      `system:serviceaccount:${namespace}:${spec?.template?.spec?.serviceAccountName ?? 'default'}`,
  );
  if (users.length === 0) return undefined;
  const found = (await readPolicies(kube)).find(
    (policy) => isFor(policy, namespace) && !users.some((user) => lets(policy, user)),
  );
  if (!found) return undefined;
  return `admission policy ${found.metadata.name} keeps MCM (${users.join(', ')}) from writing spec.providerID: add its user to the value admission.providerIDWriters of the chart, or set admission.providerID to false`;
}

const isFor = ({ metadata, spec }: Policy, namespace: string): boolean =>
  metadata.name.endsWith(ending) &&
  spec?.matchConstraints?.namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name'] ===
    namespace;

const lets = ({ spec }: Policy, user: string): boolean =>
  spec?.matchConditions?.some(({ expression }) => expression.includes(JSON.stringify(user))) ??
  false;

async function readPolicies(kube: KubeClient): Promise<Policy[]> {
  try {
    return (await kube.list<Policy>(policies)).items;
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}
