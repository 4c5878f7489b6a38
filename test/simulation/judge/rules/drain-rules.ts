/** Whose Nodes are drained, and when pods go by force (MCM 4.7 step 4; docs/drain.md). */
import { isUnderWay } from '../in-place.ts';
import { isDeleting, phaseOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';
import { earliestForce, endOfDrain } from './drain-ends.ts';
import type { Drain } from './drain-ends.ts';
import { judgeHeldDrain } from './hook-rules.ts';

const minuteMs = 60_000;
/** Clocks differ by half a minute, and a time on an object has no fractions. */
const slackMs = 45_000;
/** After a restore a drain that is under way finds out at its next read. */
const restoredForMs = 10 * minuteMs;
const drainUntil = 'millwright.dev/drain-until';
const skipDrain = 'millwright.dev/skip-drain';

/** A cordon. */
export function judgeCordon(judged: Case): void {
  const { before, after } = judged;
  if (before && after && isClosed(after) && !isClosed(before)) judgeDrained(judged, before);
  noteCordon(judged);
}

function isClosed({ spec, status }: JudgedObject): boolean {
  const isTerminating = status?.conditions?.some(
    ({ type, status: value }) => type === 'Terminating' && value === 'True',
  );
  return spec?.unschedulable === true || Boolean(isTerminating);
}

/** Nodes that a process of ours has cordoned, and which nobody has opened since. */
const cordons = new WeakSet<Life>();

export const isCordonOfOurs = (node: Life): boolean =>
  cordons.has(node) && node.object?.spec?.unschedulable === true;

function noteCordon({ past, before, after }: Case): void {
  const node = past.nodes.of(after?.metadata.uid);
  if (!node || after?.spec?.unschedulable === before?.spec?.unschedulable) return;
  if (after?.spec?.unschedulable === true) cordons.add(node);
  else cordons.delete(node);
}

/** An eviction or a deletion. */
export function judgePod(judged: Case): void {
  const { before, evidence, install, write } = judged;
  const name = before?.spec?.nodeName;
  const node = name === undefined ? undefined : evidence.targetOf(install).nodes.named('', name);
  if (!node) return;
  judgeDrained(judged, node.last);
  const { gracePeriodSeconds }: { gracePeriodSeconds?: number } = Object(write.body);
  if (write.method === 'DELETE' && gracePeriodSeconds === 0) judgeForce(judged, node);
}

/**
 * The Node of a Machine that stays is not cordoned. That of a failed one may be kept without
 * pods.
 */
function judgeDrained(judged: Case, node: JudgedObject): void {
  const { evidence, install, since } = judged;
  judgeHeldDrain(judged, ownersOf(judged, node));
  const { restoredAt = -Infinity } = evidence.controlOf(install);
  // A restored database may take a deletion back in the middle of a drain.
  const stays = (life: Life): boolean =>
    life.hasBeenSince(since, (machine) => phaseOf(machine) !== 'Failed') &&
    !life.wasSince(-Infinity, isDeleting) &&
    restoredAt < since - restoredForMs;
  const keeper = ownersOf(judged, node).find(stays);
  const { nodes } = evidence.targetOf(install);
  const isUpdated = nodes.of(node.metadata.uid)?.wasSince(since, isUnderWay) === true;
  if (!keeper || isUpdated) return;
  const text = `${textOf(judged, 'drained')}: Machine ${keeper.last.metadata.name} of Node ${node.metadata.name} stays`;
  const rule = 'only the Node of a Machine that goes is drained';
  evidence.rulings.against(rule, `${install.name} ${keeper.uid}`, text);
}

function ownersOf({ evidence, install }: Case, { spec }: JudgedObject): Life[] {
  const { providerID } = spec ?? {};
  return providerID === undefined ? [] : [...evidence.controlOf(install).naming(providerID)];
}

/** A stop moves the deadline by its length, also when a user commanded the drain since. */
function judgeForce(judged: Case, node: Life): void {
  const { evidence, since } = judged;
  const [machine, other] = ownersOf(judged, node.last);
  if (!machine || other || !isDeleting(machine.last)) return;
  const isSick = node.wasSince(since - 6 * minuteMs, (one) => !isFit(one));
  if (isSick || machine.wasSince(since, isForced)) return;
  const earliest = earliestForce(judged, machine);
  if (judged.now >= earliest - slackMs) return;
  const early = Math.round((earliest - judged.now) / 1_000);
  const text = `${textOf(judged, 'deleted')} of Machine ${machine.last.metadata.name}, ${early} s before the time of its drain was up`;
  evidence.rulings.against('pods go by force only when the time is up', machine.uid, text);
}

function isFit({ status }: JudgedObject): boolean {
  return (status?.conditions ?? []).every(
    ({ type, status: value }) =>
      (type !== 'Ready' || value === 'True') && (type !== 'ReadonlyFilesystem' || value !== 'True'),
  );
}

function isForced({ metadata: { labels = {}, annotations = {} } }: JudgedObject): boolean {
  const keys = ['force-deletion', 'force-drain'].some((key) => labels[key] !== undefined);
  return keys || [drainUntil, skipDrain].some((key) => annotations[key] !== undefined);
}

/**
 * An instance whose Node has long been there, ready, is deleted after that was cordoned; only a
 * user may say otherwise. Once the time for its drain is up, it goes all the same, also where the
 * Node cannot be cordoned: the deletion is forced then (MCM 4.7). A Node that registers during the
 * deletion may find the drain over: MCM does not go back to it either.
 */
export function wasDrained(drain: Drain, node: Life, machine: Life): boolean {
  const { since } = drain;
  if (drain.evidence.simulation.now >= endOfDrain(drain, machine) - slackMs) return true;
  const deletedAt = Date.parse(machine.last.metadata.deletionTimestamp ?? '');
  const wasUnfit = node.wasSince(since, (one) => !isFit(one) || isDeleting(one));
  const wasClosed = node.wasSince(Math.min(since, deletedAt - minuteMs), isClosed);
  return (
    node.bornAt >= Math.min(since, deletedAt) ||
    wasUnfit ||
    wasClosed ||
    machine.wasSince(since, isForced)
  );
}
