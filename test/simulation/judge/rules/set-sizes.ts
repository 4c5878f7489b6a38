/** Whether a set had too many or too few machines when that was last read. */
import { staleMs } from '../past/authority.ts';
import type { Life } from '../past/lives.ts';
import type { Case } from './case.ts';

/** When our processes made and deleted machines for the sake of a set's size. */
interface Changes {
  made: number[];
  deleted: number[];
  /** Of these, machines that the autoscaler chose while the set had no more than its size. */
  chosen: number[];
}

const changesOf = new WeakMap<Life, Changes>();

function changes(set: Life): Changes {
  const known = changesOf.get(set) ?? { made: [], deleted: [], chosen: [] };
  changesOf.set(set, known);
  return known;
}

export function noteDeletion({ now }: Case, set: Life): void {
  changes(set).deleted.push(now);
}

/** When our processes deleted its machines. */
export const deletionsOf = (set: Life): readonly number[] => changes(set).deleted;

/** When our processes made its machines. */
export const creationsOf = (set: Life): readonly number[] => changes(set).made;

export function noteCreation({ now }: Case, set: Life): void {
  changes(set).made.push(now);
}

/** A policy made it another one than the set had asked for, and so it goes again. */
export function noteTakenBack(set: Life, { bornAt }: Life): void {
  const { made } = changes(set);
  const index = made.indexOf(bornAt);
  if (index >= 0) made.splice(index, 1);
}

export function firstChoiceSince(set: Life, moment: number): number | undefined {
  return changes(set).chosen.find((at) => at >= moment);
}

export function noteChosen({ now }: Case, set: Life): void {
  changes(set).chosen.push(now);
}

/** A machine that was chosen went before its set became smaller, and another was made meanwhile. */
export function wasReplacedSince(set: Life, moment: number): boolean {
  const { chosen, made } = changes(set);
  return chosen.some((at) => at >= moment && made.some((madeAt) => madeAt > at));
}

export function wasMadeSince(set: Life, moment: number): boolean {
  return changes(set).made.some((at) => at >= moment);
}

/** When any client last made its size smaller; undefined: never. */
export function lastShrinkOf({ states }: Life): number | undefined {
  const moments = states.momentsSince(-Infinity);
  const sizes = moments.map((at) => states.at(at)?.spec?.replicas ?? 0);
  const index = sizes.findLastIndex((size, place) => place > 0 && size < (sizes[place - 1] ?? 0));
  return moments[index];
}

/**
 * Was there a moment at which a reader saw more machines than replicas, by at least as many as were
 * deleted since then, this one included?
 */
export function wasTooMany(judged: Case, set: Life): boolean {
  return differences(judged, set, { ours: changes(set).deleted }).some(
    ({ present, replicas, since }) => present - replicas >= since,
  );
}

/**
 * The same for those that are missing. A set that was restored with Temporal carries out once more
 * what it had planned by a read before the backup, and takes what is too much away again.
 */
export function wasTooFew(judged: Case, set: Life): boolean {
  const { forgotAt = -Infinity, knownUntil = Infinity } = judged.evidence.world.temporal;
  const isRestored = judged.now - forgotAt < staleMs;
  const made = changes(set).made.filter((at) => !isRestored || at > forgotAt);
  const readAt = isRestored ? knownUntil - staleMs : Infinity;
  return differences(judged, set, { ours: made, readAt }).some(
    ({ present, replicas, since }) => replicas - present >= since,
  );
}

interface Changed {
  ours: readonly number[];
  /** When it was read at the earliest; default: a short while ago. */
  readAt?: number;
}

/**
 * By each moment of which it may have been read; `since`: changes of ours since then and this. A
 * batch that an outage or a stop held up reads its set anew before its first write.
 */
function differences({ past, now, ...judged }: Case, set: Life, { ours, readAt }: Changed) {
  const since = Math.min(Math.max(judged.since, now - staleMs), readAt ?? Infinity);
  const { present } = past.tallies.of(set.uid);
  const moments = [...present.momentsSince(since), ...set.states.momentsSince(since)];
  return moments.map((moment) => ({
    present: present.at(moment),
    replicas: set.states.at(moment)?.spec?.replicas ?? 0,
    since: ours.filter((at) => at > moment).length + 1,
  }));
}
