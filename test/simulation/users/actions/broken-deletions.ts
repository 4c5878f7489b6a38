/** Machines that cannot go: nothing can be done with their class, or with their Node. */
import { node as nodePath } from '../../../../kube/client/paths.ts';
import { drainOptions } from '../../../../workflows/api/constants.ts';
import type { Found } from '../kubectl.ts';
import { hasNode, minuteMs, nodeOf, phaseOf, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';
import { mendClass } from './classes.ts';

const machinesMost = 4;
const faults: readonly object[] = [
  { provider: 'nowhere' },
  { secretRef: { name: 'missing' } },
  { secretRef: { namespace: 'kube-system' } },
];

/**
 * Credentials are moved, and the class names the wrong ones. Machines of it go meanwhile, and are
 * tried again less and less often, until a person puts the class right and waits for them.
 */
export async function moveCredentials(user: User): Promise<void> {
  const { chance, control } = user;
  const picked = pickUsed(user);
  if (!picked) return;
  control.patch(picked.path, chance.pick(faults));
  if (!(await user.wait(secondMs, minuteMs))) return;
  for (const { path } of machinesOf(user, picked).slice(0, machinesMost)) {
    if (chance.happens(0.8)) control.patch(path, skipsDrain);
    control.delete(path);
  }
  if (!(await user.wait(5 * minuteMs, 15 * minuteMs))) return;
  if (control.has(picked.path)) mendClass(user, picked);
}

const skipsDrain = { metadata: { annotations: { [drainOptions.skip]: 'true' } } };

function pickUsed(user: User): Picked | undefined {
  const classes = user.all('machineclasses');
  return user.oneOf(classes.filter((picked) => machinesOf(user, picked).length > 0));
}

function machinesOf(user: User, { name }: Picked): Picked[] {
  return user.all('machines').filter(({ object }) => {
    const { class: ref }: { class?: { name?: string } } = { ...object.spec };
    return hasNode(object) && ref?.name === name;
  });
}

/** A policy guards a Node, e.g. for an inquiry: it cannot be cordoned, and its Machine goes. */
export async function deleteGuarded(user: User): Promise<void> {
  const { chance, control } = user;
  const picked = user.pick('machines', hasJoined);
  const node = picked && nodeOf(picked.object);
  if (!picked || node === undefined) return;
  const pathPrefix = nodePath(node);
  const message = `admission webhook "nodes.example" guards ${pathPrefix}`;
  const verdict = { code: 403, reason: 'Forbidden', message };
  const untilMs = user.now + chance.between(5, 30) * minuteMs;
  user.refuse({ method: 'PATCH', pathPrefix, untilMs, verdict }, 'target');
  if (await user.wait(0, secondMs)) control.delete(picked.path);
}

/** One that still waits for its Node would join, and not go, when the policy ends. */
function hasJoined(object: Found): boolean {
  return hasNode(object) && phaseOf(object) !== 'Pending';
}
