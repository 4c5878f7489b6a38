import type { LabelSelector } from '../../workflows/api/machine-set.ts';

/** A label selector as the API server takes it in a query: `a=b,c in (d,e),!f`. */
export function selectorText(selector: LabelSelector | undefined): string {
  const pairs = Object.entries(selector?.matchLabels ?? {}).map(
    ([key, value]) => `${key}=${value}`,
  );
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return [...pairs, ...expressions].join(',');
}
