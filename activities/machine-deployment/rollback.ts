/** `spec.rollbackTo`: the deployment gets the template of an earlier set back. */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { annotations, labels, options } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet, MachineTemplateSpec } from '../../workflows/api/machine-set.ts';
import { mergePatchOf } from '../../workflows/values/merge-patch.ts';
import type { DeploymentStep } from '../../workflows/plan/machine-deployment/rollout/steps.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { ignoreNotFound, ignoreConflict } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { readLiving, reportOn } from './lifecycle.ts';
import { isCopied } from './new-set.ts';

type RollbackStep<Action extends DeploymentStep['action']> = Extract<
  DeploymentStep,
  { action: Action }
>;

export async function rollBack(
  control: KubeClient,
  ref: ObjectReference,
  step: RollbackStep<'rollBack'>,
): Promise<void> {
  const { set: name, revision } = step;
  const isDone = await answer(control, { ref, step }, async (deployment) => {
    const path = customResource('machinesets', ref.namespace, name);
    const set = await ignoreNotFound(control.get<MachineSet>(path));
    return set && rollbackPatchOf(deployment, set);
  });
  if (!isDone) return;
  const message = `Rolled back deployment "${ref.name}" to revision ${revision}`;
  await reportOn(control, ref, { type: 'Normal', reason: 'DeploymentRollback', message });
}

/** The wish is taken away, so that it is not refused again and again. */
export async function refuseRollback(
  control: KubeClient,
  ref: ObjectReference,
  step: RollbackStep<'refuseRollback'>,
): Promise<void> {
  if (!(await answer(control, { ref, step }, async () => ({ spec: { rollbackTo: null } })))) return;
  const { event, reason: message } = step;
  await reportOn(control, ref, { type: 'Warning', reason: event, message });
}

interface Patch {
  metadata?: object;
  spec: object;
}

/** Patch of a rollback to that set for the deployment. */
export function rollbackPatchOf(deployment: MachineDeployment, set: MachineSet): Patch {
  const { annotations: notes = {} } = deployment.metadata;
  return {
    metadata: { annotations: mergePatchOf(notes, annotationsAfter(deployment, set)) },
    spec: {
      rollbackTo: null,
      template: mergePatchOf(deployment.spec.template, templateOf(set)),
    },
  };
}

/** Other clients write the deployment as well, such as an autoscaler. */
const mostTries = 4;

/** Returns whether it was written. `patchFor` is called anew where the deployment has changed. */
async function answer(
  control: KubeClient,
  { ref, step }: { ref: ObjectReference; step: RollbackStep<'rollBack' | 'refuseRollback'> },
  patchFor: (deployment: MachineDeployment) => Promise<Patch | undefined>,
): Promise<boolean> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const deployment = await readLiving(control, ref);
    if (!deployment || !isStillWished(deployment, step.wish)) return false;
    const patch = await patchFor(deployment);
    if (!patch) return false;
    if (await write(control, deployment, patch)) return true;
  }
  return false;
}

/** A rollback that a person requests after the read is answered by the next one. */
function isStillWished({ spec: { rollbackTo } }: MachineDeployment, wish: number): boolean {
  return rollbackTo !== undefined && (rollbackTo.revision ?? 0) === wish;
}

async function write(
  control: KubeClient,
  { metadata }: MachineDeployment,
  patch: Patch,
): Promise<boolean> {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  const path = customResource('machinedeployments', namespace, name);
  const body = { ...patch, metadata: { uid, resourceVersion, ...patch.metadata } };
  return (await ignoreConflict(control.patch(path, 'merge', body))) !== undefined;
}

function templateOf({ spec }: MachineSet): MachineTemplateSpec {
  const { metadata = {}, ...template } = spec.template ?? {};
  const { [labels.templateHash]: _hash, ...kept } = metadata.labels ?? {};
  return { ...template, metadata: { ...metadata, labels: kept } };
}

/**
 * Those of the set in place of the deployment's; what is never copied stays, and so does the time
 * at which the autoscaler changed the number: that of then would pass for the present one. A
 * rollback to before a restart is one to the set of then, not another restart.
 */
function annotationsAfter({ metadata }: MachineDeployment, set: MachineSet): object {
  const own = Object.entries(metadata.annotations ?? {}).filter((note) => !isTaken(note));
  const theirs = Object.entries(set.metadata.annotations ?? {}).filter(isTaken);
  return {
    ...Object.fromEntries([...own, ...theirs]),
    [options.restart]: set.metadata.annotations?.[options.restart],
  };
}

function isTaken([key]: [string, string]): boolean {
  return isCopied(key) && key !== annotations.lastScaledByAutoscaler;
}
