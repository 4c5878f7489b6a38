/** Pods that a drain waits for, in a form for people and for the search. */
import type { DrainPod, Refusals } from './removals.ts';
import { podKey } from './removals.ts';
import type { VolumeWait } from './volumes.ts';

/** Something in the way. Times in milliseconds. */
export interface Blocker {
  /** `PodDisruptionBudget/ns/name`, `Volume/name` or `Pod/ns/name`. */
  blockedBy: string;
  /** Namespace and name. */
  pod: string;
  podUid: string;
  since: number;
  why: string;
  /** When the pod is asked again; absent when there is nothing to ask. */
  nextTryAt?: number;
  /** A person has to fix it. */
  isHopeless?: boolean;
}

export interface Obstacles {
  pods: DrainPod[];
  refusals: Refusals;
  volumeWait?: VolumeWait | undefined;
  now: number;
}

/** A pod or a volume that takes a little longer is not in the way yet. */
const patienceMilliseconds = 15_000;

/** It is being deleted, and may go at any moment. */
export function isStillGoing({ goneBy }: DrainPod, now: number): boolean {
  return goneBy !== undefined && now < goneBy + patienceMilliseconds;
}

export function formatPodsLeft(count: number): string {
  return `${count} ${count === 1 ? 'pod' : 'pods'} left`;
}

/** The longest wait first. */
export function blockersOf({ pods, refusals, volumeWait, now }: Obstacles): Blocker[] {
  const blockers = pods.flatMap((pod) => blockerOf(pod, refusals, now));
  if (volumeWait && now >= volumeWait.since + patienceMilliseconds) {
    blockers.push(...volumeBlockers(volumeWait));
  }
  return blockers.toSorted((a, b) => a.since - b.since || (a.pod < b.pod ? -1 : 1));
}

function blockerOf(pod: DrainPod, refusals: Refusals, now: number): Blocker[] {
  const { goneBy, uid } = pod;
  const key = podKey(pod);
  if (goneBy !== undefined) {
    if (isStillGoing(pod, now)) return [];
    const why = 'its grace period is over and it has not terminated';
    return [{ blockedBy: `Pod/${key}`, pod: key, podUid: uid, since: goneBy, why }];
  }
  const refusal = refusals[uid];
  if (!refusal) return [];
  const { blockedBy, since, why, nextTryAt, isHopeless } = refusal;
  const blocker = { blockedBy, pod: key, podUid: uid, since, why, nextTryAt };
  return [{ ...blocker, ...(isHopeless && { isHopeless }) }];
}

function volumeBlockers({ volumes, pod, podUid, since, stage }: VolumeWait): Blocker[] {
  const [volume] = volumes;
  if (volume === undefined) return [];
  const rest = volumes.length > 1 ? ` and ${volumes.length - 1} more` : '';
  const why =
    stage === 'detach'
      ? `volume ${volume}${rest} is still attached to this Node`
      : `volume ${volume}${rest} is not attached to another Node yet`;
  return [{ blockedBy: `Volume/${volume}`, pod, podUid, since, why }];
}

/** Two reads with the same answer found the same things in the way. */
export function digestOfBlockers(blockers: Blocker[]): string {
  return blockers
    .map(
      ({ blockedBy, podUid, isHopeless }) =>
        `${blockedBy} ${podUid}${isHopeless === true ? ' for good' : ''}`,
    )
    .toSorted()
    .join(', ');
}
