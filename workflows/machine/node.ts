/** The Node of a Machine: what was seen of it, and what is left to be done to it. */
import type { NodeSnapshot } from '../contracts/snapshots.ts';
import type { NodeSyncOutcome } from '../contracts/node-activities.ts';
import type { ReadNode } from '../contracts/snapshots.ts';
import { isUsableNode } from '../contracts/snapshots.ts';
import type { SnapshotVersion } from '../contracts/references.ts';
import { isNewer } from '../contracts/references.ts';
import type { NodeTemplate } from '../plan/machine/node-template.ts';
import { isSameInstance } from '../values/provider-id.ts';
import type { MachineState, NodeState } from './state.ts';
import { instanceOf, isRecorded } from './state.ts';

export function observeNode(state: MachineState, seen: NodeSnapshot): boolean {
  const { node, health } = state;
  const before = node.seen;
  if (before?.uid === seen.uid && !isNewer(seen, before)) return false;
  node.seen = seen;
  if (health !== undefined && seen.exists) noteLack(state, before, seen);
  return true;
}

/** Notes what the Node of a machine that has joined lacks. */
function noteLack(
  state: MachineState,
  before: NodeSnapshot | undefined,
  { uid, isDeleting, isStripped }: NodeSnapshot,
): void {
  // A Node that registers anew has nothing yet of what the Machine says of it.
  if (before !== undefined && before.uid !== uid) noteBehind(state);
  if (isStripped && !isDeleting) noteStripped(state, Date.now());
}

/** As late as MCM v0.62.1 does it: another program may undo at once what we wrote. */
const mendEveryMs = 10 * 60_000;

function noteStripped({ node }: MachineState, now: number): void {
  if (node.behind) return;
  const from = Math.max(now, (node.mendedAt ?? -Infinity) + mendEveryMs);
  node.mendedAt = from;
  node.behind = from > now ? { from } : {};
}

/**
 * A Node that we read ourselves: what the watcher signals of it from then on is later, or comes
 * with a higher epoch.
 */
export function noteReadNode({ node, object }: MachineState, read: ReadNode): void {
  const known = node.seen?.uid === read.uid ? node.seen : undefined;
  const { cluster = object.observed?.cluster ?? '', epoch = 0 } = known ?? {};
  const seen: NodeSnapshot = { ...read, cluster, epoch, exists: true, conditionsDigest: '' };
  if (!isNewer(known ?? seen, seen)) node.seen = seen;
}

/** Notes a write to the Node as it was `before`. A signal that came meanwhile is newer. */
export function noteWritten(
  { node }: MachineState,
  before: NodeSnapshot | undefined,
  after: NodeSnapshot,
): void {
  if (node.seen === before) node.seen = after;
}

/** The Machine changed: its Node has to follow at once. */
export function noteBehind({ node }: MachineState): void {
  const { from: _later, ...behind } = node.behind ?? {};
  node.behind = behind;
}

/** The class changed. */
export function noteClassBehind({ node }: MachineState, seen: SnapshotVersion): void {
  if (isNewer(seen, node.behind?.class)) node.behind = { class: seen };
}

/** The Node is about to be updated: what changes from here on is for another step. */
export function takeBehind({ node }: MachineState): NodeState['behind'] {
  const { behind } = node;
  delete node.behind;
  return behind;
}

/** The update failed. */
export function putBehindBack({ node }: MachineState, behind: NodeState['behind']): void {
  node.behind = Object.assign({}, behind, node.behind);
}

/** The node template is about to be applied. Returns whether it is the first time for this Node. */
export function noteEquipped({ node }: MachineState, seen: NodeSnapshot): boolean {
  const isFresh = node.equipped?.uid !== seen.uid;
  node.equipped = { uid: seen.uid, seen: digestOf(seen) };
  return isFresh;
}

/** The template is about to be applied. Returns what was before, which may be what comes of it. */
export function takeApplied({ node }: MachineState, next: NodeTemplate = {}): NodeState['applied'] {
  const { applied } = node;
  if (applied) node.applied = bothOf(applied, next);
  return applied;
}

