/** Label selectors as the disruption controller reads them. */

export interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** An empty selector selects everything, a missing one nothing. */
export function selects(
  selector: Selector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      const isListed = value !== undefined && values.includes(value);
      if (operator === 'In') return isListed;
      if (operator === 'NotIn') return !isListed;
      return (value !== undefined) === (operator === 'Exists');
    })
  );
}
