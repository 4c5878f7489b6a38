/**
 * Which workflows must hear of a change. Pure; decides nothing about machines. A change of what no workflow looks
 * at (own status echoes, heartbeats of Nodes) yields nothing.
 */
import { classSignals, secretSignals } from './classes.ts';
import { machineSignals } from './machines.ts';
import { nodeSignals } from './nodes.ts';
import { machineDeploymentSignals, machineSetSignals } from './sets.ts';
import { useSignals } from './finalizers.ts';
import type { Scene } from './context.ts';
import type { Signal } from './signal.ts';
import type { WatchedChange } from '../cache/store.ts';

/** `scene.store` already holds the change. */
export function dispatch(change: WatchedChange, scene: Scene): Signal[] {
  return [...signalsOf(change, scene), ...useSignals(change, scene)];
}

function signalsOf(change: WatchedChange, scene: Scene): Signal[] {
  switch (change.resource) {
    case 'machines':
      return machineSignals(change, scene);
    case 'machineSets':
      return machineSetSignals(change, scene);
    case 'machineDeployments':
      return machineDeploymentSignals(change, scene);
    case 'machineClasses':
      return classSignals(change, scene);
    case 'secrets':
      return secretSignals(change, scene);
    case 'nodes':
      return nodeSignals(change, scene);
  }
}
