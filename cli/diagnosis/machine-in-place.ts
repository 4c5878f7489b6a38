/** A machine whose update in place failed, or whose Node did not answer in time. */
import { options } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Install } from '../install/install.ts';
import { hasUpdateFailed, updateConditionOf } from '../install/in-place.ts';
import { healthDeadlineOf, timeOf } from '../install/times.ts';
import type { Finding } from './finding.ts';
import { failedUpdateCommands } from './machine-commands.ts';
import { nodeNameOf } from './machine-health.ts';
import { deploymentOf, foundMachine, healthSequelOf } from './machine-object.ts';

export function updateFindings(machine: Machine, install: Install): Finding[] {
  if (!hasUpdateFailed(machine)) return [];
  const until = replacedAt(machine, install);
  return [
    {
      trouble: 'update-failed',
      object: foundMachine(machine),
      cause: causeOf(machine),
      since: timeOf(machine.status?.currentStatus?.lastUpdateTime),
      ...(until !== undefined && { until, sequel: healthSequelOf(machine, install, until) }),
      commands: failedUpdateCommands(machine, nodeNameOf(machine)),
    },
  ];
}

/** Milliseconds; undefined: it stays until a person decides. */
export function replacedAt(machine: Machine, install: Install): number | undefined {
  const { annotations = {} } = deploymentOf(machine, install)?.metadata ?? {};
  const isReplaced = annotations[options.inPlaceFailure] === 'replace';
  return isReplaced ? healthDeadlineOf(machine, install) : undefined;
}

/** In the words of the agent, where it said something. */
function causeOf({ status }: Machine): string {
  const condition = updateConditionOf(status?.conditions);
  if (condition?.reason === 'UpdateFailed') return condition.message ?? 'its update failed';
  return `the agent on its Node did not answer: ${status?.lastOperation?.description ?? ''}`;
}
