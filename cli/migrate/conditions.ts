/**
 * MCM does not write the conditions that kstatus goes by. On a MachineDeployment it copies those
 * that it finds, so what we said last would stand there for ever.
 */
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';
import { customResource } from '../../kube/client/paths.ts';
import { isUnsettledCondition, withoutUnsettled } from '../../workflows/api/kstatus.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';

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
  // An autoscaler may write the object at the same moment.
  await retryOnConflict(async (isAgain) => {
    const current = isAgain ? await ignoreNotFound(kube.get<MachineDeployment>(path)) : deployment;
    const conditions = current?.status?.conditions ?? [];
    if (!current || !conditions.some(isUnsettledCondition)) return;
    const { uid, resourceVersion } = current.metadata;
    const status = { conditions: withoutUnsettled(conditions) };
    const body = { metadata: { uid, resourceVersion }, status };
    await ignoreNotFound(kube.patch(`${path}/status`, 'merge', body));
  });
}
