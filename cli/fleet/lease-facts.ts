/** Who leads, by the Leases of the watchers. */
import { readPauses, pausesAnnotation } from '../../activities/kube/objects/pauses.ts';
import type { LeasePlace } from '../../activities/kube/leases/lease-set.ts';
import { ownLease, ownLeaseOf } from '../../activities/kube/leases/lease-set.ts';
import type { Lease } from '../../activities/kube/leases/observed-lease.ts';
import type { LeaseFact } from '../diagnosis/fleet.ts';
import { timeOf } from '../diagnosis/times.ts';

const defaultDurationSeconds = 15;
/** With a clock that is off by less than this, a live holder does not count as dead. */
const clockToleranceMs = 30_000;

/** Of one namespace: with its Lease or, without one, with nobody who holds it. */
export function leaseFactsOf(
  leases: readonly Lease[],
  { namespace, place, now }: { namespace: string; place: LeasePlace; now: number },
): LeaseFact[] {
  const own = ownLeaseOf(namespace, place);
  const found = leases.find(
    ({ metadata }) => metadata.name === own.name && metadata.namespace === own.namespace,
  );
  return [factOf(namespace, { name: own.name, lease: found, now })];
}

/** Of all namespaces: the Leases that there are. */
export function allLeaseFacts(leases: readonly Lease[], now: number): LeaseFact[] {
  return leases.flatMap((lease) => {
    const { name, namespace = '' } = lease.metadata;
    if (name === ownLease) return [factOf(namespace, { name, lease, now })];
    // One of a namespace that is led from another: `lease-set.ts`.
    const served = name.startsWith(`${ownLease}-`) ? name.slice(ownLease.length + 1) : undefined;
    return served === undefined ? [] : [factOf(served, { name, lease, now })];
  });
}

function factOf(
  namespace: string,
  { name, lease, now }: { name: string; lease: Lease | undefined; now: number },
): LeaseFact {
  const { holderIdentity, renewTime, leaseDurationSeconds } = lease?.spec ?? {};
  const renewedAt = timeOf(renewTime);
  const lastsMs = (leaseDurationSeconds ?? defaultDurationSeconds) * 1_000 + clockToleranceMs;
  const isOver = renewedAt === undefined || now > renewedAt + lastsMs;
  return {
    namespace,
    name,
    holder: isOver ? undefined : holderIdentity || undefined,
    renewedAt,
    pauses: readPauses(lease?.metadata.annotations?.[pausesAnnotation]),
  };
}
