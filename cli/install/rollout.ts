/** Where a rollout is, how fast it goes, and how long it takes still: by the objects alone. */
import type {
  MachineDeployment,
  MachineDeploymentCondition,
} from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { timeOf } from './times.ts';
import { formatAge } from '../terminal/age.ts';
import { hasUpdateFailed, isUpdatingInPlace, updatesInWords } from './in-place.ts';
import { creationMsOf, medianOf } from './creation-times.ts';
import type { Pool } from './pools.ts';

export interface RolloutProgress {
  state: 'Progressing' | 'Complete' | 'Paused' | 'Blocked';
  wanted: number;
  /** Available, of whatever template. */
  ready: number;
  /** Those among them with the present template. */
  updated: number;
  /** Being made, or being deleted, or to be replaced. */
  updating: number;
  /** Failed, or their creation or their update in place fails. */
  failed: number;
  /** Updated in place now, some of which may be ready still; those whose update failed. */
  inPlace: { updating: number; failed: number };
  /** Old machines that are left, those that go away included. */
  old: number;
  /** How many machines are in which state, such as `2 of 4 ready, 1 going away`. */
  counts: string;
  /** Reason to wait; absent when complete. */
  awaits?: string | undefined;
  /** Milliseconds from the creation of a machine until it was Running, the median of those seen. */
  joinMs?: number | undefined;
  /** Milliseconds. Absent where nothing was seen to reckon by. */
  leftMs?: number | undefined;
}

export function progressOf(
  { deployment, sets }: Pool & { deployment: MachineDeployment },
  now: number,
): RolloutProgress {
  const wanted = deployment.spec.replicas ?? 0;
  const { fresh, old } = machinesOf({ deployment, sets });
  const all = [...fresh, ...old];
  const ready = all.filter(isAvailable).length;
  const updated = fresh.filter(isAvailable).length;
  const failed = all.filter(isFailing).length;
  const going = all.filter(isGoing).length;
  const inPlace = inPlaceCountsOf(all);
  const missing = Math.max(wanted - updated, 0);
  const isOver =
    missing === 0 && old.length === 0 && fresh.filter((one) => !isGoing(one)).length <= wanted;
  const state = stateOf(deployment, isOver);
  const joinMs = medianOf(all.flatMap((one) => creationMsOf(one) ?? []));
  return {
    state,
    wanted,
    ready,
    updated,
    failed,
    inPlace,
    old: old.length,
    updating: Math.max(all.length - ready - failed, 0),
    counts: countsOf({ wanted, ready, updated, old: old.length, failed, going, inPlace }),
    ...(!isOver && { awaits: awaitedOf(deployment, { missing, old: old.length, state }) }),
    joinMs,
    ...(state === 'Progressing' && {
      leftMs: leftOf({ deployment, fresh, missing, old: old.length, joinMs, now }),
    }),
  };
}

export function inPlaceCountsOf(machines: readonly Machine[]): RolloutProgress['inPlace'] {
  return {
    updating: machines.filter(isUpdatingInPlace).length,
    failed: machines.filter(hasUpdateFailed).length,
  };
}

/** The machines of the template's set, and those of all others. `sets`: the latest first. */
export function machinesOf({ deployment, sets }: Pool & { deployment: MachineDeployment }): {
  fresh: readonly Machine[];
  old: readonly Machine[];
} {
  const [latest, ...earlier] = isBeforeFirst(deployment) ? [undefined, ...sets] : sets;
  const old = earlier.flatMap((set) => set?.machines ?? []);
  return { fresh: latest?.machines ?? [], old };
}

/** It is held, and has no set of its template yet. */
function isBeforeFirst(deployment: MachineDeployment): boolean {
  const { updatedReplicas = 0 } = deployment.status ?? {};
  return updatedReplicas === 0 && holdOf(deployment) !== undefined;
}

export function isGoing({ metadata }: Machine): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isAvailable(machine: Machine): boolean {
  const phase = machine.status?.currentStatus?.phase;
  return !isGoing(machine) && (phase === 'Running' || phase === 'Available');
}

export function isFailing(machine: Machine): boolean {
  const { currentStatus, lastOperation } = machine.status ?? {};
  const phase = currentStatus?.phase;
  if (phase === 'Failed' || phase === 'CrashLoopBackOff' || phase === 'Unknown') return true;
  if (hasUpdateFailed(machine)) return true;
  return isGoing(machine) && lastOperation?.state === 'Failed';
}

