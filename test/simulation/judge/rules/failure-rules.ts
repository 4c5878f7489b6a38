/** When a Machine may turn Failed (MCM 4.3, 4.4). A pause makes it later, nothing earlier. */
import { parseGoDuration } from '../durations.ts';
import { isAvailable, phaseOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import { textOf } from './case.ts';
import type { Case } from './case.ts';

/** Clocks differ by half a minute in both directions; a time on an object has no fractions. */
const slackMs = 90_000;
const creationTimeout = 'node.machine.sapcloud.io/effective-creation-timeout';

export function judgeFailure(judged: Case): void {
  const { evidence, before, after, past, now } = judged;
  const life = past.machines.of(after?.metadata.uid);
  if (!before || !after || !life || !turnsFailed(before, after)) return;
  if (isGivenUp(after) || lostInstance(judged, before) || isTimeUp(judged, life, phaseOf(before)))
    return;
  const why = after.status?.lastOperation?.description;
  const text = `${textOf(judged, 'let')} fail from phase "${phaseOf(before)}" before its time was up: ${why}`;
  evidence.rulings.against('a Machine fails only when its time is up', `${life.uid} ${now}`, text);
}

/** A person has given its update in place up. */
export function isGivenUp({ status }: JudgedObject): boolean {
  return status?.lastOperation?.description?.includes('update in place was given up') ?? false;
}

function turnsFailed(before: JudgedObject, after: JudgedObject): boolean {
  return phaseOf(after) === 'Failed' && phaseOf(before) !== 'Failed';
}

function isTimeUp(judged: Case, life: Life, phase: string): boolean {
  // An agent works on it.
  if (phase === 'InPlaceUpdating') return false;
  const hadJoined = ['Running', 'Available', 'Unknown'].includes(phase);
  return hadJoined || phase.startsWith('InPlaceUpdate')
    ? isTooLongUnhealthy(judged, life)
    : isTooOld(judged, life);
}

function isTooOld(judged: Case, life: Life): boolean {
  const { evidence, now } = judged;
  const limitMs = shortest(
    judged,
    life,
    ({ spec, metadata }) =>
      parseGoDuration(metadata.annotations?.[creationTimeout]) ??
      parseGoDuration(spec?.creationTimeout) ??
      evidence.limits.creationMs,
  );
  return now - Date.parse(life.last.metadata.creationTimestamp) >= limitMs - slackMs;
}

function isTooLongUnhealthy(judged: Case, life: Life): boolean {
  const { evidence, now } = judged;
  const limitMs = shortest(
    judged,
    life,
    ({ spec }) => parseGoDuration(spec?.healthTimeout) ?? evidence.limits.healthMs,
  );
  const { states } = life;
  const moments = states.momentsSince(now - Math.max(0, limitMs - slackMs));
  return !moments.some((at) => isWell(states.at(at) ?? life.last));
}

/** Or being updated: its Node is not judged meanwhile. */
function isWell(machine: JudgedObject): boolean {
  const isUpdated = ['InPlaceUpdating', 'InPlaceUpdateSuccessful'].includes(phaseOf(machine));
  return isUpdated || isAvailable(machine);
}

/** Of all values that a limit has had lately the shortest counts. Milliseconds. */
function shortest({ since }: Case, life: Life, read: (machine: JudgedObject) => number): number {
  const values = life.states.since(since).flatMap((machine) => (machine ? read(machine) : []));
  return Math.min(...values);
}

/** Then it is replaced at once. */
function lostInstance({ evidence }: Case, { spec }: JudgedObject): boolean {
  const { providerID } = spec ?? {};
  return providerID !== undefined && !evidence.instances.isLiving(providerID);
}
