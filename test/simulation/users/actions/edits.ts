/** Machines that are edited by hand. */
import { terminateMachine } from './commands.ts';
import { limitsOf } from '../objects.ts';
import { classNames } from '../set-up.ts';
import { hasNode, isDeleting, minuteMs, nodeOf } from '../user.ts';
import type { User } from '../user.ts';

/** Label of a Machine that its user gives up. */
export const givenUpLabel = 'example.com/given-up';

/**
 * The label that names its Node is taken from another Machine, by mistake or with a manifest that
 * was copied; soon that is found out, and the Machine is deleted. The Node stays with the Machine
 * whose providerID it has (docs/drain.md).
 */
export async function mislabelMachine(user: User): Promise<void> {
  const [picked, other] = [user.pick('machines', hasNode), user.pick('machines', hasNode)];
  if (!picked || !other || picked.name === other.name) return;
  const labels = { node: nodeOf(other.object), [givenUpLabel]: 'True' };
  user.control.patch(picked.path, { metadata: { labels } });
  // A run that begins anew has read what the object says.
  if (user.chance.happens(0.6)) await terminateMachine(user, picked.name);
  if (await user.wait(0, 5 * minuteMs)) user.control.delete(picked.path);
}

/** Mostly of one whose deletion takes too long. */
export async function editMachine(user: User): Promise<void> {
  const { chance } = user;
  const picked = user.pick('machines', (object) => isDeleting(object) || chance.happens(0.1));
  if (!picked) return;
  const another = { kind: 'MachineClass', name: chance.pick(classNames) };
  const spec = {
    ...limitsOf(chance),
    ...(chance.happens(0.5) && { drainTimeout: chance.pick(['1m', '3m']) }),
    ...(chance.happens(0.2) && { class: another }),
  };
  await user.change(picked, { spec });
}
