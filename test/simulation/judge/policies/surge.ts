/** Machines above `replicas` by a DisruptionPolicy, and those that stay available for them. */
import { boundsOf } from '../bounds.ts';
import type { JudgedObject } from '../objects.ts';
import type { ClusterPast } from '../past/cluster-past.ts';
import type { Life } from '../past/lives.ts';
import type { Span } from './calendar.ts';
import { holdingFor } from './gates.ts';
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

/**
 * How many machines had to be available: in its turn, with a surge that is larger than its own, a
 * deployment drains nothing before the new machine is there. 0 without such a policy.
 */
export function leastByPolicies(past: ClusterPast, deployment: Life, span: Span): number {
  const owners = deployment.states.since(span.from).flatMap((object) => object ?? []);
  const isLarger = owners.every(isRolling);
  const own = Math.max(...owners.map((object) => boundsOf(object).most - replicasOf(object)));
  const holding = holdingFor({ past, deployment, reason: 'Rollout', span });
  const isKept = holding.some(({ life, specs }) => {
    const isOfTurn = life.hasBeenSince(span.from, (object) =>
      (policyOf(object).status?.turns ?? []).some(({ uid }) => uid === deployment.uid),
    );
    return isOfTurn && specs.every(({ surge = 0 }) => surge > own);
  });
  return isKept && isLarger ? Math.min(...owners.map(replicasOf)) : 0;
}

const replicasOf = ({ spec }: JudgedObject): number => spec?.replicas ?? 0;

function isRolling({ spec, metadata }: JudgedObject): boolean {
  const isOnDelete = metadata.annotations?.['millwright.dev/on-delete'] === 'true';
  return spec?.strategy?.type === 'RollingUpdate' && !isOnDelete;
}
