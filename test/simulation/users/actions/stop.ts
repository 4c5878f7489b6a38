/** The stop of everything in a namespace. */
import { namespaced } from '../../../../activities/kube/client/paths.ts';
import { minuteMs, secondMs } from '../user.ts';
import type { User } from '../user.ts';

const name = 'millwright-stop';

export const stopPath = (namespace: string): string => namespaced('configmaps', namespace, name);

export async function stop(user: User): Promise<void> {
  const { control, chance, namespace } = user;
  const data = { reason: 'an incident', by: 'a person' };
  control.create(namespaced('configmaps', namespace), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    ...(chance.happens(0.8) && { data }),
  });
  if (!(await user.wait(secondMs, 10 * minuteMs))) return;
  if (control.has(stopPath(namespace))) control.delete(stopPath(namespace));
}
