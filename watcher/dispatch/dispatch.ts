/**
 * Which workflows are signalled for a change. A pure function, which decides nothing about
 * machines. A change of something that no workflow reads, such as our own status writes or the
 * heartbeats of Nodes, gives no signal.
 */
import { classSignals, configMapSignals, secretSignals } from './classes.ts';
import { machineSignals } from './machines.ts';
import { nodeSignals } from './nodes.ts';
import { policySignals } from './policies.ts';
import { machineDeploymentSignals, machineSetSignals } from './sets.ts';
import { useSignals } from './finalizers.ts';
import type { DispatchContext } from './context.ts';
import type { Signal } from './signal.ts';
import type { WatchedChange } from '../cache/store.ts';

/** `context.store` already holds the change. */
export function dispatch(change: WatchedChange, context: DispatchContext): Signal[] {
  return [...signalsOf(change, context), ...useSignals(change, context)];
}

function signalsOf(change: WatchedChange, context: DispatchContext): Signal[] {
  switch (change.resource) {
    case 'machines':
      return machineSignals(change, context);
    case 'machineSets':
      return machineSetSignals(change, context);
    case 'machineDeployments':
      return machineDeploymentSignals(change, context);
    case 'machineClasses':
      return classSignals(change, context);
    case 'secrets':
      return secretSignals(change, context);
    case 'nodes':
      return nodeSignals(change, context);
    case 'disruptionPolicies':
      return policySignals(change, context);
    case 'configMaps':
      return configMapSignals(change, context);
  }
}
