/** What is deleted, and comes back under its name. */
import { customResource } from '../../../../kube/client/paths.ts';
import { labels, options } from '../../../../workflows/api/constants.ts';
import type { Policy } from '../kubectl.ts';
import { manifestOf } from '../manifest.ts';
import { machineBody } from '../objects.ts';
import { classNames } from '../set-up.ts';
import type { Kind } from '../set-up.ts';
import { isDeleting, isLone, minuteMs, nodeOf, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';
import { reportDeadlock } from './nodes.ts';

const policies: readonly Policy[] = ['Background', 'Foreground', 'Orphan'];
/** Machines that a namespace has beside those of its repository. */
const additionalMachinesMax = 4;
/** How often a user checks a cluster before giving up waiting for an outage. */
const outageChecks = 20;

export async function deleteMachine(user: User): Promise<void> {
  const { chance } = user;
  const picked = user.pick('machines');
  if (!picked) return;
  const body = { metadata: { labels: { [labels.forceDeletion]: 'True' } } };
  const isForced = chance.happens(0.15);
  if (isForced && chance.happens(0.5)) user.control.patch(picked.path, body);
  user.control.delete(picked.path, chance.happens(0.8) ? 'Background' : chance.pick(policies));
  if (!isForced || !(await user.wait(secondMs, 5 * minuteMs))) return;
  if (user.control.has(picked.path)) user.control.patch(picked.path, body);
}

/**
 * Of a cluster that has been away for a while, some, many by force: its Nodes cannot be drained,
 * and the Machines can go all the same (docs/drain.md). Of one that answers, one that is in doubt.
 */
export async function giveUpMachines(user: User): Promise<void> {
  const { chance, control } = user;
  const isLost = await targetIsLost(user);
  if (!(await user.wait(0, secondMs))) return;
  const all = user.all('machines');
  const one = user.oneOf(all);
  const givenUp = isLost ? all.filter(() => chance.happens(0.3)) : one && [one];
  const body = { metadata: { labels: { [labels.forceDeletion]: 'True' } } };
  for (const { path } of givenUp ?? []) {
    if (chance.happens(0.7)) control.patch(path, body);
    control.delete(path);
  }
}

/** Waits for an outage that is not over within minutes; false: none came. */
async function targetIsLost(user: User): Promise<boolean> {
  const { control, target } = user.install;
  let checksAway = 0;
  for (let check = 0; check < outageChecks && checksAway < 3; check += 1) {
    if (!(await user.wait(minuteMs / 2, 2 * minuteMs))) return false;
    checksAway = control.isUp && !target.isUp ? checksAway + 1 : 0;
  }
  return checksAway === 3;
}

export async function deleteSet(user: User): Promise<void> {
  const picked = user.pick('machinesets', (object) => !isDeleting(object));
  if (!picked) return;
  user.control.delete(picked.path, user.chance.pick(policies));
  if (isLone(picked.object)) await bringBack(user, 'machinesets', picked);
}

export async function deleteDeployment(user: User): Promise<void> {
  const picked = user.pick('machinedeployments', (object) => !isDeleting(object));
  if (!picked) return;
  user.control.delete(picked.path, user.chance.pick(policies));
  await bringBack(user, 'machinedeployments', picked);
}

/** Nodes that fail together, by a bad image. */
const failingNodesMost = 3;

/**
 * While machines fail, replacements are made slow, and then a person takes the deployment away,
 * keeps its sets, and brings it back when the trouble is over.
 */
export async function takeOverSets(user: User): Promise<void> {
  const picked = user.pick('machinedeployments', (object) => !isDeleting(object));
  if (!picked) return;
  const { chance, control } = user;
  const budget = { [options.replacementBudget]: chance.pick(['1', '2']) };
  if (chance.happens(0.7)) control.patch(picked.path, { metadata: { annotations: budget } });
  if (!(await user.wait(secondMs, 5 * minuteMs)) || !control.has(picked.path)) return;
  control.delete(picked.path, 'Orphan');
  if (!(await user.wait(0, 10 * minuteMs))) return;
  reportDeadlocks(user, picked.name);
  if (!(await user.wait(20 * minuteMs, 60 * minuteMs))) return;
  await bringBack(user, 'machinedeployments', picked);
}

/** The node problem detector sees it on a few of them; no kubelet takes it back. */
function reportDeadlocks(user: User, pool: string): void {
  const names = user.all('machines').flatMap(({ name, object }) => {
    const node = nodeOf(object);
    return node !== undefined && name.startsWith(`${pool}-`) ? [node] : [];
  });
  for (const name of names.slice(0, failingNodesMost)) reportDeadlock(user, name, 'True');
}

/** As it was last or as the repository has it: at once, in vain for a while, or later. */
async function bringBack(user: User, kind: Kind, { path, object }: Picked): Promise<void> {
  const { chance, repository } = user;
  const last = manifestOf(object);
  const body = chance.happens(0.5) ? (repository[kind].get(path) ?? last) : last;
  const [leastMs, mostMs] = chance.happens(0.5) ? [0, 5 * secondMs] : [0, 20 * minuteMs];
  let isBack = false;
  for (let attempt = 0; attempt < 100 && !isBack; attempt += 1) {
    if (!(await user.wait(leastMs, mostMs))) return;
    isBack = Boolean(user.control.create(customResource(kind, user.namespace), body));
  }
}

/** A Machine goes, and one of its name comes in the same second, of a set or by itself. */
export async function replaceMachine(user: User): Promise<void> {
  const picked = user.pick('machines', (object) => !isDeleting(object));
  if (!picked) return;
  const { providerID: _its, ...spec } = { ...picked.object.spec };
  const body = { ...manifestOf(picked.object), spec };
  user.control.delete(picked.path);
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (!(await user.wait(0, 4 * secondMs))) return;
    if (user.control.has(picked.path)) continue;
    const collection = customResource('machines', user.namespace);
    if (user.install.control.isUp) user.control.create(collection, body);
    return;
  }
}

export function createMachine(user: User): void {
  const { chance, namespace, repository } = user;
  const lone = user.all('machines').filter(({ object }) => isLone(object));
  if (lone.length >= repository.machines.size + additionalMachinesMax) return;
  const name = `single-${1 + chance.below(repository.machines.size + additionalMachinesMax)}`;
  const className = chance.pick(classNames);
  user.control.create(
    customResource('machines', namespace),
    machineBody({ namespace, name, className }, chance),
  );
}
