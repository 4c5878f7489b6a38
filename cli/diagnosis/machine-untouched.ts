/** A machine that no worker has taken up: none runs, none leads, or its workflow is lost. */
import type { Machine } from '../../workflows/api/machine.ts';
import type { Finding } from './finding.ts';
import type { Install } from '../install/install.ts';
import { foundMachine } from './machine-object.ts';
import { timeOf } from '../install/times.ts';

/** A worker takes up a machine within a second. */
const patienceMs = 60_000;

export function untouchedFindings(machine: Machine, install: Install): Finding[] {
  const { namespace } = machine.metadata;
  if (install.stops.some((stop) => stop.namespace === namespace)) return [];
  const since = untouchedSince(machine);
  if (since === undefined || install.now < since + patienceMs) return [];
  const what = machine.metadata.deletionTimestamp === undefined ? 'creation' : 'deletion';
  return [
    {
      trouble: 'worker-down',
      object: foundMachine(machine),
      cause: `no worker has taken up its ${what}`,
      since,
      commands: [
        '# who leads, and which processes there are',
        `kubectl -n ${namespace ?? 'default'} get lease millwright`,
        'kubectl get deployments -A -l app.kubernetes.io/component',
      ],
    },
  ];
}

function untouchedSince(machine: Machine): number | undefined {
  const { metadata, status } = machine;
  const { finalizers = [], deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) {
    const isOver = isDeletionTaken(machine) || finalizers.length === 0;
    return isOver ? undefined : timeOf(deletionTimestamp);
  }
  const isTaken = status?.lastOperation !== undefined || status?.currentStatus !== undefined;
  return isTaken ? undefined : timeOf(metadata.creationTimestamp);
}

/** Before that the last operation is one of before the deletion. */
export function isDeletionTaken({ status }: Machine): boolean {
  const { type } = status?.lastOperation ?? {};
  return type === 'Delete' || type === 'DrainNode';
}
