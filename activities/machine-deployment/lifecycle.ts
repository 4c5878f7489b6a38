/** One life of a MachineDeployment: read, reported on. */
import type { LifeRef } from '../../workflows/contracts/references.ts';
import { apiVersion } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Report } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { recordEvent } from '../kube/objects/events.ts';
import { orUndefined } from '../kube/client/ignore.ts';
import { customResource } from '../kube/client/paths.ts';

/** Undefined when the object is gone or another life has its name. */
export async function readLife(
  control: KubeClient,
  { namespace, name, uid }: LifeRef,
): Promise<MachineDeployment | undefined> {
  const path = customResource('machinedeployments', namespace, name);
  const deployment = await orUndefined(control.get<MachineDeployment>(path));
  return deployment?.metadata.uid === uid ? deployment : undefined;
}

export async function reportOn(
  control: KubeClient,
  { namespace, name, uid }: LifeRef,
  text: Report,
): Promise<void> {
  const subject = { apiVersion, kind: 'MachineDeployment', namespace, name, uid };
  recordEvent(control, subject, { ...text, component: 'machine-controller-manager' });
}
