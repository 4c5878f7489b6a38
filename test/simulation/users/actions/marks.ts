/** Labels and annotations that somebody reads, with good values, bad ones, and near misses. */
import { annotations, drainOptions, labels } from '../../../../workflows/api/constants.ts';
import { preserves } from '../../../../workflows/api/preserve-value.ts';
import { isDeleting, isLone, minuteMs, secondMs } from '../user.ts';
import type { User } from '../user.ts';
import { pickNode } from './nodes.ts';

type Pair = readonly [key: string, value: string];

function machineAnnotation(user: User): Pair {
  const { chance } = user;
  const until = user.timeIn(chance.between(-minuteMs, 10 * minuteMs));
  return chance.pick<Pair>([
    [annotations.priority, chance.pick(['1', '0', '5', '-3', 'first'])],
    [drainOptions.skip, chance.pick(['true', 'false', 'yes'])],
    [drainOptions.until, chance.pick([until, until, 'tomorrow'])],
    [drainOptions.skipVolumeWait, chance.pick(['true', 'maybe'])],
    ['millwright.dev/skipdrain', 'true'],
    ['millwright.dev/drain_until', until],
    ['machine.sapcloud.io/priority', '1'],
    ['node.machine.sapcloud.io/Preserve', 'now'],
  ]);
}

export async function annotateMachine(user: User): Promise<void> {
  const picked = user.pick('machines');
  if (!picked) return;
  const [key, value] = machineAnnotation(user);
  await user.change(picked, { metadata: { annotations: { [key]: value } } });
  if (user.chance.happens(0.6) || !(await user.wait(secondMs, 10 * minuteMs))) return;
  if (user.control.has(picked.path)) {
    user.control.patch(picked.path, { metadata: { annotations: { [key]: null } } });
  }
}

export async function labelMachine(user: User): Promise<void> {
  const picked = user.pick('machines');
  if (!picked) return;
  const { chance } = user;
  const [key, value] = chance.pick<Pair>([
    [labels.forceDeletion, chance.pick(['True', 'true', '1', 'yes', 'False'])],
    [labels.forceDrain, chance.pick(['True', 'true'])],
    ['force-delete', 'True'],
    ['example.com/team', chance.pick(['a', 'b'])],
  ]);
  await user.change(picked, { metadata: { labels: { [key]: value } } });
  if (chance.happens(0.4) || !(await user.wait(secondMs, 10 * minuteMs))) return;
  if (user.control.has(picked.path)) {
    user.control.patch(picked.path, { metadata: { labels: { [key]: null } } });
  }
}

/** On the Machine or its Node; most end it again, some move its end. */
export async function preserve(user: User): Promise<void> {
  const { chance } = user;
  const isNode = chance.happens(0.4);
  const kubectl = isNode ? user.target : user.control;
  const picked = isNode ? pickNode(user) : user.pick('machines');
  if (!picked) return;
  const value = chance.pick([...preserves, 'when-failed', 'false', 'forever']);
  const mark = (text: string | null): void => {
    const body = { metadata: { annotations: { [annotations.preserve]: text } } };
    if (kubectl.has(picked.path)) kubectl.patch(picked.path, body);
  };
  mark(value);
  if (!(await user.wait(10 * secondMs, 15 * minuteMs))) return;
  if (!isNode && chance.happens(0.3)) moveExpiry(user, picked.path);
  if (chance.happens(0.2) || !(await user.wait(0, 5 * minuteMs))) return;
  mark(chance.pick(['false', null]));
}

function moveExpiry(user: User, path: string): void {
  const status: { currentStatus?: { preserveExpiryTime?: string | null } } = Object(
    user.control.get(path)?.status,
  );
  if (!status.currentStatus?.preserveExpiryTime) return;
  const preserveExpiryTime = user.timeIn(user.chance.between(0, 10 * minuteMs));
  user.control.patch(`${path}/status`, { status: { currentStatus: { preserveExpiryTime } } });
}

/** A set creates nothing while it carries one of these. */
export async function freezeSet(user: User): Promise<void> {
  const picked = user.pick('machinesets', (object) => !isDeleting(object));
  if (!picked) return;
  const { chance } = user;
  const [key, value] = chance.pick<Pair>([
    [labels.freeze, 'True'],
    [labels.freeze, 'true'],
    [labels.scaleUpDisabled, 'True'],
  ]);
  user.control.patch(picked.path, { metadata: { labels: { [key]: value } } });
  if (chance.happens(0.2) || !(await user.wait(10 * secondMs, 10 * minuteMs))) return;
  if (!user.control.has(picked.path)) return;
  const unfreeze = { annotations: { [annotations.unfreeze]: 'True' } };
  const metadata = chance.happens(0.3) ? unfreeze : { labels: { [key]: null } };
  user.control.patch(picked.path, { metadata });
}

/** On what has machines. */
export async function annotateOwner(user: User): Promise<void> {
  const { chance } = user;
  const kind = chance.pick(['machinedeployments', 'machinesets'] as const);
  const picked = user.pick(kind, isLone);
  if (!picked) return;
  const [key, value] = chance.pick<Pair>([
    [annotations.unfreeze, 'True'],
    [annotations.effectiveCreationTimeout, chance.pick(['4m', '7m', 'long'])],
    [annotations.triggerDeletion, 'no-machine~2026-01-01T00:00:00Z,what'],
    [annotations.priority, '1'],
    ['millwright.dev/canari', '1'],
    ['example.com/owner', chance.pick(['a', 'b'])],
  ]);
  await user.change(picked, { metadata: { annotations: { [key]: value } } });
}
