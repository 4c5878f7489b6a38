/** Machines that are edited by hand, and copies of them. */
import { customResource } from '../../../../activities/kube/client/paths.ts';
import { manifestOf } from '../manifest.ts';
import { limitsOf } from '../objects.ts';
import { classNames } from '../set-up.ts';
import { isDeleting, minuteMs, nodeOf, secondMs } from '../user.ts';
import type { User } from '../user.ts';

/** Label of a Machine that was made of the manifest of another one. */
export const copyLabel = 'example.com/copy';

/**
 * Of a manifest that was saved, under another name: it names the instance and the Node of the
 * original, which keeps both (docs/compatibility.md).
 */
export async function copyMachine(user: User): Promise<void> {
  const picked = user.pick(
    'machines',
    (object) => !isDeleting(object) && object.spec?.['providerID'] !== undefined,
  );
  if (!picked) return;
  const { spec, ...manifest } = manifestOf(picked.object);
  const name = `copy-${user.chance.below(1_000)}`;
  const node = nodeOf(picked.object);
  const labels = { [copyLabel]: 'True', ...(node !== undefined && { node }) };
  const collection = customResource('machines', user.namespace);
  const metadata = { name, namespace: user.namespace, labels };
  if (!user.control.create(collection, { ...manifest, metadata, spec })) return;
  if (!(await user.wait(secondMs, 5 * minuteMs))) return;
  if (user.control.has(`${collection}/${name}`)) user.control.delete(`${collection}/${name}`);
}

/** Mostly of one whose deletion takes too long. */
export async function editMachine(user: User): Promise<void> {
  const { chance } = user;
  const picked = user.pick('machines', (object) => isDeleting(object) || chance.happens(0.1));
  if (!picked) return;
  const another = { kind: 'MachineClass', name: chance.pick(classNames) };
  const spec = {
    ...limitsOf(chance),
    ...(chance.happens(0.5) && { drainTimeout: chance.pick(['1m', '3m']) }),
    ...(chance.happens(0.2) && { class: another }),
  };
  await user.change(picked, { spec });
}
