/**
 * MCM does not write the conditions that kstatus goes by. On a MachineDeployment it copies those
 * that it finds, so what we said last would stand there for ever.
 */
import type { KubeClient } from '../../activities/kube/client/client.ts';
import { isConflict, isNotFound } from '../../activities/kube/client/errors.ts';
import { ignoreNotFound } from '../../activities/kube/client/ignore.ts';
import { customResource } from '../../activities/kube/client/paths.ts';
import { isUnsettledCondition, withoutUnsettled } from '../../workflows/api/kstatus.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';

/** An autoscaler may write the object at the same moment. */
const attempts = 5;

export async function forgetConditions(kube: KubeClient, namespace: string): Promise<void> {
  const path = customResource('machinedeployments', namespace);
  const { items } = await kube.list<MachineDeployment>(path);
  for (const deployment of items) await forget(kube, namespace, deployment);
}

async function forget(
  kube: KubeClient,
  namespace: string,
  deployment: MachineDeployment,
): Promise<void> {
  const path = customResource('machinedeployments', namespace, deployment.metadata.name);
  let current: MachineDeployment | undefined = deployment;
  for (let attempt = 1; current; attempt += 1) {
    const { uid, resourceVersion } = current.metadata;
    const conditions = current.status?.conditions ?? [];
    if (!conditions.some(isUnsettledCondition)) return;
    const status = { conditions: withoutUnsettled(conditions) };
    try {
      await kube.patch(`${path}/status`, 'merge', { metadata: { uid, resourceVersion }, status });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt === attempts) throw error;
    }
    current = await ignoreNotFound(kube.get<MachineDeployment>(path));
  }
}
