/** Numbers of machines, changed by people, the cluster autoscaler, and two writers at once. */
import { annotations } from '../../../../workflows/api/constants.ts';
import type { Found } from '../kubectl.ts';
import { poolLabel } from '../objects.ts';
import { isDeleting, isLone, minuteMs, replicasOf, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';

const mayScale = (object: Found): boolean => !isDeleting(object) && isLone(object);

/** A deployment or a set without one. */
function pickScalable(user: User): Picked | undefined {
  const kind = user.chance.happens(0.8) ? 'machinedeployments' : 'machinesets';
  return user.pick(kind, mayScale);
}

/** What the repository says and half as much again: the world keeps its size. */
function mostOf({ repository }: User, { path }: Picked): number {
  const body = repository.machinedeployments.get(path) ?? repository.machinesets.get(path);
  const spec: { replicas?: number } = Object(body?.['spec']);
  return Math.ceil((spec.replicas ?? 1) * 1.5) + 1;
}

export async function scale(user: User): Promise<void> {
  const picked = pickScalable(user);
  if (!picked) return;
  const replicas = user.chance.below(mostOf(user, picked) + 1);
  await user.change(picked, { spec: { replicas } });
}

/** For the night, or by mistake. */
export async function scaleToZero(user: User): Promise<void> {
  const picked = pickScalable(user);
  if (!picked) return;
  const replicas = replicasOf(picked.object);
  user.control.patch(picked.path, { spec: { replicas: 0 } });
  if (await user.wait(5 * secondMs, 15 * minuteMs)) {
    user.control.patch(picked.path, { spec: { replicas: Math.max(1, replicas) } });
  }
}

/** A set that a deployment sizes. */
export function scaleOwnedSet(user: User): void {
  const picked = user.pick('machinesets', (set) => !isLone(set) && !isDeleting(set));
  if (!picked) return;
  const replicas = Math.max(0, replicasOf(picked.object) + user.chance.pick([-2, -1, 1, 2]));
  user.control.patch(picked.path, { spec: { replicas } });
}

/** Two programs that each want another number. */
export async function quarrelOverReplicas(user: User): Promise<void> {
  const picked = pickScalable(user);
  if (!picked) return;
  const most = mostOf(user, picked);
  const wanted = [user.chance.below(most + 1), user.chance.below(most + 1)];
  const rounds = 2 + user.chance.below(10);
  for (let round = 0; round < rounds; round += 1) {
    user.control.patch(picked.path, { spec: { replicas: wanted[round % 2] } });
    if (!(await user.wait(secondMs / 10, 20 * secondMs))) return;
  }
}

/** Of its pool. */
export function machinesOf(user: User, { object }: Picked): Picked[] {
  const spec: { template?: { metadata?: { labels?: Record<string, string> } } } = Object(
    object.spec,
  );
  const pool = spec.template?.metadata?.labels?.[poolLabel];
  return user
    .all('machines')
    .filter((machine) => machine.object.metadata.labels?.[poolLabel] === pool);
}

/** For a deployment: which machines are to go, and the size without them. */
export function choiceOf(
  user: User,
  names: readonly string[],
  replicas: number,
): Record<string, unknown> {
  const time = user.timeIn(0);
  const entries = names.map((name) => (user.chance.happens(0.9) ? `${name}~${time}` : name));
  const marks = {
    [annotations.triggerDeletion]: entries.join(','),
    [annotations.lastScaledByAutoscaler]: time,
  };
  return { metadata: { annotations: marks }, spec: { replicas } };
}

/** Names the machines in the deployment, as MCM v0.62.1 wants it, or marks them itself. */
export async function autoscaleDown(user: User): Promise<void> {
  const picked = user.pick('machinedeployments', mayScale);
  if (!picked) return;
  const { chance } = user;
  const machines = machinesOf(user, picked).filter(() => chance.happens(0.3));
  const names = machines.slice(0, 3).map(({ name }) => name);
  if (names.length === 0) return;
  const replicas = Math.max(0, replicasOf(picked.object) - names.length);
  if (chance.happens(0.6)) {
    await user.change(picked, choiceOf(user, names, replicas));
    return;
  }
  for (const { path } of machines.slice(0, 3)) {
    user.control.patch(path, { metadata: { annotations: { [annotations.priority]: '1' } } });
  }
  if (chance.happens(0.5) && !(await user.wait(secondMs / 10, 30 * secondMs))) return;
  user.control.patch(picked.path, { spec: { replicas } });
}

export async function autoscaleUp(user: User): Promise<void> {
  const picked = user.pick('machinedeployments', mayScale);
  if (!picked) return;
  const more = replicasOf(picked.object) + 1 + user.chance.below(3);
  const replicas = Math.min(mostOf(user, picked), more);
  const marks = { [annotations.lastScaledByAutoscaler]: user.timeIn(0) };
  await user.change(picked, { metadata: { annotations: marks }, spec: { replicas } });
}
