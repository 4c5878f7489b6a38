/** Label selectors as Kubernetes reads them. */
import type { LabelSelector, LabelSelectorRequirement } from './machine-set.ts';

type Labels = Record<string, string>;

/** An empty selector claims nothing: to a controller, "everything" is a mistake. */
export function matches(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (isEmptySelector(selector)) return false;
  return (
    Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector?.matchExpressions ?? []).every((requirement) => holds(requirement, labels))
  );
}

/** It asks for nothing. */
export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** A label that is missing is not in any list of values. An unknown operator holds for nothing. */
function holds({ key, operator, values = [] }: LabelSelectorRequirement, labels: Labels): boolean {
  const value = labels[key];
  const isListed = value !== undefined && values.includes(value);
  if (operator === 'In') return isListed;
  if (operator === 'NotIn') return !isListed;
  if (operator === 'Exists') return value !== undefined;
  return operator === 'DoesNotExist' && value === undefined;
}
