/** Label selectors as Kubernetes reads them. */
import type { LabelSelector, LabelSelectorRequirement } from '../workflows/api/machine-set.ts';

type Labels = Record<string, string>;

/** An empty selector claims nothing: to a controller, "everything" is a mistake. */
export function matches(selector: LabelSelector | undefined, labels: Labels): boolean {
  const pairs = Object.entries(selector?.matchLabels ?? {});
  const requirements = selector?.matchExpressions ?? [];
  if (pairs.length + requirements.length === 0) return false;
  return (
    pairs.every(([key, value]) => labels[key] === value) &&
    requirements.every((requirement) => holds(requirement, labels))
  );
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
