/** What the DisruptionPolicies of a namespace let a simulated rollout do. */
import { termsAmong } from '../../activities/disruption/gate.ts';
import type { NamespaceObjects } from '../../activities/disruption/going.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { disruptionPolicy } from '../../kube/client/paths.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { SimulatedPolicies } from './simulation.ts';

/** None where their CRD is not served; undefined where the caller may not read them. */
export async function readPolicies({
  kube,
  namespace,
}: ClusterScope): Promise<DisruptionPolicy[] | undefined> {
  try {
    const list = kube.list<DisruptionPolicy>(disruptionPolicy(namespace));
    return (await ignoreNotFound(list))?.items ?? [];
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/**
 * Other deployments stay as they are, but for their machines that are on their way: these are there
 * at `settledAt`, milliseconds. For the turn of another one it waits without end.
 */
export function policiesAmong(
  policies: readonly DisruptionPolicy[],
  present: NamespaceObjects,
  settledAt: number,
): SimulatedPolicies {
  return ({ deployment, sets, machines }, now) => {
    const { uid, name } = deployment.metadata;
    const others = present.sets.filter((set) => controllerOf(set)?.uid !== uid);
    const uids = new Set(others.map(({ metadata }) => metadata.uid));
    const moving = now < settledAt ? present.machines : [];
    const objects = {
      deployments: [
        ...present.deployments.filter(({ metadata }) => metadata.name !== name),
        deployment,
      ],
      sets: [...others, ...sets],
      machines: [...moving.filter((one) => uids.has(controllerOf(one)?.uid ?? '')), ...machines],
    };
    const terms = termsAmong(policies, { deployment, objects, now });
    const { closed, machines: room } = terms?.gate ?? {};
    if (!terms || closed?.kind !== 'turn') return terms;
    return { ...terms, gate: { closed, ...(room && { machines: room }) } };
  };
}
