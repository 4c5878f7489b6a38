/** The Machines of a MachineDeployment, and their Nodes. */
import { labels } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isEmptySelector, matches } from '../../workflows/api/selector.ts';
import { hasMachines } from '../../workflows/plan/machine-deployment/rollout/template-set.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { MachineLists } from '../runtime/dependencies.ts';

/**
 * All that its selector matches, whatever object controls them, and those of its sets from before
 * the selector was changed. A selector that asks for nothing matches nothing.
 */
export async function machinesOf(
  lists: MachineLists,
  { metadata: { namespace = '' }, spec }: MachineDeployment,
  sets: readonly MachineSet[],
): Promise<readonly Machine[]> {
  if (isEmptySelector(spec.selector)) return [];
  const selected = await lists.select(namespace, spec.selector);
  const isSelected = ({ metadata }: Labelled = {}) =>
    matches(spec.selector, metadata?.labels ?? {});
  const others: Machine[] = [];
  for (const set of sets) {
    if (!hasMachines(set) || isSelected(set.spec.template)) continue;
    const machines = await lists.select(namespace, set.spec.selector);
    const own = machines.filter((machine) => controllerOf(machine)?.uid === set.metadata.uid);
    others.push(...own.filter((machine) => !isSelected(machine)));
  }
  return others.length === 0 ? selected : [...selected, ...others];
}

interface Labelled {
  metadata?: { labels?: Record<string, string> };
}

/** The name is known before the Node has joined. */
export function nodeOf({ metadata }: Machine): string | undefined {
  return metadata.labels?.[labels.node] || undefined;
}
