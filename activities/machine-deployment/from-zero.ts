/** What the cluster autoscaler of the Kubernetes project has to know of a pool without machines. */
import type { MachineClass, NodeTemplate } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { asksFromZero } from '../../workflows/api/scale-from-zero.ts';
import {
  concernsFromZero,
  fromZeroChanges,
} from '../../workflows/plan/machine-deployment/from-zero.ts';
import { defined } from '../../workflows/values/defined.ts';
import { customResource } from '../kube/client/paths.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';

interface Sight {
  deployment: MachineDeployment;
  /** A resourceVersion that was seen; absent: the class is read in any case. */
  atLeast: string | undefined;
}

/** Annotations to be written, null for those that are to go. */
export async function fromZeroNotes(
  recent: ActivityDependencies['recent'],
  sight: Sight,
): Promise<Record<string, string | null>> {
  const { metadata, spec } = sight.deployment;
  const notes = metadata.annotations ?? {};
  if (!concernsFromZero(notes) || metadata.deletionTimestamp !== undefined) return {};
  const ofClass = asksFromZero(notes) ? await templateOfClass(recent, sight) : undefined;
  const nodeTemplate = spec.template.spec?.nodeTemplate;
  return fromZeroChanges(defined({ notes, nodeTemplate, ofClass }));
}

async function templateOfClass(
  recent: ActivityDependencies['recent'],
  { deployment: { metadata, spec }, atLeast }: Sight,
): Promise<NodeTemplate | undefined> {
  const name = spec.template.spec?.class?.name ?? '';
  if (name === '') return undefined;
  const path = customResource('machineclasses', metadata.namespace ?? '', name);
  return (await recent.read<MachineClass>(path, atLeast))?.nodeTemplate;
}
