/**
 * A DisruptionPolicy concerns the deployments that wait for it: where its spec changes, and where
 * another one gives something back. What was taken, and what is only counted, wakes none.
 */
import { selectsLabels } from '../../workflows/api/selector.ts';
import type { MachineDeploymentView, DisruptionPolicyView } from '../cache/views.ts';
import { versionAt } from './context.ts';
import type { ChangeOf, DispatchContext } from './context.ts';
import type { Signal } from './signal.ts';

export function policySignals(
  change: ChangeOf<'disruptionPolicies'>,
  context: DispatchContext,
): Signal[] {
  const { type, object, previous, resourceVersion } = change;
  const isOfSpec = type === 'gone' || previous?.specDigest !== object.specDigest;
  const takers = isOfSpec ? new Set<string>() : takersIn(object, previous);
  if (!isOfSpec && !hasEnded(object, previous, takers)) return [];
  const policies = previous ? [object, previous] : [object];
  return [...context.store.all('machineDeployments')]
    .filter((one) => policies.some((policy) => isConcerned(policy, one)))
    .filter(({ name }) => !takers.has(name))
    .map(({ name }) => ({
      kind: 'machineDeployment',
      object: name,
      name: 'machineSetsChanged',
      payload: versionAt(context, resourceVersion),
      cause: { resource: 'disruptionPolicies', resourceVersion },
    }));
}

/** A grant in whose place the same deployment has another one leaves no room. */
function hasEnded(
  { shares }: DisruptionPolicyView,
  previous: DisruptionPolicyView | undefined,
  takers: ReadonlySet<string>,
): boolean {
  const present = new Set(shares.map(({ key }) => key));
  const ended = (previous?.shares ?? []).filter(({ key }) => !present.has(key));
  return ended.some(({ deployment }) => !takers.has(deployment));
}

/** They wrote the change, and act on it. */
function takersIn(
  { shares }: DisruptionPolicyView,
  previous: DisruptionPolicyView | undefined,
): Set<string> {
  const known = new Set((previous?.shares ?? []).map(({ key }) => key));
  return new Set(shares.filter(({ key }) => !known.has(key)).map(({ deployment }) => deployment));
}

/** Failed machines wait also where nothing rolls. */
function isConcerned(
  { selector, namesRepair }: DisruptionPolicyView,
  { labels, figures }: MachineDeploymentView,
): boolean {
  return selectsLabels(selector, labels) && (namesRepair || figures.rollout !== 'complete');
}
