import { notLicensed, stopped } from './failures.ts';
import type { EventSubject } from '../kube/objects/event.ts';
import { recordEvent } from '../kube/objects/events.ts';
import { stopInWords } from '../kube/objects/global-stop.ts';
import { ownLeaseOf } from '../kube/leases/lease-set.ts';
import type { Stop } from '../kube/objects/global-stop.ts';
import type { World } from './dependencies.ts';

export type Place = Pick<World, 'control' | 'stop' | 'namespace' | 'leaseNamespace' | 'licence'>;

/** Before anything is created or destroyed: throws while a person has stopped everything, or no watcher leads. */
export async function requireLicence(place: Place, subject?: EventSubject): Promise<void> {
  requireLeader(place);
  await requireNoStop(place, subject);
}

/** Before anything is written to Kubernetes. */
export function requireLeader({ licence, namespace, leaseNamespace }: Place): void {
  if (!licence.isGranted()) throw notLicensed(ownLeaseOf(namespace, leaseNamespace));
}

/** The object that has to wait gets an Event of that. */
async function requireNoStop(place: Place, subject?: EventSubject): Promise<void> {
  const { stop, namespace } = place;
  const present = stop.current();
  if (!present) return;
  await tell(place, present, subject);
  throw stopped(stopInWords(namespace, present));
}

/** Once for each object, as attempts follow each other for as long as the stop lasts. */
async function tell(
  { control, stop, namespace }: Place,
  present: Stop,
  subject?: EventSubject,
): Promise<void> {
  if (!subject) return;
  const told = toldOf(stop, present);
  if (told.has(subject.uid)) return;
  recordEvent(control, subject, {
    type: 'Warning',
    reason: 'Stopped',
    message: stopInWords(namespace, present),
    component: 'millwright',
  });
  told.add(subject.uid);
}

const tellings = new WeakMap<object, { uid: string; told: Set<string> }>();

/** UIDs of the objects that know of this stop. */
function toldOf(stop: object, { uid }: Stop): Set<string> {
  const known = tellings.get(stop);
  if (known?.uid === uid) return known.told;
  const told = new Set<string>();
  tellings.set(stop, { uid, told });
  return told;
}
