/** Machines that the cluster autoscaler chose. */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { ownSubject } from '../../workflows/plan/machine-deployment/rollout/refused-steps.ts';
import type { Marks } from '../../workflows/plan/machine-deployment/rollout/facts.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound, ignoreConflict } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { Attempt } from './attempt.ts';
import { parallelCalls } from '../machine-set/parallel-calls.ts';

/** The list is shortened only if the autoscaler has not written another one meanwhile. */
export async function markMachines(
  { control, deployment, refused }: Attempt,
  { preferred, machines, was, list }: Marks,
): Promise<void> {
  const { namespace } = deployment;
  const notes = new Map<string, Record<string, string>>();
  for (const name of preferred) notes.set(name, { [annotations.priority]: '1' });
  for (const { name, time } of machines) {
    notes.set(name, { ...notes.get(name), [annotations.markedForDeletionTime]: time });
  }
  await inParallel([...notes], parallelCalls, async ([name, added]) => {
    const path = customResource('machines', namespace, name);
    const patch = { metadata: { annotations: added } };
    const kind = 'Machine';
    await refused.attempt({ kind, name }, () =>
      ignoreNotFound(control.patch(path, 'merge', patch)),
    );
  });
  if (list === was) return;
  await refused.attemptOwn(ownSubject, () => shorten(control, deployment, { was, list }));
}

async function shorten(
  control: KubeClient,
  { namespace, name }: ObjectReference,
  { was, list }: Pick<Marks, 'was' | 'list'>,
): Promise<void> {
  const path = customResource('machinedeployments', namespace, name);
  const { metadata } = await control.get<MachineDeployment>(path);
  if (metadata.annotations?.[annotations.triggerDeletion] !== was) return;
  const { uid, resourceVersion } = metadata;
  const changed = { [annotations.triggerDeletion]: list };
  const patch = { metadata: { uid, resourceVersion, annotations: changed } };
  await ignoreConflict(control.patch(path, 'merge', patch));
}
