/** The Machines of a MachineDeployment, and their Nodes. */
import { labels } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { formFaults, isEmptySelector, matches } from '../../workflows/api/selector.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { customResource } from '../kube/client/paths.ts';
import { selectorText } from '../machine-set/selector.ts';

/**
 * All that its selector matches, whatever object controls them. A selector that asks for nothing
 * matches nothing.
 */
export async function machinesOf(
  control: KubeClient,
  { metadata, spec }: MachineDeployment,
): Promise<Machine[]> {
  if (isEmptySelector(spec.selector)) return [];
  const path = customResource('machines', metadata.namespace ?? '');
  if (formFaults(spec.selector).length === 0) {
    const labelSelector = selectorText(spec.selector);
    return (await control.list<Machine>(path, { labelSelector })).items;
  }
  // No list takes it, and what is wrong with it must get into the status all the same.
  const { items } = await control.list<Machine>(path);
  return items.filter((machine) => matches(spec.selector, machine.metadata.labels ?? {}));
}

/** The name is known before the Node has joined. */
export function nodeOf({ metadata }: Machine): string | undefined {
  return metadata.labels?.[labels.node] || undefined;
}
