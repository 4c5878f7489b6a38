/** Machines that are on their way, of a set: as docs/decisions/0058 counts them. */
import { isDeleting, phaseOf } from '../objects.ts';
import type { JudgedObject } from '../objects.ts';
import type { ClusterPast } from '../past/cluster-past.ts';
import type { Life } from '../past/lives.ts';

/** Of all its machines, at a moment. */
export function onTheirWay(past: ClusterPast, set: Life, at: number): number {
  const machines = machinesAt(past, set, at);
  const going = machines.filter(isGoing).length;
  const ill = machines.filter((machine) => !isGoing(machine) && isIll(machine)).length;
  // One that is ill may be the one that its set has lost.
  return going + Math.max(ill, lostBySize(set, machines.length - going, at));
}

/** Without those that are ill, and are not going yet. */
export function leaving(past: ClusterPast, set: Life, at: number): number {
  const machines = machinesAt(past, set, at);
  const going = machines.filter(isGoing).length;
  return going + lostBySize(set, machines.length - going, at);
}

function machinesAt({ machines }: ClusterPast, { uid }: Life, at: number): JudgedObject[] {
  return Array.from(machines.ownedBy(uid))
    .filter(({ bornAt }) => bornAt <= at)
    .flatMap(({ states }) => states.at(at) ?? []);
}

function lostBySize(set: Life, staying: number, at: number): number {
  const object = set.states.at(at);
  const replicas = object && !isDeleting(object) ? (object.spec?.replicas ?? 0) : 0;
  return Math.max(0, staying - replicas);
}

function isGoing(machine: JudgedObject): boolean {
  return isDeleting(machine) || phaseOf(machine) === 'Terminating';
}

function isIll(machine: JudgedObject): boolean {
  const { preserveExpiryTime } = machine.status?.currentStatus ?? {};
  const phase = phaseOf(machine);
  const isFailed = phase === 'Failed' && !preserveExpiryTime;
  return isFailed || phase === 'Unknown' || phase.startsWith('InPlace');
}
