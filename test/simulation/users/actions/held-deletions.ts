/** Machines that go, and that something keeps for longer than most drains take. */
import { labels } from '../../../../workflows/api/constants.ts';
import type { Found } from '../kubectl.ts';
import { poolLabel } from '../objects.ts';
import { isDeleting, isLone, isOwnedBy, minuteMs, replicasOf } from '../user.ts';
import type { Picked, User } from '../user.ts';
import { letGo, otherFinalizer } from './finalizers.ts';

const heldMost = 2;
const leastOfLarge = 3;

/** Some of a deployment are deleted; another program has to do something before they may go. */
export async function holdMachines(user: User, { name }: Pick<Picked, 'name'>): Promise<void> {
  const { control } = user;
  const machines = machinesOfPool(user, name);
  const held = chosen(user, machines);
  for (const machine of held) {
    hold(user, machine);
    control.delete(machine.path);
  }
  if (await user.wait(2 * minuteMs, 8 * minuteMs))
    for (const machine of held) letGo(control, machine);
}

/** A set of a deployment is given up, and of its machines one stays for long. */
export async function deleteHeldSet(user: User): Promise<void> {
  const { chance, control } = user;
  const picked = user.pick('machinesets', isLarge);
  if (!picked) return;
  const machines = user.all('machines').filter(({ object }) => isOwnedBy(object, picked.object));
  const held = chosen(user, machines).slice(0, 1);
  for (const machine of held) hold(user, machine);
  const others = machines.filter((machine) => !held.includes(machine));
  const forced = { metadata: { labels: { [labels.forceDeletion]: 'True' } } };
  if (chance.happens(0.7)) for (const { path } of others) control.patch(path, forced);
  control.delete(picked.path, chance.pick(['Background', 'Foreground']));
  if (!(await user.wait(15 * minuteMs, 35 * minuteMs))) return;
  for (const machine of held) letGo(control, machine);
}

/** Others than the held machine can go, and come elsewhere. */
function isLarge(set: Found): boolean {
  return !isDeleting(set) && !isLone(set) && replicasOf(set) >= leastOfLarge;
}

/** One or two of several. */
function chosen({ chance }: User, machines: readonly Picked[]): Picked[] {
  const living = machines.filter(({ object }) => !isDeleting(object));
  const count = Math.min(1 + chance.below(heldMost), Math.max(1, living.length - 1));
  const first = chance.below(Math.max(1, living.length));
  return [...living.slice(first), ...living.slice(0, first)].slice(0, count);
}

function machinesOfPool(user: User, pool: string): Picked[] {
  return user.all('machines').filter(({ object }) => object.metadata.labels?.[poolLabel] === pool);
}

function hold({ control }: User, { path, object }: Picked): void {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(otherFinalizer)) return;
  control.patch(path, { metadata: { finalizers: [...finalizers, otherFinalizer] } });
}
