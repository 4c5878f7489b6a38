/**
 * What a person or a program asked for through Temporal becomes the spec, so that `kubectl` shows
 * the same truth.
 */
import type { RolloutCommand } from '../../workflows/contracts/commands.ts';
import type { RolloutCommandInput } from '../../workflows/contracts/machine-deployment-activities.ts';
import { options } from '../../workflows/api/constants.ts';
import { refused } from '../runtime/failures.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { isConflict, isNotFound, isRefusal } from '../kube/client/errors.ts';
import { customResource } from '../kube/client/paths.ts';
import { reportOn } from './lifecycle.ts';

export async function applyRolloutCommand(
  control: KubeClient,
  { deployment, command, canaryRevision }: RolloutCommandInput,
): Promise<string> {
  const { namespace, name, uid } = deployment;
  const { reason, words, ...patch } = changeOf(command, canaryRevision);
  const metadata = { ...patch.metadata, uid };
  try {
    const path = customResource('machinedeployments', namespace, name);
    await control.patch(path, 'merge', { ...patch, metadata });
  } catch (error) {
    throw isRefusal(error) || isNotFound(error) || isConflict(error) ? refused(error) : error;
  }
  const who = command.by === undefined ? '' : ` by "${command.by}"`;
  const message = `${words}, asked for through Temporal${who}`;
  await reportOn(control, deployment, { type: 'Normal', reason, message });
  return words;
}

interface Change {
  reason: string;
  words: string;
  metadata?: object;
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
  return { ...resumed, words, metadata: { annotations: notes } };
}
