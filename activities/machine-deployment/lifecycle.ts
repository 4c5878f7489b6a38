/** One life of a MachineDeployment: read, reported on. */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { apiVersion } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Report } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';

/** Undefined when the object is gone or another life has its name. */
export async function readLiving(
  control: KubeClient,
  { namespace, name, uid }: ObjectReference,
): Promise<MachineDeployment | undefined> {
  const path = customResource('machinedeployments', namespace, name);
  const deployment = await ignoreNotFound(control.get<MachineDeployment>(path));
  return deployment?.metadata.uid === uid ? deployment : undefined;
}

export async function reportOn(
  control: KubeClient,
  { namespace, name, uid }: ObjectReference,
  text: Report,
): Promise<void> {
  const subject = { apiVersion, kind: 'MachineDeployment', namespace, name, uid };
  recordEvent(control, subject, { ...text, component: 'machine-controller-manager' });
}
