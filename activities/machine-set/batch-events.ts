/** Events about batches: one a batch, where MCM writes one a machine. */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { apiVersion, eventComponents } from '../../workflows/api/constants.ts';
import type { EventSubject } from '../../kube/objects/event.ts';

export const component = eventComponents.machineSet;

/** MCM's words for one machine. */
export function listOf(names: string[]): string {
  return names.length === 1
    ? `Machine: ${names[0]}`
    : `${names.length} Machines: ${names.join(', ')}`;
}

export function setSubject({ namespace, name, uid }: ObjectReference): EventSubject {
  return { apiVersion, kind: 'MachineSet', namespace, name, uid };
}
