import type { KubeClient } from '../../kube/client/client.ts';
import { isForbidden } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { isServed } from '../../kube/client/served.ts';
import { policyResource } from '../../kube/objects/disruption-policies.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import { policiesPath } from './paths.ts';

/** None where their CRD is not installed, also without rights. Undefined namespace: all. */
export async function readPolicies(
  kube: KubeClient,
  namespace: string | undefined,
): Promise<DisruptionPolicy[]> {
  try {
    const list = await ignoreNotFound(kube.list<DisruptionPolicy>(policiesPath(namespace)));
    return list?.items ?? [];
  } catch (error) {
    // Rights are asked for before it is known whether there is such a kind.
    if (isForbidden(error) && !(await isServed(kube, policyResource))) return [];
    throw error;
  }
}
