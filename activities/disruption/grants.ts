/**
 * Grants: what a deployment may take, written to the status of each policy before it is taken. One
 * is the size that a set may shrink to, or the name of a machine that may be replaced, and no
 * count: so it can be taken twice.
 */
import type {
  DisruptionGrant,
  DisruptionPolicy,
  DisruptionTurn,
} from '../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { DisruptionReason } from '../../workflows/api/phases.ts';
import { timeOf, timestamp } from '../../kube/objects/time.ts';
import { nowMs } from '../system/system.ts';
import { timesOf } from './answers.ts';
import type { GateDependencies } from './dependencies.ts';
import type { NamespaceObjects } from './going.ts';
import {
  goingOf,
  grantedForMs,
  isCountedGoing,
  isLive,
  isOf,
  limitOf,
  updatesInPlace,
} from './going.ts';
import { formatRoom } from './words.ts';
import { holdsFor, policiesFor, selects } from './selecting.ts';
import { liveTurns } from './turns.ts';
import type { Decision } from './writing.ts';
import { decisionOn } from './writing.ts';

export interface SetSize {
  set: string;
  to: number;
}

export interface RolloutRequest {
  deployment: MachineDeployment;
  /** Sets that are to shrink. Empty: only the turn is asked for. */
  sizes: readonly SetSize[];
  /** Going back in the middle of a rollout: only numbers of machines bound it. */
  isUrgent?: boolean;
}

export interface Taken {
  /** It is the turn of the deployment, and the time. */
  mayGrow: boolean;
  /** Those that were granted, which may be larger than what was asked for. */
  sizes: SetSize[];
}

const nothing: Taken = { mayGrow: false, sizes: [] };

export async function takeForRollout(
  dependencies: GateDependencies,
  request: RolloutRequest,
): Promise<Taken> {
  const known = dependencies.policies.current();
  if (known.unreadable !== undefined) return nothing;
  const policies = policiesFor(known.policies, request.deployment, 'Rollout');
  let { sizes } = request;
  for (const policy of policies) {
    const asked = { ...request, sizes };
    const taken = await decisionOn(dependencies, policy, {
      decide: (present, objects) => grantSizes(present, objects, asked),
      busy: nothing,
    });
    if (taken && !taken.mayGrow) return nothing;
    sizes = taken?.sizes ?? sizes;
  }
  return { mayGrow: true, sizes: [...sizes] };
}

function grantSizes(
  policy: DisruptionPolicy,
  objects: NamespaceObjects,
  { deployment, sizes, isUrgent = false }: RolloutRequest,
): Decision<Taken> {
  const now = nowMs();
  const asked = { mayGrow: true, sizes: [...sizes] };
  if (!holdsFor(policy, 'Rollout') || !selects(policy, deployment)) return { answer: asked };
  const turns = turnsOf(policy, objects, { deployment, isUrgent, now });
  if (!turns) return { answer: nothing };
  const limit = limitOf(policy, objects);
  if (limit === undefined || sizes.length === 0) return { ...changeOf(turns), answer: asked };
  const { uid } = deployment.metadata;
  const going = goingOf(policy, objects, { uid, now });
  const granted = within(limit - going.all, { sizes, objects, uid });
  const answer = { mayGrow: true, sizes: granted };
  if (granted.length === 0) return { ...changeOf(turns), answer };
  const grants = grantsWith(policy, objects, { deployment, sizes: granted, now });
  return { ...changeOf({ ...turns, ...grants }), answer };
}

interface TurnRequest {
  deployment: MachineDeployment;
  isUrgent: boolean;
  now: number;
}

/** What is to be written to take the turn; undefined where the policy lets nothing go on now. */
function turnsOf(
  policy: DisruptionPolicy,
  objects: NamespaceObjects,
  { deployment, isUrgent, now }: TurnRequest,
): { turns?: DisruptionTurn[] } | undefined {
  const { closed } = timesOf(policy, deployment, now);
  if (closed && !(isUrgent && closed.kind === 'time')) return undefined;
  return isUrgent ? {} : turnsWith(policy, objects, deployment);
}

function changeOf<Change extends object>(change: Change): { change?: Change } {
  return Object.keys(change).length === 0 ? {} : { change };
}

/**
 * Undefined where the turn is another's. A free one is taken also when another one is the first by
 * name: this one acts now.
 */
