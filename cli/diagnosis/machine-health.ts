/** A machine that has joined and is not healthy any more. */
import { annotations } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Finding } from './finding.ts';
import type { Install } from '../install/install.ts';
import { kubectlFor, replaceCommand } from './machine-commands.ts';
import { foundMachine, healthSequelOf } from './machine-object.ts';
import { healthDeadlineOf, timeOf } from '../install/times.ts';

export function healthFindings(machine: Machine, install: Install): Finding[] {
  const { metadata, status } = machine;
  const { phase, lastUpdateTime, preserveExpiryTime } = status?.currentStatus ?? {};
  const isUnknown = phase === 'Unknown';
  const isUnhealthy = isUnknown || (phase === 'Failed' && isOfHealth(machine));
  if (metadata.deletionTimestamp !== undefined || !isUnhealthy) return [];
  const until = isUnknown ? healthDeadlineOf(machine, install) : timeOf(preserveExpiryTime);
  return [
    {
      trouble: 'unhealthy-node',
      object: foundMachine(machine),
      cause: causeOf(machine),
      since: timeOf(lastUpdateTime),
      until,
      ...(until !== undefined && {
        sequel: isUnknown ? healthSequelOf(machine, install, until) : 'it is kept no longer',
      }),
      commands: commandsFor(machine),
    },
  ];
}

function commandsFor(machine: Machine): string[] {
  const { name } = machine.metadata;
  return [
    '# in the cluster of the Nodes',
    `kubectl describe node ${nodeNameOf(machine)}`,
    '# keeps it for inspection when it has failed',
    `${kubectlFor(machine)} annotate --overwrite machine ${name} ${annotations.preserve}=when-failed`,
    ...replaceCommand(machine),
  ];
}

/** The three ways in which activities/machine fails a machine that had joined. */
function isOfHealth({ status }: Machine): boolean {
  const { description = '' } = status?.lastOperation ?? {};
  return /health checks failing|has lost its instance/.test(description);
}

/** `--target-kubeconfig=none`: it is there when its instance is, and has no Node. */
export function isWithoutTarget({ status }: Machine): boolean {
  return status?.currentStatus?.phase === 'Available';
}

export function nodeNameOf({ metadata, status }: Machine): string {
  return status?.nodeRef?.name ?? metadata.labels?.['node'] ?? metadata.name;
}

/** Without the preamble, which says what the phase says. */
function causeOf({ status }: Machine): string {
  const { description = 'its Node is not healthy' } = status?.lastOperation ?? {};
  const [, conditions] = /Node conditions: (.+)$/is.exec(description) ?? [];
  if (description.includes('has lost its instance')) return description;
  return conditions === undefined ? description : `its Node is not healthy: ${conditions}`;
}
