/** The Machines of a MachineDeployment, and their Nodes. */
import { labels } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { isEmptySelector } from '../../workflows/api/selector.ts';
import type { MachineLists } from '../runtime/dependencies.ts';

/**
 * All that its selector matches, whatever object controls them. A selector that asks for nothing
 * matches nothing.
 */
export async function machinesOf(
  lists: MachineLists,
  { metadata, spec }: MachineDeployment,
): Promise<readonly Machine[]> {
  if (isEmptySelector(spec.selector)) return [];
  return await lists.select(metadata.namespace ?? '', spec.selector);
}

/** The name is known before the Node has joined. */
export function nodeOf({ metadata }: Machine): string | undefined {
  return metadata.labels?.[labels.node] || undefined;
}
