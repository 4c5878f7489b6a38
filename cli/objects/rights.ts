/** Checks if the caller may do something: the API server is asked, nothing is tried. */
import type { KubeClient } from '../../kube/client/client.ts';
import { group } from '../../workflows/api/constants.ts';

export interface Right {
  verb: string;
  /** Empty: the core group. */
  group: string;
  /** As kubectl writes it: `machines`, or `machines/status`. */
  resource: string;
  /** Empty: of the whole cluster. */
  namespace: string;
}

interface Review {
  status?: { allowed?: boolean };
}

export const rightOnMachines = (verb: string, resource: string, namespace: string): Right => ({
  verb,
  group,
  resource,
  namespace,
});

export async function isAllowed(kube: KubeClient, right: Right): Promise<boolean> {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const review = await kube.create<Review>(path, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: attributesOf(right) },
  });
  return review.status?.allowed ?? false;
}

/** As `resourceAttributes` of a review. */
export function attributesOf({ resource, ...others }: Right): object {
  const [name = '', subresource] = resource.split('/');
  return { ...others, resource: name, ...(subresource !== undefined && { subresource }) };
}

/** Throws with the right that the caller lacks. */
export async function requireRight(kube: KubeClient, right: Right): Promise<void> {
  if (await isAllowed(kube, right)) return;
  throw new Error(`nothing was done: you lack the right to ${formatRight(right)}`);
}

/** Such as `patch deployments.apps in machines`. */
export function formatRight({ verb, resource, group: of, namespace }: Right): string {
  const [name = '', ...subresource] = resource.split('/');
  const full = [of === '' ? name : `${name}.${of}`, ...subresource].join('/');
  return `${verb} ${full}${namespace === '' ? '' : ` in ${namespace}`}`;
}
