/** Why a process may delete a Machine (MCM 6.4, 6.5, 6.8, 6.9, and the Node of 4.1). */
import { hasFinalizer, isDeleting, matches, ownerOf, phaseOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import type { Trace } from '../past/trace.ts';
import { judgeAuthority } from './authority-rules.ts';
import { judgeKept } from './in-place-rules.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';
import { judgeAvailability } from './rollout-rules.ts';
import { noteChosen, noteDeletion, noteTakenBack, wasTooMany } from './set-sizes.ts';

/** A process notices every spell of this length. Milliseconds. */
const longSpellMs = 60_000;
/** Samples are 15 s apart. */
const slackMs = 30_000;
const priority = 'machinepriority.machine.sapcloud.io';
const markedAt = 'machine.sapcloud.io/marked-for-deletion-time';
const scaledAt = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';

export function judgeMachineDeletion(judged: Case): void {
  const { evidence, install, write, before, past } = judged;
  if (!before || isDeleting(before)) return;
  const { metadata } = before;
  const { process, sentAt } = write;
  const what = `deleted Machine ${metadata.name}`;
  judgeAuthority(evidence, install, { by: process.name, what, subject: metadata.uid, sentAt });
  const life = past.machines.of(metadata.uid);
  if (!life) return;
  if (lostNode(judged, life)) return;
  const set = past.sets.of(ownerOf(before));
  if (set && mayDelete(judged, { set, life })) return;
  const owner = set ? `of set ${set.last.metadata.name}` : 'without a set';
  const text = `${textOf(judged, 'deleted')} ${owner} in phase "${phaseOf(before)}" for no reason that the rules know`;
  evidence.rulings.against('a Machine is deleted for a reason', metadata.uid, text);
}

interface Pair {
  set: Life;
  life: Life;
}

function mayDelete(judged: Case, { set, life }: Pair): boolean {
  const { since, now } = judged;
  const isStranger = wasNeverOf(set, life);
  if (isStranger) noteTakenBack(set, life);
  const isOfItself =
    isStranger ||
    wasGoing(set, since) ||
    life.wasSince(since, (machine) => isReplaceable(machine, now));
  if (isOfItself) return true;
  if (isMarked(life, set, since)) {
    if (!wasTooMany(judged, set)) noteChosen(judged, set);
    return true;
  }
  const isTooMany = wasTooMany(afterWait(judged), set);
  noteDeletion(judged, set);
  if (isTooMany) {
    judgeAvailability(judged, set);
    judgeKept(judged, set);
  }
  return isTooMany;
}

/**
 * What waited through a stop, or for a watcher that leads, is decided anew when that is over: the
 * time is there to put right what is wrong.
 */
function afterWait(judged: Case): Case {
  const { isStopped, isLeaderless } = judged.evidence.authorityOf(judged.install);
  const ends = [isStopped, isLeaderless].map((trace) => endOfLongSpell(trace));
  const since = Math.max(judged.since, ...ends.map((endedAt) => endedAt - slackMs));
  return { ...judged, since };
}

function endOfLongSpell(trace: Trace<boolean>): number {
  const endedAt = trace.lastAt(true) ?? -Infinity;
  const lengthMs = trace.lengthSince(endedAt - longSpellMs, endedAt);
  return lengthMs < longSpellMs ? -Infinity : endedAt;
}

/** Its labels were taken off as it was made: the set would not know it again. */
function wasNeverOf(set: Life, life: Life): boolean {
  return life.hasBeenSince(life.bornAt, (machine) => !matches(machine, set.last));
}

/** Its machines go with it, unless they are to be orphans. */
function wasGoing(set: Life, since: number): boolean {
  return set.object === undefined || set.wasSince(since, isGoing);
}

function isGoing(set: JudgedObject): boolean {
  return isDeleting(set) && !hasFinalizer(set, 'orphan');
}

function isReplaceable(machine: JudgedObject, now: number): boolean {
  const expiry = machine.status?.currentStatus?.preserveExpiryTime;
  const isPreserved = expiry !== undefined && expiry !== null && Date.parse(expiry) > now;
  return phaseOf(machine) === 'Failed' && !isPreserved;
}

/** By the cluster autoscaler, before the number was last changed. */
function isMarked(life: Life, set: Life, since: number): boolean {
  return life.wasSince(since, ({ metadata: { annotations = {} } }) => {
    const at = Date.parse(annotations[markedAt] ?? '');
    return (
      annotations[priority] === '1' &&
      set.wasSince(
        since,
        ({ metadata }) => at <= Date.parse(metadata.annotations?.[scaledAt] ?? ''),
      )
    );
  });
}

/** It had a Node, and that is gone or going: MCM then deletes its Machine. */
function lostNode({ evidence, install, since }: Case, { last }: Life): boolean {
  const name = last.metadata.labels?.['node'];
  if (name === undefined) return false;
  const past = evidence.targetOf(install);
  const { providerID } = last.spec ?? {};
  if (providerID === undefined || !past.hadNode(providerID)) return false;
  const node = past.nodes.named('', name);
  const isAnother = node?.last.spec?.providerID !== providerID || node.bornAt > since;
  return isAnother || node.wasSince(since, isDeleting);
}
