/** Writes commands that came through Temporal into the spec, so that `kubectl` shows them. */
import type { RolloutCommand } from '../../workflows/contracts/commands.ts';
import type { RolloutCommandInput } from '../../workflows/contracts/machine-deployment-activities.ts';
import { mergePatchOf } from '../../workflows/values/merge-patch.ts';
import type { CommandChange } from '../../workflows/plan/machine-deployment/rollout/command-change.ts';
import {
  overrideChange,
  pauseChange,
  resumeChange,
  rollbackChange,
} from '../../workflows/plan/machine-deployment/rollout/command-change.ts';
import { refused } from '../runtime/failures.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import { audited } from '../runtime/audit.ts';
import { requireNew } from '../runtime/command-origin.ts';
import { requireAllowed, takingBack } from '../runtime/written-commands.ts';
import type { KubeObject } from '../../kube/client/client.ts';
import { isConflict, isNotFound, isRefusal } from '../../kube/client/errors.ts';
import { customResource } from '../../kube/client/paths.ts';
import { timestamp } from '../../kube/objects/time.ts';
import { nowMs } from '../system/system.ts';
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
  const { reason, message, annotations, spec } = changeOf(command, canaryRevision, now ?? nowMs());
  const taken = await takingBack(control, asked, (found) => says(found, { spec, annotations }));
  if (taken === 'stale') return 'done before';
  const metadata = { ...taken, uid, annotations: { ...annotations, ...taken.annotations } };
  try {
    const path = customResource('machinedeployments', namespace, name);
    await control.patch(path, 'merge', { ...(spec && { spec }), metadata });
  } catch (error) {
    // Where a version goes with it, the next attempt reads it again.
    const isAnother = isConflict(error) && taken.resourceVersion === undefined;
    throw isRefusal(error) || isNotFound(error) || isAnother ? refused(error) : error;
  }
  const note = `${message}, ${audited(audit, { ...asked, ...origin })}`;
  await reportOn(control, deployment, { type: 'Normal', reason, message: note });
  return message;
}

function says(
  { spec, metadata }: KubeObject & { spec?: object },
  wanted: { spec: object | undefined; annotations: object | undefined },
): boolean {
  const present = { spec, annotations: metadata.annotations };
  const then = {
    spec: { ...spec, ...wanted.spec },
    annotations: { ...metadata.annotations, ...wanted.annotations },
  };
  return mergePatchOf(present, then) === undefined;
}

function changeOf(
  command: RolloutCommand,
  canaryRevision: number | undefined,
  now: number,
): CommandChange & { reason: string } {
  switch (command.verb) {
    case 'pause':
      return { reason: 'DeploymentPaused', ...pauseChange };
    case 'resume':
      return { reason: 'DeploymentResumed', ...resumeChange(canaryRevision) };
    case 'rollback':
      return { reason: 'DeploymentRollbackRequested', ...rollbackChange(command.revision ?? 0) };
    case 'setReplicas': {
      const { replicas } = command;
      return { reason: 'ReplicasSet', message: `Replicas set to ${replicas}`, spec: { replicas } };
    }
    case 'overridePolicies': {
      const { minutes, reason, by } = command;
      const end = timestamp(now + minutes * 60_000);
      return { reason: 'PolicyOverrideRequested', ...overrideChange(end, reason, by) };
    }
  }
}
