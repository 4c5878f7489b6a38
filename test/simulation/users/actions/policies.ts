/** Admission policies that are in the way of a pool whose size changes. */
import { customResource } from '../../../../kube/client/paths.ts';
import type { Refusal } from '../../world/hindrances.ts';
import type { Found } from '../kubectl.ts';
import { poolLabel } from '../objects.ts';
import {
  hasNode,
  isDeleting,
  isLone,
  isOwnedBy,
  minuteMs,
  nodeOf,
  phaseOf,
  replicasOf,
  secondMs,
} from '../user.ts';
import type { Picked, User } from '../user.ts';
import { reportDeadlock } from './nodes.ts';
import { choiceOf, machinesOf } from './scaling.ts';

type Policy = Pick<Refusal, 'method' | 'pathPrefix' | 'verdict'>;

const denied: readonly Refusal['verdict'][] = [
  { code: 403, reason: 'Forbidden', message: 'admission webhook "policy.example" denied it' },
  { code: 422, reason: 'Invalid', message: 'admission webhook "policy.example" denied it' },
];
const quota = { code: 403, reason: 'Forbidden', message: 'exceeded quota: machines' };
/** A flow schema that lets none of these calls through. */
const overload = { code: 429, reason: 'TooManyRequests', message: 'too many requests' };

/**
 * A policy keeps something as it is for a while; the load does not wait: fewer machines are wanted,
 * and soon as many as before.
 */
export async function resizeUnderPolicy(user: User): Promise<void> {
  const { chance, control } = user;
  const kind = chance.happens(0.7) ? 'machinedeployments' : 'machinesets';
  const picked = user.pick(kind, isSizable);
  const policy = picked && policyFor(user, picked);
  if (!policy) return;
  const before = replicasOf(picked.object);
  user.refuse({ ...policy, untilMs: user.now + chance.between(12, 35) * minuteMs });
  for (const replicas of [chance.below(before), before + chance.below(3)]) {
    if (!(await user.wait(secondMs, 3 * minuteMs))) return;
    control.patch(picked.path, { spec: { replicas } });
  }
}

/**
 * No set of a pool may shrink for a while, as in a change freeze. The autoscaler is not told: it
 * chooses machines and lowers the number of their deployment, which has no such rule.
 */
export async function autoscaleUnderFreeze(user: User): Promise<void> {
  const { chance } = user;
  const picked = user.pick('machinedeployments', isSizable);
  if (!picked) return;
  const sets = membersOf(user, 'machinesets', picked);
  const machines = machinesOf(user, picked).filter(({ object }) => hasNode(object));
  const names = machines.slice(0, 1 + chance.below(2)).map(({ name }) => name);
  if (sets.length === 0 || names.length === 0) return;
  const untilMs = user.now + chance.between(10 * secondMs, 3 * minuteMs);
  const verdict = chance.pick(denied);
  for (const set of sets) user.refuse({ ...keepingSizeOf(set), verdict, untilMs });
  if (!(await user.wait(secondMs, 10 * secondMs))) return;
  const replicas = Math.max(0, replicasOf(picked.object) - names.length);
  user.control.patch(picked.path, choiceOf(user, names, replicas));
}

function keepingSizeOf({
  path,
  object,
}: Picked): Pick<Refusal, 'method' | 'pathPrefix' | 'isMeant'> {
  const least = replicasOf(object);
  return {
    method: 'PATCH',
    pathPrefix: path,
    isMeant: (body) => {
      const { spec }: { spec?: { replicas?: number } } = Object(body);
      return (spec?.replicas ?? least) < least;
    },
  };
}

/** With a machine that can go. */
function isSizable(object: Found): boolean {
  return !isDeleting(object) && isLone(object) && replicasOf(object) > 0;
}

/** Undefined where it would have no object. */
function policyFor(user: User, owner: Picked): Policy | undefined {
  const { chance, namespace } = user;
  const verdict = chance.pick(denied);
  const machines = customResource('machines', namespace);
  const machine = user.oneOf(membersOf(user, 'machines', owner));
  const set = user.oneOf(membersOf(user, 'machinesets', owner));
  if (!machine || !set) return undefined;
  return chance.pick<Policy>([
    { method: 'PATCH', pathPrefix: machine.path, verdict },
    { method: 'DELETE', pathPrefix: `${machines}/`, verdict: overload },
    { method: 'POST', pathPrefix: machines, verdict: quota },
    // A rule on a field that the server does not take any more.
    { method: 'PATCH', pathPrefix: `${set.path}/status`, verdict },
  ]);
}

/**
 * A machine fails, and a policy keeps it for an inquiry; meanwhile others of its set go, and are to
 * be replaced.
 */
export async function keepForInquiry(user: User): Promise<void> {
  const { chance, control } = user;
  const kept = user.pick('machines', (object) => hasNode(object) && !isLone(object));
  if (!kept) return;
  const node = nodeOf(kept.object);
  if (node !== undefined && phaseOf(kept.object) !== 'Failed') reportDeadlock(user, node, 'True');
  const untilMs = user.now + chance.between(30, 50) * minuteMs;
  user.refuse({ method: 'DELETE', pathPrefix: kept.path, verdict: chance.pick(denied), untilMs });
  if (!(await user.wait(6 * minuteMs, 14 * minuteMs))) return;
  const others = user.all('machines').filter(({ object }) => areOfOneSet(object, kept.object));
  const other = user.oneOf(others.filter(({ name }) => name !== kept.name));
  if (other) control.delete(other.path);
}

function areOfOneSet(one: Found, other: Found): boolean {
  const [first, second] = [one, other].map(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.find(({ controller }) => controller === true),
  );
  return !isDeleting(one) && first?.uid === second?.uid;
}

function membersOf(user: User, kind: 'machines' | 'machinesets', { object }: Picked): Picked[] {
  const { template }: { template?: { metadata?: { labels?: Record<string, string> } } } = {
    ...object.spec,
  };
  const pool = template?.metadata?.labels?.[poolLabel];
  const { uid } = object.metadata;
  const isOf = (one: Found): boolean =>
    one.metadata.uid === uid || isOwnedBy(one, object) || one.metadata.labels?.[poolLabel] === pool;
  return user.all(kind).filter((one) => !isDeleting(one.object) && isOf(one.object));
}
