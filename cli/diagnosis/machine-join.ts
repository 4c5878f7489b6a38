/** A machine whose instance is there and whose Node is not, or is not Ready. */
import type { Machine } from '../../workflows/api/machine.ts';
import type { Finding } from './finding.ts';
import type { Install } from '../install/install.ts';
import { moreTimeCommand, replaceCommand } from './machine-commands.ts';
import { failureSequelOf, foundMachine } from './machine-object.ts';
import { joinDeadlineOf, timeOf } from '../install/times.ts';

/** Of the time that it has. What joins at all has joined by then. */
const patience = 0.5;

export function joinFindings(machine: Machine, install: Install): Finding[] {
  if (machine.metadata.deletionTimestamp !== undefined) return [];
  if (hasFailedToJoin(machine)) return [failedFinding(machine)];
  if (isClaimed(machine)) return [claimedFinding(machine)];
  const { spec, status } = machine;
  const isJoining = status?.currentStatus?.phase === 'Pending' && spec.providerID !== undefined;
  return isJoining ? lateFindings(machine, install) : [];
}

function lateFindings(machine: Machine, install: Install): Finding[] {
  const { metadata, spec, status } = machine;
  const until = joinDeadlineOf(machine, install);
  const from = timeOf(metadata.creationTimestamp);
  if (from === undefined || until === undefined) return [];
  if (install.now < from + (until - from) * patience) return [];
  return [
    {
      trouble: 'never-joins',
      object: foundMachine(machine),
      cause: `instance ${spec.providerID ?? 'unknown'} has no Node that is Ready${readinessOf(machine)}`,
      since: timeOf(status?.currentStatus?.lastUpdateTime),
      until,
      sequel: failureSequelOf(machine, install),
      commands: moreTimeCommand(machine, install),
    },
  ];
}

function failedFinding(machine: Machine): Finding {
  const { metadata, status } = machine;
  return {
    trouble: 'never-joins',
    object: foundMachine(machine),
    cause: `its Node did not become Ready in time: ${status?.lastOperation?.description ?? ''}`,
    since: timeOf(metadata.creationTimestamp),
    commands: replaceCommand(machine),
  };
}

/** Another Machine has its Node: `activities/machine/node/claims.ts`. */
function isClaimed({ status }: Machine): boolean {
  const { type, state, errorCode } = status?.lastOperation ?? {};
  const isPending = status?.currentStatus?.phase === 'Pending';
  return isPending && type === 'Create' && state === 'Failed' && errorCode === undefined;
}

function claimedFinding(machine: Machine): Finding {
  const { description = '', lastUpdateTime } = machine.status?.lastOperation ?? {};
  return {
    trouble: 'never-joins',
    object: foundMachine(machine),
    cause: description,
    since: timeOf(lastUpdateTime),
    commands: replaceCommand(machine),
  };
}

/** As activities/machine/record.ts says it. A refused create is another trouble. */
function hasFailedToJoin({ status }: Machine): boolean {
  const { description = '', errorCode } = status?.lastOperation ?? {};
  const isFailed = status?.currentStatus?.phase === 'Failed' && errorCode === undefined;
  return isFailed && / failed to join the cluster in /.test(description);
}

/** What its Node said last, where there is one. */
function readinessOf({ status }: Machine): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (!ready) return '';
  const words = [ready.reason, ready.message].filter((text) => text !== undefined && text !== '');
  return `: ${words.join(': ') || `Ready is ${ready.status}`}`;
}
