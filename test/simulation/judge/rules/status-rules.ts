/** What a status may say only when it is so, by MCM v0.62.1, docs/safety.md, docs/rollouts.md. */
import { conditionOf, isDeleting, phaseOf } from '../objects.ts';
import type { JudgedCondition, JudgedObject } from '../objects.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';
import { lastShrinkOf, wasMadeSince } from './set-sizes.ts';

/** Clocks differ by half a minute in both directions. Milliseconds. */
const slackMs = 75_000;
/** Deletions that stood still need some time until they show. Milliseconds. */
const recentMs = 30_000;
/** What began later than this before a write was not known when that was decided. Milliseconds. */
const decidedMs = 5_000;
/** Shorter outages are no pause. */
const longOutageMs = 60_000;

/** The deadline of a rollout does not run while nothing could be done. */
export function judgeOverdue(judged: Case): void {
  const { before, after } = judged;
  const known = progressingOf(before);
  if (!after || !known?.lastUpdateTime || isOverdue(known)) return;
  const from = Date.parse(known.lastUpdateTime);
  if (isOverdue(progressingOf(after)) && !wereForgotten(judged, from)) {
    judgeDeadline(judged, after, from);
  }
}

/** The pauses since then: the Lease that had them was deleted, or its database was restored. */
function wereForgotten({ evidence, install, past }: Case, from: number): boolean {
  const { lostLeaseAt } = evidence.authorityOf(install);
  return Math.max(lostLeaseAt, past.restoredAt ?? -Infinity) >= from;
}

function judgeDeadline(judged: Case, after: JudgedObject, from: number): void {
  const { evidence, install, now, past, since } = judged;
  const { uid } = after.metadata;
  const limits = (past.deployments.of(uid)?.states.since(since) ?? []).map(
    (object) => (object?.spec?.progressDeadlineSeconds ?? 0) * 1_000,
  );
  const { isHindered } = evidence.authorityOf(install);
  const pausedMs = isHindered.lengthSince(from, now, longOutageMs);
  if (now - from - pausedMs >= Math.min(...limits) - slackMs) return;
  const [took, paused] = [now - from, pausedMs].map((length) => Math.round(length / 1_000));
  const text = `${textOf(judged, 'called')} overdue after ${took} s, in ${paused} of which nothing could be done`;
  evidence.rulings.against('a rollout is overdue only when its time is up', uid, text);
}

function progressingOf(object: JudgedObject | undefined): JudgedCondition | undefined {
  return object && conditionOf(object, 'Progressing');
}

function isOverdue(condition: JudgedCondition | undefined): boolean {
  return condition?.reason === 'ProgressDeadlineExceeded';
}

/** A call that a worker breaks off at its end is made again by the next one. */
export function judgeCancelled(judged: Case): void {
  const { evidence, before, after } = judged;
  if (!after || codeOf(after) !== 'Canceled' || codeOf(before) === 'Canceled') return;
  const text = `${textOf(judged, 'let')} fail: ${after.status?.lastOperation?.description}`;
  evidence.rulings.against('no work fails because a worker ends', after.metadata.uid, text);
}

function codeOf(machine: JudgedObject | undefined): string | undefined {
  return machine?.status?.lastOperation?.errorCode;
}

/**
 * Of a class that asks for it. One that had failed runs by its Node alone, as in MCM 4.4: how far
 * its creation came is not known any more when its workflow began anew.
 */
export function judgeInitialised(judged: Case): void {
  const { evidence, before, after } = judged;
  if (!before || !after || phaseOf(after) !== 'Running') return;
  if (['Running', 'Failed'].includes(phaseOf(before))) return;
  const { providerID } = after.spec ?? {};
  const found = evidence.cloud.records.findLast((record) => record.providerID === providerID);
  if (isDeleting(after) || found?.isInitialized !== false) return;
  const text = `${textOf(judged, 'let')} run with ${found.id}, which was not initialised`;
  const rule = 'a Machine runs only when its instance is initialised';
  evidence.rulings.against(rule, after.metadata.uid, text);
}

/** A set on its way down has too many for as long as its deletions stand still. */
export function judgeFreeze(judged: Case): void {
  const { evidence, install, before, after, past, now } = judged;
  if (!before || !after || !isFrozen(after) || isFrozen(before) || wasFrozen(before)) return;
  const set = past.sets.of(after.metadata.uid);
  if (!set) return;
  const shrunkAt = lastShrinkOf(set);
  if (shrunkAt === undefined || wasMadeSince(set, shrunkAt)) return;
  const { isStopped, isLeaderless } = evidence.authorityOf(install);
  const stoodStill = [isStopped, isLeaderless].some(
    (trace) => trace.lengthSince(now - recentMs, now, decidedMs) > 0,
  );
  if (!stoodStill) return;
  const text = `${textOf(judged, 'froze')}, which has made no machine since it was made smaller`;
  evidence.rulings.against('a set is frozen only when it makes too many', set.uid, text);
}

/** Its condition Frozen is True, although another client removed the label. */
function wasFrozen({ status }: JudgedObject): boolean {
  const conditions = status?.machineSetCondition ?? [];
  return conditions.some(({ type, status: value }) => type === 'Frozen' && value === 'True');
}

function isFrozen({ metadata }: JudgedObject): boolean {
  return metadata.labels?.['freeze'] === 'True';
}
