/**
 * Pause, resume and restart. Each writes a field or an option of the MachineDeployment: these are
 * part of the API, need no worker to be there, and count whatever `--commands-by` says.
 */
import { customResource } from '../../kube/client/paths.ts';
import type { DeploymentView } from '../../activities/machine-deployment/facts.ts';
import { factsOf } from '../../activities/machine-deployment/facts.ts';
import { options } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import { currentHold } from '../../workflows/plan/machine-deployment/plan.ts';
import type { CommandChange } from '../../workflows/plan/machine-deployment/rollout/command-change.ts';
import {
  pauseChange,
  resumeChange,
} from '../../workflows/plan/machine-deployment/rollout/command-change.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { readDeploymentView } from '../objects/deployment-view.ts';
import { readDeployment } from '../objects/read-object.ts';
import { requireRight, rightOnMachines } from '../objects/rights.ts';
import { patchSeen } from '../objects/seen-object.ts';
import type { RolloutOptions } from './history.ts';
import { numberOf } from './history.ts';

export async function pause(scope: ClusterScope, { name }: RolloutOptions): Promise<Answer> {
  const deployment = await readDeployment(scope, name);
  if (deployment.spec.paused === true) {
    throw new Error(`machinedeployment "${name}" is already paused`);
  }
  return await patchDeployment(scope, deployment, pauseChange);
}

export async function resume(scope: ClusterScope, { name }: RolloutOptions): Promise<Answer> {
  const view = await readDeploymentView(scope, name);
  const passed = canaryIn(view);
  if (view.deployment.spec.paused !== true && passed === undefined) {
    throw new Error(`machinedeployment "${name}" is not paused`);
  }
  return await patchDeployment(scope, view.deployment, resumeChange(passed));
}

/** Revision whose first machines a person is to check. */
function canaryIn(view: DeploymentView): number | undefined {
  const { deployment, newSet, now } = view;
  if (deployment.spec.paused === true || !newSet) return undefined;
  return currentHold(factsOf(view), now)?.kind === 'canary' ? numberOf(newSet) : undefined;
}

/** The template stays: a rollback can go back to before, and no author of it writes it again. */
export async function restart(scope: ClusterScope, { name }: RolloutOptions): Promise<Answer> {
  const deployment = await readDeployment(scope, name);
  if (deployment.spec.paused === true) {
    throw new Error(`machinedeployment "${name}" is paused: resume it, then restart it`);
  }
  const annotations = { [options.restart]: new Date().toISOString() };
  return await patchDeployment(scope, deployment, { message: 'Restarted', annotations });
}

export async function patchDeployment(
  { kube, namespace }: ClusterScope,
  { metadata: { name, uid } }: MachineDeployment,
  { message, annotations, spec }: CommandChange,
): Promise<Answer> {
  await requireRight(kube, rightOnMachines('patch', 'machinedeployments', namespace));
  const seen = { kube, path: customResource('machinedeployments', namespace, name), uid };
  const patch = { ...(annotations && { metadata: { annotations } }), ...(spec && { spec }) };
  await patchSeen(seen, { kind: 'machinedeployment', name }, patch);
  const done = `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  const text = `machinedeployment/${name} ${done}`;
  return { text, data: { namespace, name, done }, names: [`machinedeployment/${name}`] };
}
