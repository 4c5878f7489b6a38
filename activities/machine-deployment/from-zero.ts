/** Facts for the cluster autoscaler of the Kubernetes project about a pool without machines. */
import type { MachineClass, NodeTemplate } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { asksFromZero } from '../../workflows/api/scale-from-zero.ts';
import {
  concernsFromZero,
  fromZeroChanges,
} from '../../workflows/plan/machine-deployment/from-zero.ts';
import { defined } from '../../workflows/values/defined.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';

/** Annotations to be written, null for those that are to go. */
export async function fromZeroNotes(
  recent: ActivityDependencies['recent'],
  deployment: MachineDeployment,
): Promise<Record<string, string | null>> {
  const { metadata, spec } = deployment;
  const notes = metadata.annotations ?? {};
  if (!concernsFromZero(notes) || metadata.deletionTimestamp !== undefined) return {};
  const ofClass = asksFromZero(notes) ? await templateOfClass(recent, deployment) : undefined;
  const nodeTemplate = spec.template.spec?.nodeTemplate;
  return fromZeroChanges(defined({ notes, nodeTemplate, ofClass }));
}

/**
 * The class is read in any case: the version that the workflow has seen is the deployment's, and
 * does not say whether the class has changed since.
 */
async function templateOfClass(
  recent: ActivityDependencies['recent'],
  { metadata, spec }: MachineDeployment,
): Promise<NodeTemplate | undefined> {
  const name = spec.template.spec?.class?.name ?? '';
  if (name === '') return undefined;
  const path = customResource('machineclasses', metadata.namespace ?? '', name);
  return (await recent.read<MachineClass>(path, undefined))?.nodeTemplate;
}
