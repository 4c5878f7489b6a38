/** A machine that nobody has taken up: no worker, no watcher, or a workflow that is lost. */
import type { Machine } from '../../workflows/api/machine.ts';
import type { Finding } from './finding.ts';
import type { Fleet } from './fleet.ts';
import { foundMachine } from './machine-object.ts';
import { timeOf } from './times.ts';

/** A worker takes up a machine within a second. */
const patienceMs = 60_000;

export function untouchedFindings(machine: Machine, fleet: Fleet): Finding[] {
  const { namespace } = machine.metadata;
  if (fleet.stops.some((stop) => stop.namespace === namespace)) return [];
  const since = untouchedSince(machine);
  if (since === undefined || fleet.now < since + patienceMs) return [];
  const what = machine.metadata.deletionTimestamp === undefined ? 'creation' : 'deletion';
  return [
    {
      trouble: 'worker-down',
      object: foundMachine(machine),
      cause: `nobody has taken up its ${what}`,
      since,
      commands: [
        '# who leads, and which processes there are',
        `kubectl -n ${namespace ?? 'default'} get lease millwright`,
        'kubectl get deployments -A -l app.kubernetes.io/component',
      ],
    },
  ];
}

function untouchedSince({ metadata, status }: Machine): number | undefined {
  const { type, description } = status?.lastOperation ?? {};
  if (metadata.deletionTimestamp !== undefined) {
    const isOurs = (metadata.finalizers ?? []).length > 0;
    return isOurs && type !== 'Delete' && type !== 'DrainNode'
      ? timeOf(metadata.deletionTimestamp)
      : undefined;
  }
  return description === undefined && status?.currentStatus?.phase === undefined
    ? timeOf(metadata.creationTimestamp)
    : undefined;
}
