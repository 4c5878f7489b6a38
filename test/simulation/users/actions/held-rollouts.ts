/** Rollouts that people hold, and what they want of them meanwhile. */
import { options } from '../../../../workflows/api/constants.ts';
import type { Chance } from '../../engine/chance.ts';
import { isDeleting, isLone, minuteMs, replicasOf, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';
import { holdMachines } from './held-deletions.ts';
import { machinesOf } from './scaling.ts';

type Body = Record<string, unknown>;

interface Hold {
  begin: Body;
  end: Body;
}

const paused: Hold = { begin: { spec: { paused: true } }, end: { spec: { paused: null } } };

function byOption(key: string, value: string): Hold {
  const annotated = (text: string | null): Body => ({ metadata: { annotations: { [key]: text } } });
  return { begin: annotated(value), end: annotated(null) };
}

/** Of a build that was hardly ever used before. */
function newTemplate(chance: Chance): Body {
  const labels = { version: String(4 + chance.below(1_000)) };
  return { spec: { template: { metadata: { labels } } } };
}

function holdsFor(user: User): Hold[] {
  const { chance } = user;
  const onDelete = byOption(options.onDelete, 'true');
  const canary = byOption(options.canary, chance.pick(['1', '2', '30%', '1 for 5m, 2']));
  const later = byOption(options.rolloutAfter, user.timeIn(60 * minuteMs));
  return chance.pick([[paused], [canary], [canary], [canary], [onDelete, paused], [later]]);
}

function pickRollout(user: User): Picked | undefined {
  return user.pick('machinedeployments', (object) => !isDeleting(object) && isLone(object));
}

/**
 * A new template is held back before it reaches all machines, and the load does not wait for the
 * people who decide on it.
 */
export async function scaleHeldRollout(user: User): Promise<void> {
  const { chance, control } = user;
  const picked = pickRollout(user);
  if (!picked) return;
  const holds = holdsFor(user);
  const isEmpty = chance.happens(0.25);
  if (isEmpty && !(await empty(user, picked))) return;
  const begin = (): unknown => holds.map((hold) => control.patch(picked.path, hold.begin));
  const change = (): unknown => control.patch(picked.path, newTemplate(chance));
  const [first, second] = isEmpty || chance.happens(0.6) ? [begin, change] : [change, begin];
  first();
  if (!(await user.wait(secondMs, 3 * minuteMs))) return;
  second();
  if (!(await scaleUp(user, picked))) return;
  if (!(await user.wait(15 * minuteMs, 40 * minuteMs))) return;
  for (const { end } of holds) control.patch(picked.path, end);
}

async function empty(user: User, { path }: Picked): Promise<boolean> {
  user.control.patch(path, { spec: { replicas: 0 } });
  return user.wait(minuteMs, 6 * minuteMs);
}

/** At last more than before; some first want fewer, and machines go that something keeps. */
async function scaleUp(user: User, { path, name, object }: Picked): Promise<boolean> {
  const { chance, control } = user;
  if (chance.happens(0.4)) void holdMachines(user, { name });
  const before = Math.max(1, replicasOf(object));
  const fewer = chance.happens(0.4) ? [Math.floor(before / 2)] : [];
  for (const replicas of [...fewer, before + 1 + chance.below(3)]) {
    if (!(await user.wait(secondMs, 2 * minuteMs))) return false;
    control.patch(path, { spec: { replicas } });
  }
  return true;
}

/** A drain that something holds is not waited for. */
const longestEmptyingMs = 20 * minuteMs;

/**
 * A pool without machines is paused, gets a new template, and then machines are wanted before
 * anybody resumes it: the pause holds back the template and not the size.
 */
export async function refillPaused(user: User): Promise<void> {
  const { chance, control } = user;
  const picked = pickRollout(user);
  if (!picked) return;
  const { path, object } = picked;
  const replicas = Math.max(1, replicasOf(object));
  control.patch(path, { spec: { replicas: 0 } });
  if (!(await isEmptied(user, picked))) return;
  for (const body of [paused.begin, newTemplate(chance), { spec: { replicas } }]) {
    control.patch(path, body);
    if (!(await user.wait(secondMs, 2 * minuteMs))) return;
  }
  if (await user.wait(15 * minuteMs, 40 * minuteMs)) control.patch(path, paused.end);
}

/** False when the weather has cleared in the meantime. */
async function isEmptied(user: User, picked: Picked): Promise<boolean> {
  const endAt = user.now + longestEmptyingMs;
  do {
    if (!(await user.wait(20 * secondMs, minuteMs))) return false;
  } while (user.now < endAt && machinesOf(user, picked).length > 0);
  return true;
}
