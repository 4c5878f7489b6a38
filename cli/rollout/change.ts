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
import type { Answer } from '../command-line/answer.ts';
import type { Place } from '../connection/cluster.ts';
import { readDeploymentView } from '../objects/deployment-view.ts';
import { readDeployment } from '../objects/read-object.ts';
import { requireRight, rightOnMachines } from '../objects/rights.ts';
import { patchSeen } from '../objects/seen-object.ts';
import type { RolloutQuestion } from './command.ts';
import { numberOf } from './history.ts';

export async function pause(place: Place, { name }: RolloutQuestion): Promise<Answer> {
  const deployment = await readDeployment(place, name);
  if (deployment.spec.paused === true) {
    throw new Error(`machinedeployment "${name}" is already paused`);
  }
  const patch = { spec: { paused: true } };
  return await patchDeployment(place, deployment, { words: 'paused', patch });
}

export async function resume(place: Place, { name }: RolloutQuestion): Promise<Answer> {
  const view = await readDeploymentView(place, name);
  const passed = canaryIn(view);
  if (view.deployment.spec.paused !== true && passed === undefined) {
    throw new Error(`machinedeployment "${name}" is not paused`);
  }
  const notes = passed === undefined ? {} : { [options.canaryPassed]: String(passed) };
  const past = passed === undefined ? '' : `, past the first machines of revision ${passed}`;
  const patch = { metadata: { annotations: notes }, spec: { paused: null } };
  return await patchDeployment(place, view.deployment, { words: `resumed${past}`, patch });
}

/** Revision whose first machines a person is to check. */
function canaryIn(view: DeploymentView): number | undefined {
  const { deployment, newSet, now } = view;
  if (deployment.spec.paused === true || !newSet) return undefined;
  return currentHold(factsOf(view), now)?.kind === 'canary' ? numberOf(newSet) : undefined;
}

/** The template stays: a rollback can go back to before, and no author of it writes it again. */
export async function restart(place: Place, { name }: RolloutQuestion): Promise<Answer> {
  const deployment = await readDeployment(place, name);
  if (deployment.spec.paused === true) {
    throw new Error(`machinedeployment "${name}" is paused: resume it, then restart it`);
  }
  const annotations = { [options.restart]: new Date().toISOString() };
  return await patchDeployment(place, deployment, {
    words: 'restarted',
    patch: { metadata: { annotations } },
  });
}

export async function patchDeployment(
  { kube, namespace }: Place,
  { metadata: { name, uid } }: MachineDeployment,
  { words, patch }: { words: string; patch: { metadata?: object; spec?: object } },
): Promise<Answer> {
  await requireRight(kube, rightOnMachines('patch', 'machinedeployments', namespace));
  const seen = { kube, path: customResource('machinedeployments', namespace, name), uid };
  await patchSeen(seen, { kind: 'machinedeployment', name }, patch);
  const text = `machinedeployment/${name} ${words}`;
  return { text, data: { namespace, name, done: words }, names: [`machinedeployment/${name}`] };
}
