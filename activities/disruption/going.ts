/**
 * Machines on their way, of all that a policy selects. It is a count of values: who asks has read
 * the policy first, and these after it.
 */
import { annotations } from '../../workflows/api/constants.ts';
import type { InPlaceReason } from '../../workflows/api/in-place.ts';
import { inPlaceReasonOf } from '../../workflows/api/in-place.ts';
import type { DisruptionGrant, DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { byController, controllerOf } from '../../kube/objects/owners.ts';
import { timeOf } from '../../kube/objects/time.ts';
import { selects } from './selecting.ts';

/** All of the namespace, each list not older than the policy. */
export interface NamespaceObjects {
  deployments: readonly MachineDeployment[];
  sets: readonly MachineSet[];
  machines: readonly Machine[];
}

/** Where a policy counts nothing. */
export const noObjects: NamespaceObjects = { deployments: [], sets: [], machines: [] };

/** A size, or a machine, that its deployment may still make use of. */
export const grantedForMs = 10 * 60_000;

export interface Going {
  /**
   * Also those that are Unknown or Failed and wait: a rollout would take another machine beside
   * them.
   */
  all: number;
  /**
   * Without those that wait: to replace one of them takes no machine that works, and two of them
   * must not wait for each other.
   */
  underWay: number;
  /** In words, the first of them. */
  names: string[];
}

interface Asker {
  /** UID of the deployment, whose grants the next ones replace. */
  uid?: string;
  /** Names of the machines that are asked for. */
  machines?: ReadonlySet<string>;
}

export function goingOf(
  policy: DisruptionPolicy,
  objects: NamespaceObjects,
  { now, ...asker }: Asker & { now: number },
): Going {
  const selected = new Map(
    objects.deployments
      .filter((one) => selects(policy, one))
      .map((one) => [one.metadata.uid, one] as const),
  );
  const bySet = byController(objects.machines);
  const grants = (policy.status?.grants ?? []).filter((grant) => isLive(grant, now));
  const going: Going = { all: 0, underWay: 0, names: [] };
  for (const set of objects.sets) {
    const deployment = selected.get(controllerOf(set)?.uid ?? '');
    if (!deployment) continue;
    const machines = bySet.get(set.metadata.uid) ?? [];
    const own = grants.filter((grant) => isOf(grant, set));
    const isInPlace = updatesInPlace(deployment);
    for (const machine of machines)
      addMachine(going, { machine, set, grants: own, asker, isInPlace });
    addSize(going, { set, machines, grants: own, asker });
  }
  return going;
}

/** How many may be on their way; undefined without a limit. */
export function limitOf(
  policy: DisruptionPolicy,
  { deployments }: Pick<NamespaceObjects, 'deployments'>,
): number | undefined {
  const { machines } = policy.spec.atATime ?? {};
  if (typeof machines !== 'string') return machines;
  const share = Number(/^\+?(\d+)%$/.exec(machines)?.[1] ?? 0);
  const replicas = deployments
    .filter((one) => selects(policy, one))
    .reduce((sum, { spec }) => sum + Math.max(spec.replicas ?? 0, 0), 0);
  return Math.ceil((share * replicas) / 100);
}

/** Not over for its age: no attempt of an activity runs for so long. */
export function isLive({ takenAt }: DisruptionGrant, now: number): boolean {
  return now - (timeOf(takenAt) ?? 0) < grantedForMs;
}

/** Whether it is the set of this name, of the deployment with this UID. */
export function isOf(
  { set, uid }: Pick<DisruptionGrant, 'set' | 'uid'>,
  found: Pick<MachineSet, 'metadata'>,
): boolean {
  return set === found.metadata.name && controllerOf(found)?.uid === uid;
}

/** It leaves, or has left its Node already. */
export function isGoing({ metadata, status }: Machine): boolean {
  const { phase = '' } = status?.currentStatus ?? {};
  return metadata.deletionTimestamp !== undefined || phase === 'Terminating';
}

/** As `atATime.machines` counts it: it goes, is updated in place, or does not work. */
export function isCountedGoing(machine: Machine): boolean {
  const { phase = '', preserveExpiryTime } = machine.status?.currentStatus ?? {};
  const isIll = phase === 'Unknown' || (phase === 'Failed' && !preserveExpiryTime);
  return isGoing(machine) || isUpdated(machine) || isIll;
}

/** From its selection until it is found healthy again. */
function isUpdated({ status }: Machine): boolean {
  const reason = inPlaceReasonOf(status?.conditions);
  const isAsked = reason !== undefined && !outsideUpdate.includes(reason);
  return isAsked || (status?.currentStatus?.phase ?? '').startsWith('InPlace');
}

/** Before it, and after it: the condition of a Node that was updated stays. */
const outsideUpdate: readonly InPlaceReason[] = ['CandidateForUpdate', 'UpdateSuccessful'];

interface Counted {
  set: MachineSet;
  /** On this set. */
  grants: readonly DisruptionGrant[];
  asker: Asker;
}

export function updatesInPlace({ spec }: MachineDeployment): boolean {
  return spec.strategy?.type === 'InPlaceUpdate';
}

interface CountedMachine extends Counted {
  machine: Machine;
  /** Its deployment updates in place: a machine that works may be promised. */
  isInPlace: boolean;
}

function addMachine(
  going: Going,
  { machine, set, grants, asker, isInPlace }: CountedMachine,
): void {
  const { name } = machine.metadata;
  if (asker.machines?.has(name)) return;
  const isPromised = grants.some((grant) => grant.machine === name);
  if (!isCountedGoing(machine) && !(isPromised && isInPlace)) return;
  going.all += 1;
  going.names.push(name);
  const { phase = '' } = machine.status?.currentStatus ?? {};
  const isReplaced = phase === 'Failed' && mayReplace(set, name);
  const isWorkedOn = isUpdated(machine) && !waitingPhases.includes(phase);
  if (isGoing(machine) || isWorkedOn || isPromised || isReplaced) going.underWay += 1;
}

/** Of machines whose update in place failed: two of them must not wait for each other. */
const waitingPhases = ['InPlaceUpdateFailed', 'Failed'];

/** The set may delete a Failed machine of this name, as far as its deployment says. */
function mayReplace({ metadata }: MachineSet, name: string): boolean {
  const listed = metadata.annotations?.[annotations.replacements];
  return listed === undefined || listed.split(',').includes(name);
}

/** What the set has lost by its size, and what it may still lose by a grant. */
function addSize(
  going: Going,
  { set, machines, grants, asker }: Counted & { machines: readonly Machine[] },
): void {
  const { metadata, spec } = set;
  const replicas = metadata.deletionTimestamp === undefined ? Math.max(spec.replicas ?? 0, 0) : 0;
  const staying = machines.filter((machine) => !isGoing(machine)).length;
  const lost = Math.max(staying - replicas, 0);
  const promised = grants
    .filter(({ uid }) => uid !== asker.uid)
    .map(({ to = replicas }) => Math.max(replicas - to, 0));
  const count = lost + Math.max(0, ...promised);
  if (count === 0) return;
  going.all += count;
  going.underWay += count;
  going.names.push(`${count} of ${metadata.name}`);
}
