/** Reads from a Machine what it waits for. */
import { drainOptions, labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachineCommand } from '../../workflows/contracts/commands.ts';
import { kubectlFor } from '../diagnosis/machine-commands.ts';
import { shownIn } from '../terminal/columns.ts';

/** How the description begins once the pods are no longer asked. */
const ended = ['Drain successful', 'Force Drain', 'Skipping drain', 'Deleting Node', 'VM deletion'];

export function isBeingDrained({ metadata, status }: Machine): boolean {
  const { description = '' } = status?.lastOperation ?? {};
  return (
    metadata.deletionTimestamp !== undefined &&
    metadata.labels?.[labels.node] !== undefined &&
    metadata.annotations?.[drainOptions.skip] !== 'true' &&
    !ended.some((start) => description.startsWith(start))
  );
}

/** Why a command makes no sense now, in words that say what to do; undefined when it does. */
export function refusalOf(machine: Machine, { verb }: MachineCommand): string | undefined {
  const { name, deletionTimestamp } = machine.metadata;
  const { phase = 'new' } = machine.status?.currentStatus ?? {};
  if (isBeingDrained(machine)) return undefined;
  if (verb === 'retryNow') {
    if (isFailing(machine)) return undefined;
    return `machine/${name} is ${phase} and waits for nothing that can be tried again`;
  }
  if (deletionTimestamp === undefined) {
    return `machine/${name} is ${phase} and is not being drained: delete it first, ${kubectlFor(machine)} delete machine ${name}`;
  }
  return `machine/${name} is being deleted, but its drain is not going on: ${waitsFor(machine)}`;
}

function isFailing({ status }: Machine): boolean {
  const isWaiting = status?.currentStatus?.phase === 'CrashLoopBackOff';
  return isWaiting || status?.lastOperation?.state === 'Failed';
}

/** On one line: what a cloud wrote there must not write over what a person is to consent to. */
export function waitsFor({ status }: Machine): string {
  const { description } = status?.lastOperation ?? {};
  return description === undefined ? 'it says nothing of what it does' : shownIn(description);
}
