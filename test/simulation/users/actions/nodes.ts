/** Nodes, as operators and other programs change them. */
import { node as nodePath } from '../../../../kube/client/paths.ts';
import { annotations, labels } from '../../../../workflows/api/constants.ts';
import { minuteMs, nodeOf, pickedOf, secondMs } from '../user.ts';
import type { Picked, User } from '../user.ts';

export const userTaintKey = 'example.com/keep-out';

/** One of a Machine of this install. */
export function pickNode(user: User): Picked | undefined {
  const names = user.all('machines').flatMap(({ object }) => nodeOf(object) ?? []);
  const name = user.oneOf(names);
  const object = name === undefined ? undefined : user.target.get(nodePath(name));
  return object && pickedOf(nodePath(), object);
}

/** As a person who wants the machine to be replaced. */
export function deleteNode(user: User): void {
  const picked = pickNode(user);
  if (picked) user.target.delete(picked.path);
}

export async function cordon(user: User): Promise<void> {
  const picked = pickNode(user);
  if (!picked) return;
  user.target.patch(picked.path, { spec: { unschedulable: true } });
  if (user.chance.happens(0.3) || !(await user.wait(10 * secondMs, 20 * minuteMs))) return;
  if (user.target.has(picked.path)) {
    user.target.patch(picked.path, { spec: { unschedulable: null } });
  }
}

interface Taint {
  key: string;
  effect: string;
}

export function taintsOf({ object }: Pick<Picked, 'object'>): Taint[] {
  const { taints = [] }: { taints?: Taint[] } = { ...object.spec };
  return taints;
}

export async function taintNode(user: User): Promise<void> {
  const picked = pickNode(user);
  if (!picked) return;
  const taint = { key: userTaintKey, effect: user.chance.pick(['NoSchedule', 'NoExecute']) };
  const { resourceVersion } = picked.object.metadata;
  const others = taintsOf(picked).filter(({ key }) => key !== userTaintKey);
  const body = { metadata: { resourceVersion }, spec: { taints: [...others, taint] } };
  user.target.patch(picked.path, body);
  if (user.chance.happens(0.3) || !(await user.wait(10 * secondMs, 20 * minuteMs))) return;
  untaint(user, picked);
}

export function untaint(user: Pick<User, 'target'>, { path }: Pick<Picked, 'path'>): void {
  const object = user.target.get(path);
  if (!object) return;
  const { resourceVersion } = object.metadata;
  const taints = taintsOf({ object }).filter(({ key }) => key !== userTaintKey);
  user.target.patch(path, { metadata: { resourceVersion }, spec: { taints } });
}

/** What is ours on a Node as well as what is not. */
export function editNode(user: User): void {
  const picked = pickNode(user);
  if (!picked) return;
  const { chance } = user;
  const metadata = chance.pick([
    { labels: { [labels.machineName]: chance.pick([null, 'no-machine']) } },
    { labels: { 'example.com/pool': chance.pick([null, 'other']) } },
    { annotations: { [annotations.notManaged]: '1' } },
    { annotations: { [annotations.scaleDownDisabled]: chance.pick(['true', null]) } },
    { annotations: { [annotations.lastAppliedNodeTemplate]: null } },
    { annotations: { 'example.com/seen-by': 'a person' } },
  ]);
  user.target.patch(picked.path, { metadata });
}

export const deadlock = 'KernelDeadlock';

/** As the node problem detector does: no kubelet takes it back. */
export function reportDeadlock(user: User, name: string, status: 'True' | 'False'): void {
  const condition = { type: deadlock, status, lastTransitionTime: user.timeIn(0) };
  const body = { status: { conditions: [condition] } };
  user.target.patch(`${nodePath(name)}/status`, body, 'strategic');
}
