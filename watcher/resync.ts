/** Signals for what happened while no watcher ran and gives no event. Pure; sent once a start. */
import { isBeforeJoining, nodeSignal } from './dispatch/nodes.ts';
import { withUnmatched } from './dispatch/machines.ts';
import { versionAt } from './dispatch/context.ts';
import type { DispatchContext } from './dispatch/context.ts';
import type { Signal } from './dispatch/signal.ts';
import type { MachineView } from './cache/views.ts';

/** Machines that had a Node and have none now. `nodesVersion`: of the list that did not have it. */
export function vanishedNodeSignals(context: DispatchContext, nodesVersion: string): Signal[] {
  return [...context.store.all('machines')].flatMap((machine) => {
    const { nodeName } = machine;
    if (nodeName === undefined || isBeforeJoining(machine)) return [];
    if (context.store.find('nodes', nodeName) !== undefined) return [];
    return missingNode(machine, nodeName, { context, nodesVersion }) ?? [];
  });
}

interface NodeListing {
  context: DispatchContext;
  nodesVersion: string;
}

/** Its UID is not known any more. */
function missingNode(machine: MachineView, name: string, where: NodeListing): Signal | undefined {
  const node = {
    uid: '',
    name,
    resourceVersion: where.nodesVersion,
    providerID: '',
    isReady: false,
    isDeleting: false,
    conditionsDigest: '',
    isWaitingForCriticalComponents: false,
    machineNamespace: '',
  };
  const seen = { machine, node, exists: false, resourceVersion: where.nodesVersion };
  return nodeSignal(seen, where.context);
}

/**
 * Nodes that are there, for Machines that wait for theirs, and for those that were signalled before
 * the Nodes were listed (`signalled`, by name). The Node itself may be older than the checkpoint.
 */
export function presentNodeSignals(
  context: DispatchContext,
  signalled: ReadonlySet<string>,
): Signal[] {
  return [...context.store.all('machines')].flatMap((machine) => {
    const { nodeName, name, resourceVersion } = machine;
    if (nodeName === undefined || !(isBeforeJoining(machine) || signalled.has(name))) return [];
    const node = context.store.find('nodes', nodeName);
    if (node === undefined) return [];
    const seen = nodeSignal({ machine, node, resourceVersion: node.resourceVersion }, context);
    return seen ? [{ ...seen, cause: { resource: 'machines', resourceVersion } }] : [];
  });
}

/** Sets that count other machines than there are, must let some go, or wait for their last one. */
export function miscountSignals(context: DispatchContext, machinesVersion: string): Signal[] {
  const counts = new Map<string, number>();
  for (const { owner } of context.store.all('machines')) {
    if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return [...context.store.all('machineSets')]
    .filter(
      ({ name, isDeleting, replicas }) =>
        isDeleting ||
        (counts.get(name) ?? 0) !== replicas ||
        context.store.mismatchesOf(name).length > 0,
    )
    .map(({ name }) => {
      const changed: Signal<'machinesChanged'> = {
        kind: 'machineSet',
        object: name,
        name: 'machinesChanged',
        payload: versionAt(context, machinesVersion),
        cause: { resource: 'machines', resourceVersion: machinesVersion },
      };
      return withUnmatched(changed, context);
    });
}
