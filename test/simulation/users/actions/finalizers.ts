/** Finalizers that are taken off by hand, and those of other programs. */
import { customResource, namespaced } from '../../../../kube/client/paths.ts';
import { finalizers as ourFinalizers } from '../../../../workflows/api/constants.ts';
import type { Picked, User } from '../user.ts';
import { manifestOf } from '../manifest.ts';
import { isDeleting, minuteMs, nodeOf, phaseOf, pickedOf, secondMs } from '../user.ts';
import { pickNode } from './nodes.ts';

/** Of a program that has to do something before the object may go. */
export const otherFinalizer = 'example.com/keep';

const none = { metadata: { finalizers: null } };

/** A control plane has many, which move together. */
const migratedMost = 4;

/**
 * As Gardener moves a control plane: Machines go without their instances, and may come again with
 * the instances that they had.
 */
export async function migrateMachine(user: User): Promise<void> {
  const moves = Array.from({ length: 1 + user.chance.below(migratedMost) }, () =>
    pickMigrated(user),
  );
  const machines = new Map(moves.flatMap((picked) => (picked ? [[picked.path, picked]] : [])));
  await Promise.all(Array.from(machines.values(), (picked) => move(user, picked)));
}

async function move(user: User, { path, object }: Picked): Promise<void> {
  const { spec, ...manifest } = manifestOf(object);
  const isFirst = user.chance.happens(0.5);
  if (isFirst) user.control.patch(path, none);
  user.control.delete(path);
  if (!isFirst) user.control.patch(path, none);
  if (user.chance.happens(0.3) || !(await user.wait(0, 10 * minuteMs))) return;
  const { node: _node, ...own } = manifest.metadata?.labels ?? {};
  const labels = { ...own, ...nodeLabel(user, object) };
  const metadata = { ...manifest.metadata, ...savedFinalizers(user), labels };
  user.control.create(customResource('machines', user.namespace), { ...manifest, metadata, spec });
  // Some were to be deleted all the time.
  if (user.chance.happens(0.6)) return;
  await user.wait(0, user.chance.happens(0.5) ? 1 : 5 * secondMs);
  user.control.delete(path);
}

/** A backup has those of the time. */
function savedFinalizers({ chance }: User): object {
  return chance.happens(0.5) ? { finalizers: [ourFinalizers.machine] } : {};
}

/** With its providerID it is found, also without the name of its Node (docs/safety.md). */
function nodeLabel({ chance }: User, object: Picked['object']): object {
  const node = chance.happens(0.6) ? nodeOf(object) : undefined;
  return node === undefined ? {} : { node };
}

/** Of those, many are only just being made. */
function pickMigrated(user: User): Picked | undefined {
  const all = user.all('machines').filter(({ object }) => !isDeleting(object));
  const young = all.filter(
    ({ object }) => object.spec?.['providerID'] && phaseOf(object) !== 'Running',
  );
  return user.oneOf(user.chance.happens(0.5) && young.length > 0 ? young : all);
}

/** To release an object, or because a finalizer seemed stuck. */
export function stripFinalizers(user: User): void {
  const { chance, namespace } = user;
  const kind = chance.pick([
    'machines',
    'machinesets',
    'machinedeployments',
    'machineclasses',
    'secrets',
    'nodes',
  ] as const);
  if (kind === 'nodes') {
    const node = pickNode(user);
    if (node) user.target.patch(node.path, none);
    return;
  }
  const picked =
    kind === 'secrets'
      ? user.oneOf(
          user.control
            .list(namespaced('secrets', namespace))
            .map((object) => pickedOf(namespaced('secrets', namespace), object)),
        )
      : user.pick(kind);
  if (picked) user.control.patch(picked.path, none);
}

/** The object cannot go before it is taken off again. */
export async function holdWithFinalizer(user: User): Promise<void> {
  const { chance } = user;
  const isNode = chance.happens(0.3);
  const kubectl = isNode ? user.target : user.control;
  const picked = isNode
    ? pickNode(user)
    : user.pick(chance.pick(['machines', 'machinesets', 'machinedeployments'] as const));
  if (!picked || isDeleting(picked.object)) return;
  const { resourceVersion, finalizers = [] } = picked.object.metadata;
  const held = [...finalizers, otherFinalizer];
  kubectl.patch(picked.path, { metadata: { resourceVersion, finalizers: held } });
  if (!(await user.wait(10 * secondMs, 15 * minuteMs))) return;
  letGo(kubectl, picked);
}

/** Takes the other program's finalizer off. */
export function letGo(kubectl: User['control'], { path }: Pick<Picked, 'path'>): void {
  const { resourceVersion, finalizers = [] } = kubectl.get(path)?.metadata ?? {};
  if (!finalizers.includes(otherFinalizer)) return;
  const left = finalizers.filter((finalizer) => finalizer !== otherFinalizer);
  kubectl.patch(path, { metadata: { resourceVersion, finalizers: left } });
}
