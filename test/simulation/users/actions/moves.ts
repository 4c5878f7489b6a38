/** Machines that leave for a while without their instances, as in a migration that is taken back. */
import { customResource } from '../../../../activities/kube/client/paths.ts';
import { manifestOf } from '../manifest.ts';
import { hasNode, isLone, minuteMs, nodeOf } from '../user.ts';
import type { Picked, User } from '../user.ts';
import { mendClass } from './classes.ts';

/** About as long as from one search for orphans to the next, and to the one after. Minutes. */
const periods = { away: [12, 16], back: [35, 40] } as const;

/**
 * A Machine goes, comes back, and goes again; since it is back, the credentials of other classes
 * are missing.
 */
export async function moveTwice(user: User): Promise<void> {
  const picked = pickLone(user);
  if (!picked) return;
  takeAway(user, picked);
  if (!(await pause(user, 'away'))) return;
  putBack(user, picked);
  const others = user
    .all('machineclasses')
    .filter(({ object }) => object.metadata.name !== classOf(picked));
  for (const { path } of others) user.control.patch(path, withoutSecrets);
  if (!(await pause(user, 'back'))) return;
  takeAway(user, picked);
  if (await pause(user, 'away')) for (const other of others) mendClass(user, other);
}

const missing = { name: 'missing' };
const withoutSecrets = { secretRef: missing, credentialsSecretRef: missing };

function pause(user: User, period: keyof typeof periods): Promise<boolean> {
  const [least, most] = periods[period];
  return user.wait(least * minuteMs, most * minuteMs);
}

/** One that no set makes another for. */
function pickLone(user: User): Picked | undefined {
  const joined = user.all('machines').filter(({ object }) => hasNode(object));
  const lone = joined.filter(({ object }) => isLone(object));
  return user.oneOf(lone.length > 0 ? lone : joined);
}

function classOf({ object }: Picked): string | undefined {
  const { class: its }: { class?: { name?: string } } = { ...object.spec };
  return its?.name;
}

function takeAway({ control }: User, { path }: Picked): void {
  control.patch(path, { metadata: { finalizers: null } });
  control.delete(path);
}

/** On its own, and with the instance that it had. */
function putBack({ control, namespace }: User, { name, object }: Picked): void {
  const node = nodeOf(object);
  const labels = node === undefined ? {} : { node };
  const body = { ...manifestOf(object), metadata: { name, namespace, labels }, spec: object.spec };
  control.create(customResource('machines', namespace), body);
}
