/** Machines that leave for a while without their instances, as in a migration that is taken back. */
import { customResource } from '../../../../activities/kube/client/paths.ts';
import { manifestOf } from '../manifest.ts';
import { hasNode, isLone, minuteMs, nodeOf } from '../user.ts';
import type { Picked, User } from '../user.ts';
import { mendClass } from './classes.ts';

/** About as long as from one search for orphans to the next. Minutes. */
const [least, most] = [12, 16];

/**
 * A Machine goes, comes back, and goes again; when it is back, the credentials of another class are
 * still missing.
 */
export async function moveTwice(user: User): Promise<void> {
  const picked = pickLone(user);
  if (!picked) return;
  const pause = (): Promise<boolean> => user.wait(least * minuteMs, most * minuteMs);
  takeAway(user, picked);
  if (!(await pause())) return;
  putBack(user, picked);
  const other = user.pick('machineclasses', ({ metadata }) => metadata.name !== classOf(picked));
  if (other) user.control.patch(other.path, { secretRef: { name: 'missing' } });
  if (!(await pause())) return;
  takeAway(user, picked);
  if ((await pause()) && other) mendClass(user, other);
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
