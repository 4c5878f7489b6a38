/**
 * A rollout holds after its first machines, once or in waves. A wave with a time ends by itself if
 * all went well; any other, and one in which a machine failed, when a person says so.
 */
import { formatDuration } from '../../../api/duration.ts';
import { isRollback } from './direction.ts';
import type {
  NotedMachines,
  ObservedDeployment,
  RolloutOptions,
  SetFacts,
  WatchedMachines,
  Wave,
  WaveNote,
  WavesPassed,
} from './facts.ts';
import { availableAt } from './facts.ts';
import type { Hold } from './hold.ts';
import { isRollingOut } from './hold.ts';
import type { WaveStep } from './steps.ts';
import type { PassedCanary } from './waves.ts';

interface PresentWave extends Wave {
  /** Waves before it. */
  count: number;
  revision: number;
  /** For people. */
  name: string;
}

function presentWave(facts: ObservedDeployment, target: SetFacts): PresentWave | undefined {
  const { revision } = target;
  const waves = wavesOf(facts.options);
  const count = countPassed(facts.options, revision);
  const wave = waves[count];
  if (!isPaced(facts) || !wave || !isRollingOut(facts)) return undefined;
  // A percentage of few replicas may be less than the number before it.
  const most = Math.max(...waves.slice(0, count + 1).map(({ machines }) => machines));
  if (most >= facts.replicas) return undefined;
  // The new set has all machines where no old one is left that could have the rest.
  if (!facts.sets.some((set) => set !== target && !set.isOfTemplate && !set.isDeleting))
    return undefined;
  // A person who rolls back is in a hurry, and machines of that template are known already.
  if (isRollback(facts, target)) return undefined;
  const first = most === 1 ? 'the first machine' : `the first ${most} machines`;
  const step = waves.length === 1 ? '' : ` (wave ${count + 1} of ${waves.length})`;
  return { ...wave, machines: most, count, revision, name: `${first} of ${target.name}${step}` };
}

/** People who select machines themselves set their own pace. */
function isPaced({ strategy, isManual }: ObservedDeployment): boolean {
  return strategy === 'RollingUpdate' || (strategy === 'InPlaceUpdate' && !isManual);
}

function wavesOf({ canary, waves }: RolloutOptions): readonly Wave[] {
  return waves ?? (canary === undefined ? [] : [{ machines: canary }]);
}

/** Waves of that revision. */
export function countPassed(
  { canaryPassed, wavesPassed }: RolloutOptions,
  revision: number,
): number {
  if (canaryPassed === revision) return Infinity;
  return wavesPassed?.revision === revision ? wavesPassed.count : 0;
}

/** Machines of the new set until the canary is passed; undefined when there is no such limit. */
export function canaryLimit(facts: ObservedDeployment, target: SetFacts): number | undefined {
  return presentWave(facts, target)?.machines;
}

/** Holds once the first machines are there; before, the rollout is under way. */
export function canaryHold(facts: ObservedDeployment, target: SetFacts): Hold | undefined {
  const wave = presentWave(facts, target);
  if (!wave || !isWhole(wave, target)) return undefined;
  const kind = 'canary' as const;
  const reason = `The rollout holds after ${wave.name}`;
  const next = 'look at the new machines, then resume or roll back';
  const needsPerson = true;
  if (wave.seconds === undefined) return { kind, reason, next, needsPerson };
  const note = noteOf(wave, facts.options);
  // Its time is about to begin.
  if (!note) return undefined;
  if (!note.machines) {
    const lost = `${reason}: one of them failed or was replaced`;
    return { kind, reason: lost, next, needsPerson };
  }
  const goesOn = { kind, reason, next: 'then it goes on by itself' };
  const end = facts.watched?.end;
  return end ? { ...goesOn, reason: `${reason} until ${end.text}`, until: end.at } : goesOn;
}

function isWhole({ machines, seconds }: Wave, target: SetFacts): boolean {
  const wanted = seconds === undefined ? machines : Math.max(machines, target.replicas);
  return target.replicas >= machines && availableAt(target) >= wanted;
}

function noteOf(
  { revision, count }: PresentWave,
  { waveNote }: RolloutOptions,
): WaveNote | undefined {
  return waveNote?.revision === revision && waveNote.count === count ? waveNote : undefined;
}

/** What a `resume` lets pass: the present wave and no later one. */
export function passedBy(facts: ObservedDeployment, target: SetFacts): PassedCanary | undefined {
  const wave = presentWave(facts, target);
  if (!wave) return undefined;
  const { revision, count } = wave;
  return { revision, ...(facts.options.waves && { count: count + 1 }) };
}

/**
 * What is written of a wave with a time, as it has to outlive Temporal: since when all its machines
 * are available; that one of them was lost, which its replacement does not show; that it is over.
 */
export function planWave(
  facts: ObservedDeployment,
  target: SetFacts,
  now: number,
): WaveStep | undefined {
  const wave = presentWave(facts, target);
  const { watched, options } = facts;
  if (wave?.seconds === undefined || !watched) return undefined;
  const { revision, count, seconds, name } = wave;
  const { replicas } = target;
  const youngest = isWhole(wave, target) ? watched.youngest : undefined;
  const machines = youngest === undefined ? undefined : { count: replicas, youngest };
  const known = noteOf(wave, options);
  const news = newsOf(known, { watched, replicas, machines, now });
  if (news) {
    const { reason, ...noted } = news;
    const was = options.waveNote && { was: options.waveNote };
    const note = { revision, count, ...noted };
    return { action: 'noteWave', note, ...was, reason: `${reason}: ${name}` };
  }
  const isOver = known?.machines && machines && watched.end && watched.end.at <= now;
  if (!isOver) return undefined;
  const reason = `all went well for ${formatDuration(seconds)}: ${name}`;
  return { action: 'passWave', revision, count, reason };
}

interface Seen {
  watched: WatchedMachines;
  /** Size of the set. */
  replicas: number;
  /** What a note of now would say; absent while one of them is not available. */
  machines: NotedMachines | undefined;
  now: number;
}

type Noted = Omit<WaveNote, keyof WavesPassed> & { reason: string };

function newsOf(
  known: WaveNote | undefined,
  { watched: { left = 0 }, replicas, machines, now }: Seen,
): Noted | undefined {
  if (!known) return machines && { since: now, machines, reason: 'all machines are available' };
  const { since, machines: noted } = known;
  if (!noted) return undefined;
  if (left < Math.min(noted.count, replicas)) {
    return { since: now, reason: 'a machine failed or was replaced' };
  }
  // A later scaling must not look like a loss, and machines that it brought are watched as well.
  if (replicas < noted.count) {
    return { since, machines: { ...noted, count: replicas }, reason: 'scaled down' };
  }
  return machines && replicas > noted.count ? { since, machines, reason: 'scaled up' } : undefined;
}
