import { noActiveWatcher, stopped } from './failures.ts';
import type { EventSubject } from '../../kube/objects/event.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { formatStop } from '../../kube/objects/global-stop.ts';
import { ownLeaseOf } from '../../kube/leases/lease-set.ts';
import type { Stop } from '../../kube/objects/global-stop.ts';
import type { ActivityDependencies } from './dependencies.ts';

export type GateDependencies = Pick<
  ActivityDependencies,
  'control' | 'stop' | 'namespace' | 'leasePlace' | 'activeWatcher' | 'memory'
>;

/**
 * Before anything is created or destroyed: throws while a person has stopped everything, or no
 * watcher leads.
 */
export async function requireActiveWatcher(
  gate: GateDependencies,
  subject?: EventSubject,
): Promise<void> {
  requireLeader(gate);
  await requireNoStop(gate, subject);
}

/** Before anything is written to Kubernetes. */
export function requireLeader({ activeWatcher, namespace, leasePlace }: GateDependencies): void {
  if (activeWatcher.isActive()) return;
  const lease = ownLeaseOf(namespace, leasePlace);
  throw noActiveWatcher(lease, activeWatcher.isElsewhere?.() ?? false);
}

/** The object that has to wait gets an Event of that. */
async function requireNoStop(gate: GateDependencies, subject?: EventSubject): Promise<void> {
  const { stop, namespace } = gate;
  const present = stop.current();
  if (!present) return;
  await reportStop(gate, present, subject);
  throw stopped(formatStop(namespace, present));
}

/** Once for each object, as attempts follow each other for as long as the stop lasts. */
async function reportStop(
  { control, memory, namespace }: GateDependencies,
  present: Stop,
  subject?: EventSubject,
): Promise<void> {
  if (!subject) return;
  const { uid } = present;
  if (memory.stop?.uid !== uid) memory.stop = { uid, reported: new Set() };
  const { reported } = memory.stop;
  if (reported.has(subject.uid)) return;
  recordEvent(control, subject, {
    type: 'Warning',
    reason: 'Stopped',
    message: formatStop(namespace, present),
    component: 'millwright',
  });
  reported.add(subject.uid);
}
