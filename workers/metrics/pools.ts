/** Which pool a Machine belongs to. */
import type { StoreView } from '../../watcher/cache/store.ts';
import type { MachineView } from '../../watcher/cache/views.ts';

/** MCM takes the value of this label for the name of the MachineDeployment. */
export const poolLabel = 'name';

/** The MachineDeployment that its MachineSet is of; empty where there is none. */
export function deploymentOf({ owner }: MachineView, store: StoreView): string {
  return (owner !== undefined && store.find('machineSets', owner)?.owner) || '';
}
