/** The stop of everything in a namespace. */
import { namespaced } from '../../../../kube/client/paths.ts';
import { isDeleting, isLone, minuteMs, replicasOf, secondMs } from '../user.ts';
import type { User } from '../user.ts';
import { retryDrain } from './commands.ts';

const stopName = 'millwright-stop';
const commandsMost = 5;

export const stopPath = (namespace: string): string =>
  namespaced('configmaps', namespace, stopName);

export async function stop(user: User): Promise<void> {
  begin(user);
  if (!(await user.wait(secondMs, 10 * minuteMs))) return;
  await end(user);
}

/**
 * As docs/safety.md says: something is very wrong, so first everything stops, then it is put right,
 * and only then all goes on.
 */
export async function incident(user: User): Promise<void> {
  const { chance } = user;
  const kind = chance.pick(['machinedeployments', 'machinesets'] as const);
  const picked = user.pick(kind, (object) => !isDeleting(object) && isLone(object));
  if (!picked) return;
  const replicas = replicasOf(picked.object);
  user.control.patch(picked.path, { spec: { replicas: chance.pick([0, 0, 1]) } });
  if (!(await user.wait(secondMs / 100, 2 * secondMs))) return;
  begin(user);
  if (!(await user.wait(5 * secondMs, 5 * minuteMs))) return;
  user.control.patch(picked.path, { spec: { replicas: Math.max(1, replicas) } });
  // To find the cause takes longer than to repair what it did.
  if (!(await user.wait(secondMs, 15 * minuteMs))) return;
  await end(user);
}

/** What waited is asked at once by some, though it goes on by itself. */
async function end(user: User): Promise<void> {
  const { control, chance, namespace } = user;
  if (control.has(stopPath(namespace))) control.delete(stopPath(namespace));
  if (chance.happens(0.5) || !(await user.wait(secondMs, minuteMs))) return;
  const going = user.all('machines').filter(({ object }) => isDeleting(object));
  for (const { name } of going.slice(0, commandsMost)) await retryDrain(user, name);
}

function begin(user: User): void {
  const { control, chance, namespace } = user;
  const data = { reason: 'an incident', by: 'a person' };
  control.create(namespaced('configmaps', namespace), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: stopName, namespace },
    ...(chance.happens(0.8) && { data }),
  });
}
