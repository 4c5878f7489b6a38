/** People who say when machines that work may go, and how many at a time. */
import { disruptionPolicy } from '../../../../kube/client/paths.ts';
import { options } from '../../../../workflows/api/constants.ts';
import type { Refusal } from '../../world/hindrances.ts';
import {
  exclusionOf,
  limitsOf,
  policiesIn,
  policyBody,
  policyNames,
  policySpec,
  windowsOf,
} from '../disruption-policy.ts';
import { isDeleting, minuteMs, secondMs } from '../user.ts';
import type { User } from '../user.ts';
import { pickDeployment } from './rollouts.ts';

/** Most are taken away again: a window of once a day keeps a rollout until then. */
export async function writePolicy(user: User): Promise<void> {
  const { chance, control, namespace } = user;
  const name = chance.pick(policyNames);
  const body = policyBody(user, name, policySpec(user));
  if (control.create(disruptionPolicy(namespace), body)) await forget(user, name);
}

async function forget(user: User, name: string): Promise<void> {
  const { chance, control, namespace } = user;
  if (chance.happens(0.2) || !(await user.wait(5 * minuteMs, 60 * minuteMs))) return;
  const path = disruptionPolicy(namespace, name);
  if (control.has(path)) control.delete(path);
}

export async function editPolicy(user: User): Promise<void> {
  const picked = user.oneOf(policiesIn(user));
  if (!picked) return;
  const { chance } = user;
  const windows = { windows: chance.happens(0.7) ? windowsOf(user) : null };
  const exclusions = { exclusions: chance.happens(0.6) ? [exclusionOf(user)] : null };
  // What is null goes: a surge needs one deployment at a time.
  const limits = { atATime: null, surge: null, ...replaced(limitsOf(user)) };
  await user.change(picked, { spec: chance.pick<object>([windows, exclusions, limits]) });
}

/** As a merge patch: of the limits before none stays. */
function replaced({ atATime, surge }: ReturnType<typeof limitsOf>): object {
  const { machines = null, deployments = null } = atATime ?? {};
  return { ...(atATime && { atATime: { machines, deployments } }), surge: surge ?? null };
}

export function deletePolicy(user: User): void {
  const picked = user.oneOf(policiesIn(user));
  if (picked) user.control.delete(picked.path);
}

/** A policy is made for several pools, and all of them get a new template. */
export async function rollUnderPolicy(user: User): Promise<void> {
  const { chance, control, namespace } = user;
  const { selector: _part, ...spec } = policySpec(user);
  const name = chance.pick(policyNames);
  const body = policyBody(user, name, spec);
  if (control.create(disruptionPolicy(namespace), body)) void forget(user, name);
  const labels = { version: String(4 + chance.below(1_000)) };
  const template = { spec: { template: { metadata: { labels } } } };
  for (const { path: pool, object } of user.all('machinedeployments')) {
    if (isDeleting(object)) continue;
    control.patch(pool, template);
    if (chance.happens(0.5) && !(await user.wait(secondMs / 10, minuteMs))) return;
  }
}

/** There is no time to wait: windows and exclusions hold no more for a while. */
export async function overridePolicies(user: User): Promise<void> {
  const picked = pickDeployment(user);
  if (!picked) return;
  const { chance, control } = user;
  const key = options.overridePolicies;
  const time = user.timeIn(chance.between(5, 40) * minuteMs);
  const text = chance.happens(0.1) ? 'soon' : `${time} CVE-2026-1234`;
  await user.change(picked, { metadata: { annotations: { [key]: text } } });
  if (text !== 'soon' && chance.happens(0.5)) return;
  if (!(await user.wait(2 * minuteMs, 30 * minuteMs))) return;
  if (control.has(picked.path)) {
    control.patch(picked.path, { metadata: { annotations: { [key]: null } } });
  }
}

const forbidden: Refusal['verdict'] = {
  code: 403,
  reason: 'Forbidden',
  message: 'disruptionpolicies.millwright.dev is forbidden: cannot list resource',
};

/** A role is changed, and nobody of ours may read policies for a while. */
export function hidePolicies(user: User): void {
  const untilMs = user.now + user.chance.between(1, 20) * minuteMs;
  const pathPrefix = disruptionPolicy(user.namespace);
  user.refuse({ method: 'GET', pathPrefix, verdict: forbidden, untilMs });
  user.breakWatches();
}
