/** A Node concerns the machines whose label `node` names it. */
import type { InPlaceNode } from '../../workflows/api/in-place.ts';
import type { NodeSnapshot } from '../../workflows/contracts/snapshots.ts';
import { nodeSnapshot } from '../../workflows/contracts/snapshots.ts';
import { pick } from '../../workflows/values/schema.ts';
import { nodeVersionAt } from './context.ts';
import type { ChangeOf, DispatchContext } from './context.ts';
import type { Signal } from './signal.ts';
import type { MachineView, NodeView } from '../cache/views.ts';

export function nodeSignals(change: ChangeOf<'nodes'>, context: DispatchContext): Signal[] {
  const { type, object: node, previous, resourceVersion } = change;
  const isNews = previous === undefined || hasRelevantChange(previous, node, context);
  if (type === 'live' && !isNews) return [];
  const exists = type === 'live';
  // The watch after the first list begins before it: it shows the end of a Node whose successor was
  // listed.
  if (!exists && context.store.find('nodes', node.name) !== undefined) return [];
  return [...context.store.machinesOfNode(node.name)].flatMap(
    (machine) => nodeSignal({ machine, node, exists, resourceVersion }, context) ?? [],
  );
}

function hasRelevantChange(before: NodeView, now: NodeView, context: DispatchContext): boolean {
  return (
    isOfOthers(before, context) !== isOfOthers(now, context) ||
    before.conditionsDigest !== now.conditionsDigest ||
    before.isReady !== now.isReady ||
    before.isDeleting !== now.isDeleting ||
    before.providerID !== now.providerID ||
    before.isWaitingForCriticalComponents !== now.isWaitingForCriticalComponents ||
    before.preserve !== now.preserve ||
    hasUpdateMoved(before.inPlace, now.inPlace) ||
    (now.isStripped === true && !before.isStripped)
  );
}

function hasUpdateMoved(before: InPlaceNode = {}, now: InPlaceNode = {}): boolean {
  const keys = ['isCandidate', 'isSelected', 'result', 'failedReason', 'reason', 'since'] as const;
  return keys.some((key) => before[key] !== now[key]);
}

/** Namespaces may share a target cluster. */
function isOfOthers({ machineNamespace }: NodeView, { namespace }: DispatchContext): boolean {
  return machineNamespace !== '' && machineNamespace !== namespace;
}

/** Phases of machines whose Node has never joined. */
const phasesBeforeJoining = new Set(['', 'Pending', 'CrashLoopBackOff']);

export const isBeforeJoining = ({ phase }: MachineView): boolean => phasesBeforeJoining.has(phase);

export interface NodeSeen {
  machine: MachineView;
  node: NodeView;
  /** Default true. */
  exists?: boolean;
  resourceVersion: string;
}

/**
 * Also of a Node that joins and is not ready yet: it gets what its Machine says of it before the
 * first pods come, and the Machine shows its conditions. Nothing for a machine that is being
 * deleted: its drain reads the Node itself.
 */
export function nodeSignal(seen: NodeSeen, context: DispatchContext): Signal | undefined {
  const { machine, node, exists = true, resourceVersion } = seen;
  if (machine.isDeleting) return undefined;
  const version = nodeVersionAt(context, resourceVersion);
  const others = isOfOthers(node, context) && { isOfOthers: true };
  const payload = pick<NodeSnapshot>({ ...node, ...version, exists, ...others }, nodeSnapshot);
  return {
    kind: 'machine',
    object: machine.name,
    name: 'nodeObserved',
    payload,
    cause: { resource: 'nodes', resourceVersion },
  };
}