/** However often it is tried, each key stands there once. */
function bothOf(a: NodeTemplate, b: NodeTemplate): NodeTemplate {
  const taints = [...(a.taints ?? []), ...(b.taints ?? [])];
  const distinct = new Map(taints.map((taint) => [`${taint.key}:${taint.effect}`, taint]));
  return {
    labels: { ...a.labels, ...b.labels },
    annotations: { ...a.annotations, ...b.annotations },
    taints: [...distinct.values()],
  };
}

export function noteApplied(
  { node }: MachineState,
  template: NodeTemplate = {},
  outcome: NodeSyncOutcome = {},
): void {
  if (outcome.isApplied) node.applied = template;
}

/** It was decided what becomes of the Machine of a Node that went. */
export function noteLossHandled({ node }: MachineState, seen: NodeSnapshot): void {
  node.lossSeen = digestOf(seen);
}

export function noteJoined({ node }: MachineState, uid: string): void {
  node.joinedUid = uid;
  delete node.isContested;
}

/** Notes that the machine has joined, in an earlier run or by an earlier Node of its instance. */
export function noteJoinedBy({ node }: MachineState, own: NodeSnapshot | undefined): void {
  if (own && own.providerID !== '') node.joinedUid = own.uid;
}

/** UID of the Node that the machine has joined by, as long as that is the one seen last. */
export function joinedUidOf({ node }: MachineState): string | undefined {
  return node.seen?.uid === node.joinedUid ? node.joinedUid : undefined;
}

/** The Node changed since it was seen. Its next state may have been signalled already. */
export function noteNotJoined(
  { node }: MachineState,
  before: NodeSnapshot,
  isContested: boolean,
): void {
  if (node.seen === before) delete node.seen;
  node.isContested = isContested;
}

/** The Machine names another Node: whose the former one is says nothing of this one. */
export function noteOtherNode({ node }: MachineState): void {
  delete node.isContested;
}

export function mustCheckName({ node }: MachineState): void {
  node.mustCheckName = true;
}

/** The Node is one of this Machine, and goes before the new one is to join. */
export function mustClearName({ node }: MachineState): void {
  delete node.mustCheckName;
  node.mustClearName = true;
}

export function noteNameChecked({ node }: MachineState): void {
  delete node.mustCheckName;
  delete node.mustClearName;
}

/** Digest by which the plan compares a Node with an earlier state of it, without heartbeats. */
export function digestOf(node: NodeSnapshot | undefined): string {
  if (!node) return '';
  const { uid, exists, isDeleting, conditionsDigest } = node;
  return `${uid} ${exists ? 'there' : 'gone'}${isDeleting ? ' deleting' : ''} ${conditionsDigest}`;
}

/** The Node that was seen last, if it is of this machine's instance. */
export function ownNodeOf(state: MachineState): NodeSnapshot | undefined {
  const { seen } = state.node;
  const instance = instanceOf(state);
  if (!seen || seen.name !== instance?.nodeName) return undefined;
  return isSameInstance(seen.providerID, instance.providerID) ? seen : undefined;
}

export function isNodeReady(state: MachineState): boolean {
  const node = ownNodeOf(state);
  return node !== undefined && isUsableNode(node);
}

export function isNodeBehind(state: MachineState): boolean {
  const { behind, equipped } = state.node;
  if (state.phase === 'Running') return behind !== undefined && instanceOf(state) !== undefined;
  const node = joiningNodeOf(state);
  if (!node?.exists || node.isDeleting) return false;
  return behind !== undefined || digestOf(node) !== equipped?.seen;
}

/**
 * A watcher that began anew knows only that there is no Node, maybe as there never was one: of that
 * it has no UID, and the creation timeout is for it.
 */
export function hasLostNode(state: MachineState): boolean {
  const node = joiningNodeOf(state);
  if (!node || node.uid === '' || (node.exists && !node.isDeleting)) return false;
  return digestOf(node) !== state.node.lossSeen;
}

/** The Node of a machine that waits for it to become Ready. */
function joiningNodeOf(state: MachineState): NodeSnapshot | undefined {
  return state.phase === 'Pending' && isRecorded(state) ? ownNodeOf(state) : undefined;
}
