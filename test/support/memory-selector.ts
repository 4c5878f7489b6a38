import type { KubeObject, Query } from '../../activities/kube/client/client.ts';

/** Whether a list with these selectors holds the object. */
export function isSelected(object: KubeObject, { labelSelector, fieldSelector }: Query): boolean {
  const labels = object.metadata.labels ?? {};
  const terms = String(labelSelector ?? '').match(/[^,(]+(\([^)]*\))?/g) ?? [];
  return terms.every((term) => holds(term.trim(), labels)) && isOnNode(object, fieldSelector);
}

function holds(term: string, labels: Record<string, string>): boolean {
  const listed = /^(\S+) (in|notin) \(([^)]*)\)$/.exec(term);
  if (listed) {
    const [, key = '', operator, list = ''] = listed;
    const isListed = key in labels && list.split(',').includes(labels[key] ?? '');
    return isListed === (operator === 'in');
  }
  if (term.startsWith('!')) return !(term.slice(1) in labels);
  const [name = '', value] = term.split('=');
  return value === undefined ? name in labels : labels[name] === value;
}

function isOnNode(object: object, fieldSelector: Query[string]): boolean {
  if (fieldSelector === undefined) return true;
  const [, wanted] = /^spec\.nodeName=(.*)$/.exec(String(fieldSelector)) ?? [];
  if (wanted === undefined) throw new Error(`field selector ${fieldSelector} is not known here`);
  return (object as { spec?: { nodeName?: string } }).spec?.nodeName === wanted;
}
