/** Writes commands that came through Temporal into the spec, so that `kubectl` shows them. */
import type { RolloutCommand } from '../../workflows/contracts/commands.ts';
import type { RolloutCommandInput } from '../../workflows/contracts/machine-deployment-activities.ts';
import { mergePatchOf } from '../../workflows/values/merge-patch.ts';
import { options } from '../../workflows/api/constants.ts';
import { refused } from '../runtime/failures.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { audited } from '../runtime/audit.ts';
import { requireNew } from '../runtime/command-origin.ts';
import { requireAllowed, takingBack } from '../runtime/written-commands.ts';
import type { KubeObject } from '../../kube/client/client.ts';
import { isConflict, isNotFound, isRefusal } from '../../kube/client/errors.ts';
import { customResource } from '../../kube/client/paths.ts';
import { reportOn } from './lifecycle.ts';

export async function applyRolloutCommand(
  { control, commandsBy, audit }: Pick<ActivityDependencies, 'control' | 'commandsBy' | 'audit'>,
  { deployment, command, canaryRevision, written, heardAt, now }: RolloutCommandInput,
): Promise<string> {
  const { namespace, name, uid } = deployment;
  const object = { ...deployment, kind: 'MachineDeployment' } as const;
  const asked = { object, command, written };
  requireAllowed(commandsBy, asked);
  const origin = await requireNew(control, { ...asked, heardAt, now });
  const { reason, words, annotations, ...patch } = changeOf(command, canaryRevision);
  const taken = await takingBack(control, asked, (found) => says(found, patch.spec));
  if (taken === 'stale') return 'done before';
  const metadata = { ...taken, uid, annotations: { ...annotations, ...taken.annotations } };
  try {
    const path = customResource('machinedeployments', namespace, name);
    await control.patch(path, 'merge', { ...patch, metadata });
  } catch (error) {
    // Where a version goes with it, the next attempt reads it again.
    const isAnother = isConflict(error) && taken.resourceVersion === undefined;
    throw isRefusal(error) || isNotFound(error) || isAnother ? refused(error) : error;
  }
  const message = `${words}, ${audited(audit, { ...asked, ...origin })}`;
  await reportOn(control, deployment, { type: 'Normal', reason, message });
  return words;
}

function says({ spec }: KubeObject & { spec?: object }, wanted: object | undefined): boolean {
  return mergePatchOf(spec, { ...spec, ...wanted }) === undefined;
}

interface Change {
  reason: string;
  words: string;
  annotations?: object;
  spec?: object;
}

function changeOf(command: RolloutCommand, canaryRevision: number | undefined): Change {
  if (command.verb === 'pause') {
    return { reason: 'DeploymentPaused', words: 'Paused', spec: { paused: true } };
  }
  if (command.verb === 'resume') return resumption(canaryRevision);
  if (command.verb === 'rollback') return rollbackTo(command.revision ?? 0);
  const { replicas } = command;
  return { reason: 'ReplicasSet', words: `Replicas set to ${replicas}`, spec: { replicas } };
}

function rollbackTo(revision: number): Change {
  const to = revision === 0 ? 'the previous revision' : `revision ${revision}`;
  const words = `Rollback to ${to}`;
  return { reason: 'DeploymentRollbackRequested', words, spec: { rollbackTo: { revision } } };
}

function resumption(canaryRevision: number | undefined): Change {
  const resumed = { reason: 'DeploymentResumed', words: 'Resumed', spec: { paused: null } };
  if (canaryRevision === undefined) return resumed;
  const notes = { [options.canaryPassed]: String(canaryRevision) };
  const words = `Resumed, past the first machines of revision ${canaryRevision}`;
  return { ...resumed, words, annotations: notes };
}
