/** Machines that leave their set, and those that a set adopts. */
import { customResource } from '../../../../kube/client/paths.ts';
import type { Found } from '../kubectl.ts';
import { poolLabel } from '../objects.ts';
import { isDeleting, isLone, isOwnedBy, minuteMs, replicasOf, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';

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

/** From a write to the one that takes it back; an admission webhook does so before the answer. */
const longestReactionsMs = [0, 50] as const;

/**
 * Another controller keeps the annotations and the labels of a set as they are: what anyone writes
 * there is taken back at once, each time, for many minutes. Meanwhile the deployment gets an
 * annotation, which its set is to have as well.
 */
export async function revertSet(user: User): Promise<void> {
  const { install } = user;
  // Two such controllers on one set would take back each other's words without an end.
  const picked = user.pick('machinesets', (set) => isSizedByDeployment(set) && !isKept(set));
  if (!picked) return;
  const { path, name } = picked;
  user.control.patch(path, { metadata: { labels: { [keeperLabel]: 'a-controller' } } });
  const kept = user.control.get(path)?.metadata ?? picked.object.metadata;
  const longestMs = user.chance.pick(longestReactionsMs);
  let isOver = false;
  const react = async (): Promise<void> => {
    await user.wait(0, longestMs);
    if (!isOver) revert(user, path, kept);
  };
  const close = install.control.server.store.listen(({ after }) => {
    if (after?.object.kind !== 'MachineSet' || after.object.metadata.name !== name) return;
    void react();
  });
  if (await user.wait(secondMs, 3 * minuteMs)) annotateOwnerOf(user, picked);
  await user.wait(5 * minuteMs, 20 * minuteMs);
  isOver = true;
  close();
  if (user.control.get(path))
    user.control.patch(path, { metadata: { labels: { [keeperLabel]: null } } });
}

const keeperLabel = 'example.com/kept-by';

function isKept({ metadata }: Found): boolean {
  return metadata.labels?.[keeperLabel] !== undefined;
}

/** Mostly the set of the template: an old one takes over nothing. */
function isSizedByDeployment(set: Found): boolean {
  return !isLone(set) && !isDeleting(set) && replicasOf(set) > 0;
}

function annotateOwnerOf(user: User, { object }: Picked): void {
  const owner = user.all('machinedeployments').find((one) => isOwnedBy(object, one.object));
  const annotations = { 'example.com/seen': user.timeIn(0) };
  if (owner) user.control.patch(owner.path, { metadata: { annotations } });
}

function revert({ control }: User, path: string, kept: Found['metadata']): void {
  const { annotations, labels } = control.get(path)?.metadata ?? kept;
  const change = {
    ...differences('annotations', annotations, kept.annotations),
    ...differences('labels', labels, kept.labels),
  };
  if (Object.keys(change).length > 0) control.patch(path, { metadata: change });
}

type Pairs = Record<string, string>;

/** As a merge patch. */
function differences(field: string, found: Pairs = {}, wanted: Pairs = {}): object {
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  const wrong = Array.from(keys).filter((key) => found[key] !== wanted[key]);
  if (wrong.length === 0) return {};
  return { [field]: Object.fromEntries(wrong.map((key) => [key, wanted[key] ?? null])) };
}

/** Of a set or of a deployment: the tool that made it does not know that it owns anything. */
export function dropOwner(user: User): void {
  const picked = user.pick('machinesets', (object) => !isLone(object));
  if (picked) user.control.patch(picked.path, { metadata: { ownerReferences: null } });
}