function stateOf(deployment: MachineDeployment, isOver: boolean): RolloutProgress['state'] {
  const { spec, status } = deployment;
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  if (progressing?.status === 'False') return 'Blocked';
  if (spec.paused === true || holdOf(deployment)) return 'Paused';
  if (isStalled(deployment)) return 'Blocked';
  return isOver ? 'Complete' : 'Progressing';
}

/** As kstatus has it: Failed. */
function isStalled({ status }: MachineDeployment): boolean {
  return (
    status?.conditions?.some((one) => one.type === 'Stalled' && one.status === 'True') ?? false
  );
}

/** The condition that says why it is held. */
function holdOf({ status }: MachineDeployment): MachineDeploymentCondition | undefined {
  return status?.conditions?.find(
    ({ type, status: is, reason }) =>
      type === 'Progressing' && is === 'Unknown' && reason === 'DeploymentPaused',
  );
}

function countsOf(
  counts: Pick<RolloutProgress, 'wanted' | 'ready' | 'updated' | 'old' | 'failed' | 'inPlace'> & {
    going: number;
  },
): string {
  const { wanted, ready, updated, old, failed, going, inPlace } = counts;
  const failing = failed - inPlace.failed;
  return [
    `${ready} of ${wanted} ready`,
    ...(updated < ready ? [`${updated} updated`] : []),
    ...(old > 0 ? [`${old} of old sets`] : []),
    ...(going > 0 ? [`${going} going away`] : []),
    ...updatesInWords(inPlace),
    ...(failing > 0 ? [`${failing} failing`] : []),
  ].join(', ');
}

function awaitedOf(
  deployment: MachineDeployment,
  { missing, old, state }: { missing: number; old: number; state: RolloutProgress['state'] },
): string {
  // Until a worker takes up the pause the condition says that all went well.
  if (state === 'Paused') return holdOf(deployment)?.message ?? 'a person who resumes it';
  // Those of old sets become new ones, unless there are enough without them.
  const inPlace = isInPlace(deployment) ? Math.min(old, missing) : 0;
  const [fresh, left] = [missing - inPlace, old - inPlace];
  const waits = [
    ...(inPlace > 0 ? [`${inPlace} ${plural(inPlace)} to be updated in place`] : []),
    ...(fresh > 0 ? [`${fresh} new ${plural(fresh)} to become available`] : []),
    ...(left > 0 ? [`${left} old ${plural(left)} to go`] : []),
  ];
  return waits.length > 0 ? waits.join(', and ') : 'surplus machines to go';
}

function isInPlace({ spec }: MachineDeployment): boolean {
  return spec.strategy?.type === 'InPlaceUpdate';
}

const plural = (count: number): string => (count === 1 ? 'machine' : 'machines');

interface Left {
  deployment: MachineDeployment;
  fresh: readonly Machine[];
  missing: number;
  old: number;
  joinMs: number | undefined;
  now: number;
}

/**
 * By the pace since the first machine of the new set; before two of them are there, and where no
 * old ones are left, by the time that one takes to join and as many at a time as the strategy lets.
 * A set that only gets another machine may be a month old, which is no pace.
 */
function leftOf({ deployment, fresh, missing, old, joinMs, now }: Left): number | undefined {
  // Neither the age of a machine nor the time that it took to join is the pace of an update.
  if (isInPlace(deployment) && old > 0) return undefined;
  const done = fresh.filter(isAvailable).length;
  const remaining = Math.max(missing, old);
  const began = timeOf(fresh[0]?.metadata.creationTimestamp);
  if (old > 0 && done >= 2 && began !== undefined) return ((now - began) / done) * remaining;
  if (joinMs === undefined) return undefined;
  return Math.ceil(remaining / atATime(deployment)) * joinMs;
}

function atATime({ spec }: MachineDeployment): number {
  const { maxSurge = 1, maxUnavailable = 0 } = spec.strategy?.rollingUpdate ?? {};
  const replicas = spec.replicas ?? 0;
  const surge = numberOf(maxSurge, replicas, Math.ceil);
  return Math.max(surge + numberOf(maxUnavailable, replicas, Math.floor), 1);
}

function numberOf(value: number | string, replicas: number, round: (n: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = Number(/^(\d{1,3})%$/.exec(value)?.[1] ?? Number.NaN);
  return Number.isNaN(percent) ? Number(value) || 0 : round((percent * replicas) / 100);
}

/** `about 12m left (3m per machine)`. */
export function formatPace({ leftMs, joinMs }: RolloutProgress): string | undefined {
  if (leftMs === undefined) return undefined;
  const pace = joinMs === undefined ? '' : ` (a machine takes ${formatAge(joinMs)} to join)`;
  return `about ${formatAge(leftMs)} left${pace}`;
}
