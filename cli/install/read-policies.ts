import type { KubeClient } from '../../kube/client/client.ts';
import { isForbidden } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { ownGroup } from '../../workflows/api/constants.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import { policiesPath } from './paths.ts';

/** None where their CRD is not installed, whatever the rights are. Undefined namespace: all. */
export async function readPolicies(
  kube: KubeClient,
  namespace: string | undefined,
): Promise<DisruptionPolicy[]> {
  try {
    const list = await ignoreNotFound(kube.list<DisruptionPolicy>(policiesPath(namespace)));
    return list?.items ?? [];
  } catch (error) {
    // Rights are asked for before it is known whether there is such a kind.
    if (isForbidden(error) && !(await servesPolicies(kube))) return [];
    throw error;
  }
}

export async function servesPolicies(kube: KubeClient): Promise<boolean> {
  return (await ignoreNotFound(kube.get<object>(`/apis/${ownGroup}/v1alpha1`))) !== undefined;
}