function turnsWith(
  policy: DisruptionPolicy,
  objects: NamespaceObjects,
  { metadata: { name, uid } }: MachineDeployment,
): { turns?: DisruptionTurn[] } | undefined {
  const { deployments: limit } = policy.spec.atATime ?? {};
  if (limit === undefined) return {};
  const turns = liveTurns(policy, objects);
  if (turns.some((turn) => turn.uid === uid)) return {};
  if (turns.length >= limit) return undefined;
  return { turns: [...turns, { deployment: name, uid, since: timestamp(nowMs()) }] };
}

/** The sizes for which there is room, the first ones first; the last of them may be cut. */
function within(
  room: number,
  {
    sizes,
    objects,
    uid,
  }: Pick<RolloutRequest, 'sizes'> & { objects: NamespaceObjects; uid: string },
): SetSize[] {
  let left = Math.max(room, 0);
  return sizes.flatMap(({ set, to }) => {
    const found = objects.sets.find((one) => isOf({ set, uid }, one));
    const replicas = Math.max(found?.spec.replicas ?? 0, 0);
    const count = Math.min(Math.max(replicas - to, 0), left);
    if (count === 0 && replicas > to) return [];
    left -= count;
    return [{ set, to: Math.max(replicas - count, to) }];
  });
}

/** A grant that stands is written anew before it ends: an attempt may live for some minutes. */
const isFresh = ({ takenAt }: DisruptionGrant, now: number): boolean =>
  now - (timeOf(takenAt) ?? 0) < grantedForMs / 2;

interface SizesRequest {
  deployment: MachineDeployment;
  sizes: readonly SetSize[];
  now: number;
}

/** Instead of the sizes that the deployment was granted before. Those that have ended go. */
function grantsWith(
  policy: DisruptionPolicy,
  objects: NamespaceObjects,
  { deployment, sizes, now }: SizesRequest,
): { grants?: DisruptionGrant[] } {
  const { name, uid } = deployment.metadata;
  const present = policy.status?.grants ?? [];
  const own = present.filter((grant) => grant.uid === uid && grant.machine === undefined);
  const isSame =
    own.length === sizes.length &&
    sizes.every(({ set, to }) =>
      own.some((grant) => grant.set === set && grant.to === to && isFresh(grant, now)),
    );
  if (isSame) return {};
  const others = openGrants(policy, objects, now).filter((grant) => !own.includes(grant));
  const takenAt = timestamp(now);
  return {
    grants: [...others, ...sizes.map((size) => ({ deployment: name, uid, ...size, takenAt }))],
  };
}

/** Those that still allow something. */
export function openGrants(
  policy: DisruptionPolicy,
  { deployments, sets, machines }: NamespaceObjects,
  now: number,
): DisruptionGrant[] {
  return (policy.status?.grants ?? []).filter((grant) => {
    const set = sets.find((one) => isOf(grant, one));
    if (!set || !isLive(grant, now)) return false;
    if (grant.machine === undefined) return (set.spec.replicas ?? 0) > (grant.to ?? 0);
    const machine = machines.find(({ metadata }) => metadata.name === grant.machine);
    const isInPlace = deployments.some(
      (one) => one.metadata.uid === grant.uid && updatesInPlace(one),
    );
    return machine !== undefined && mayStillTake(machine, isInPlace);
  });
}

/** One that is updated in place has ended its grant once it is counted. */
function mayStillTake(machine: Machine, isInPlace: boolean): boolean {
  const { phase } = machine.status?.currentStatus ?? {};
  if (machine.metadata.deletionTimestamp !== undefined) return false;
  return phase === 'Unknown' || phase === 'Failed' || (isInPlace && !isCountedGoing(machine));
}

/** A machine, and the name of its MachineSet. */
export interface NamedMachine {
  set: string;
  machine: string;
}

export interface UpdateRequest {
  deployment: MachineDeployment;
  /** Those that are to be updated in place, the first ones first. */
  machines: readonly NamedMachine[];
  /** As in `RolloutRequest`. */
  isUrgent?: boolean | undefined;
}

/** Of machines that are to be updated in place: the names of those that may be. */
export async function takeForUpdates(
  dependencies: GateDependencies,
  { machines, ...request }: UpdateRequest,
): Promise<string[]> {
  const known = dependencies.policies.current();
  if (known.unreadable !== undefined) return [];
  let taken = machines;
  for (const policy of policiesFor(known.policies, request.deployment, 'Rollout')) {
    const asked = { ...request, machines: taken };
    taken =
      (await decisionOn(dependencies, policy, {
        decide: (present, objects) => grantUpdates(present, objects, asked),
        busy: [],
      })) ?? taken;
  }
  return taken.map(({ machine }) => machine);
}

