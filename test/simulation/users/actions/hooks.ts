/** Machines that other programs are part of: each has something to do before they may go. */
import type { Found, Kubectl } from '../kubectl.ts';
import { isDeleting, minuteMs, secondMs } from '../user.ts';
import type { User } from '../user.ts';

const ofInstance = [
  'suspend-instance-deletion.node.machine.sapcloud.io/etcd',
  'suspend-instance-deletion.node.machine.sapcloud.io/inventory',
  'pre-terminate.delete.hook.machine.cluster.x-k8s.io/storage',
];
const ofDrain = ['pre-drain.delete.hook.machine.cluster.x-k8s.io/traffic'];
const names = [...ofInstance, ...ofDrain];

export function isHooked({ metadata: { annotations = {} } }: Found): boolean {
  return names.some((name) => annotations[name] !== undefined);
}

export function unhook(control: Kubectl, path: string, those = names): void {
  const annotations = Object.fromEntries(those.map((name) => [name, null]));
  if (control.has(path)) control.patch(path, { metadata: { annotations } });
}

/**
 * Before the deletion or in the middle of it; the owners are done one after another, some before it
 * begins.
 */
export async function hookMachine(user: User): Promise<void> {
  const { chance, control } = user;
  const isInTime = chance.happens(0.7);
  const picked = user.pick('machines', (machine) => isInTime || isDeleting(machine));
  if (!picked) return;
  const chosen = names.filter(() => chance.happens(0.4));
  const annotations = Object.fromEntries(
    chosen.map((name) => [name, chance.pick(['etcd-druid', ''])]),
  );
  await user.change(picked, { metadata: { annotations } });
  if (chance.happens(0.6) && control.has(picked.path)) control.delete(picked.path);
  for (const name of chosen) {
    if (!(await user.wait(secondMs, 6 * minuteMs))) return;
    unhook(control, picked.path, [name]);
  }
}
