import type { LabelSelector } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { formFaults, isEmptySelector, matches } from '../../workflows/api/selector.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';

/**
 * The Machines that a selector matches, all of them without one. The API server refuses a list with
 * a malformed selector; what is wrong with it must get into the status all the same, so it is
 * evaluated here then.
 */
export async function listSelected(
  control: KubeClient,
  namespace: string,
  selector?: LabelSelector,
): Promise<Machine[]> {
  const path = customResource('machines', namespace);
  if (isEmptySelector(selector)) return (await control.list<Machine>(path)).items;
  if (formFaults(selector).length === 0) {
    const labelSelector = selectorText(selector);
    return (await control.list<Machine>(path, { labelSelector })).items;
  }
  const { items } = await control.list<Machine>(path);
  return items.filter((machine) => matches(selector, machine.metadata.labels ?? {}));
}

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
