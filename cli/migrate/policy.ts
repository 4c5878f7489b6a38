/** The chart's admission policy that lets the worker alone change `spec.providerID`. */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import type { Deployment } from '../install/deployments.ts';
import { isNotFound, isRefusal } from '../../kube/client/errors.ts';
import type { LabelSelector } from '../../workflows/api/machine-set.ts';
import { selectsLabels } from '../../workflows/api/selector.ts';

interface Policy extends KubeObject {
  spec?: {
    matchConstraints?: {
      namespaceSelector?: LabelSelector;
    };
    matchConditions?: readonly { expression: string }[];
  };
}

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const ending = '-provider-id';

/**
 * Advises where MCM could not record the machines that it creates; undefined where it can, and
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
  const labels = await labelsOf(kube, namespace);
  const found = (await readPolicies(kube)).find(
    (policy) => isFor(policy, labels) && !users.some((user) => lets(policy, user)),
  );
  if (!found) return undefined;
  return `admission policy ${found.metadata.name} keeps MCM (${users.join(', ')}) from writing spec.providerID: add its user to the value admission.providerIDWriters of the chart, or set admission.providerID to false`;
}

/** To admission an empty selector is one of all namespaces. */
function isFor({ metadata, spec }: Policy, labels: Record<string, string>): boolean {
  const selector = spec?.matchConstraints?.namespaceSelector;
  return metadata.name.endsWith(ending) && selectsLabels(selector, labels);
}

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

/** A fleet may go by any label; where the person may not read the Namespace, by its name. */
async function labelsOf(kube: KubeClient, namespace: string): Promise<Record<string, string>> {
  const name = { 'kubernetes.io/metadata.name': namespace };
  try {
    const { metadata } = await kube.get<KubeObject>(`/api/v1/namespaces/${namespace}`);
    return { ...metadata.labels, ...name };
  } catch (error) {
    if (isRefusal(error) || isNotFound(error)) return name;
    throw error;
  }
}
