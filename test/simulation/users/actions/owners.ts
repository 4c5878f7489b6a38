/** Machines that leave their set, and those that a set adopts. */
import { customResource } from '../../../../activities/kube/client/paths.ts';
import { poolLabel } from '../objects.ts';
import { isDeleting, isLone, minuteMs, secondMs } from '../user.ts';
import type { User } from '../user.ts';

/** By a label that the selector does not match, or by taking the owner off. */
export async function releaseMachine(user: User): Promise<void> {
  const picked = user.pick('machines', (object) => !isLone(object) && !isDeleting(object));
  if (!picked) return;
  const { chance } = user;
  const pool = picked.object.metadata.labels?.[poolLabel] ?? '';
  if (chance.happens(0.3)) {
    await user.change(picked, { metadata: { ownerReferences: null } });
    return;
  }
  await user.change(picked, { metadata: { labels: { [poolLabel]: 'none' } } });
  if (chance.happens(0.4) || !(await user.wait(secondMs, 10 * minuteMs))) return;
  if (user.control.has(picked.path)) {
    user.control.patch(picked.path, { metadata: { labels: { [poolLabel]: pool } } });
  }
}

/** A Machine as a set makes them: it takes it in, and gives up another one. */
export function createMachineForSet(user: User): void {
  const { chance, namespace } = user;
  const picked = user.pick('machinesets', (object) => !isDeleting(object));
  if (!picked) return;
  const { template }: { template?: { metadata?: object; spec?: object } } = {
    ...picked.object.spec,
  };
  const name = `${picked.name}-hand-made-${chance.below(100)}`;
  const { apiVersion = '' } = picked.object;
  const body = { apiVersion, kind: 'Machine', spec: template?.spec };
  const metadata = { ...template?.metadata, name, namespace };
  user.control.create(customResource('machines', namespace), { ...body, metadata });
}

/** Of a set or of a deployment: the tool that made it does not know that it owns anything. */
export function dropOwner(user: User): void {
  const picked = user.pick('machinesets', (object) => !isLone(object));
  if (picked) user.control.patch(picked.path, { metadata: { ownerReferences: null } });
}