function grantUpdates(
  policy: DisruptionPolicy,
  objects: NamespaceObjects,
  { deployment, machines, isUrgent = false }: UpdateRequest,
): Decision<readonly NamedMachine[]> {
  const now = nowMs();
  if (!holdsFor(policy, 'Rollout') || !selects(policy, deployment)) return { answer: machines };
  const turns = turnsOf(policy, objects, { deployment, isUrgent, now });
  if (!turns || machines.length === 0) return { answer: [] };
  const limit = limitOf(policy, objects);
  if (limit === undefined) return { ...changeOf(turns), answer: machines };
  const names = new Set(machines.map(({ machine }) => machine));
  const going = goingOf(policy, objects, { machines: names, now });
  const answer = machines.slice(0, Math.max(limit - going.all, 0));
  const { name, uid } = deployment.metadata;
  const isOwn = (grant: DisruptionGrant, { machine }: NamedMachine): boolean =>
    grant.uid === uid && grant.machine === machine;
  const present = policy.status?.grants ?? [];
  const news = answer.filter(
    (one) => !present.some((grant) => isOwn(grant, one) && isFresh(grant, now)),
  );
  if (news.length === 0) return { ...changeOf(turns), answer };
  const others = openGrants(policy, objects, now).filter(
    (grant) => !news.some((one) => isOwn(grant, one)),
  );
  const takenAt = timestamp(now);
  const grants = [...others, ...news.map((one) => ({ deployment: name, uid, ...one, takenAt }))];
  return { change: { ...turns, grants }, answer };
}

export interface MachineRequest {
  deployment: MachineDeployment;
  reason: Exclude<DisruptionReason, 'Rollout'>;
  /** Name of its MachineSet. */
  set: string;
  /** Names. */
  machine: string;
}

export interface MachineAnswer {
  /** Why it may not be replaced, for people. */
  refusal?: string;
  /** A policy holds for it. */
  isBound?: true;
}

/** For a machine that is ill, and that is to be replaced. */
export async function takeForMachine(
  dependencies: GateDependencies,
  request: MachineRequest,
): Promise<MachineAnswer> {
  const known = dependencies.policies.current();
  if (known.unreadable !== undefined) return { refusal: known.unreadable };
  const policies = policiesFor(known.policies, request.deployment, request.reason);
  // All are asked before one is taken from: a machine that waits for one of them for days must not
  // keep others from what it has of the other one.
  const asked = policies.length > 1 ? [true, false] : [false];
  for (const isQuestion of asked) {
    for (const policy of policies) {
      const refusal = await decisionOn(dependencies, policy, {
        decide(present, objects) {
          const { answer, ...change } = grantMachine(present, objects, request);
          return isQuestion ? { answer } : { ...change, answer };
        },
        busy: 'others take from it all the time',
      });
      if (refusal) return { refusal: `DisruptionPolicy ${policy.metadata.name}: ${refusal}` };
    }
  }
  return policies.length === 0 ? {} : { isBound: true };
}

function grantMachine(
  policy: DisruptionPolicy,
  objects: NamespaceObjects,
  { deployment, reason, set, machine }: MachineRequest,
): Decision<string> {
  const now = nowMs();
  if (!holdsFor(policy, reason) || !selects(policy, deployment)) return { answer: '' };
  const { closed } = timesOf(policy, deployment, now);
  if (closed) return { answer: closed.why };
  const limit = limitOf(policy, objects);
  if (limit === undefined) return { answer: '' };
  const going = goingOf(policy, objects, { machines: new Set([machine]), now });
  if (going.underWay >= limit) return { answer: formatRoom(limit, going, 'underWay') };
  const { name, uid } = deployment.metadata;
  const isOwn = (grant: DisruptionGrant): boolean => grant.uid === uid && grant.machine === machine;
  const present = policy.status?.grants ?? [];
  if (present.some((grant) => isOwn(grant) && isFresh(grant, now))) return { answer: '' };
  const others = openGrants(policy, objects, now).filter((grant) => !isOwn(grant));
  const grant = { deployment: name, uid, set, machine, takenAt: timestamp(now) };
  return { change: { grants: [...others, grant] }, answer: '' };
}
