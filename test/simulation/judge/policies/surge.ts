/** Machines above `replicas` by a DisruptionPolicy. */
import type { ClusterPast } from '../past/cluster-past.ts';
import type { Life } from '../past/lives.ts';
import { policyOf, selects } from './policy-of.ts';

/** The most that a deployment may have had since then, were it its turn; 0 without a policy. */
export function mostByPolicies(past: ClusterPast, deployment: Life, since: number): number {
  const owners = deployment.states.since(since).flatMap((object) => object ?? []);
  const replicas = Math.max(0, ...owners.map(({ spec }) => spec?.replicas ?? 0));
  const surges = past.policies.all().flatMap(({ states, last }) =>
    states.since(since).flatMap((object) => {
      if (!object || last.metadata.namespace !== deployment.last.metadata.namespace) return [];
      const policy = policyOf(object);
      const isOfTurn = policy.spec.atATime?.deployments === 1;
      return isOfTurn && owners.some((one) => selects(policy, one)) ? (policy.spec.surge ?? 0) : [];
    }),
  );
  return surges.length === 0 ? 0 : replicas + Math.max(...surges);
}
