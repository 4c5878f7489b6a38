/** Who leads, by the Leases of the watchers. */
import {
  certificatesAnnotation,
  readCertificateEnds,
} from '../../activities/kube/objects/certificate-ends.ts';
import { readRestore, restoredAnnotation } from '../../activities/kube/objects/restore-note.ts';
import { readPauses, pausesAnnotation } from '../../activities/kube/objects/pauses.ts';
import type { LeasePlace } from '../../activities/kube/leases/lease-set.ts';
import { ownLease, ownLeaseOf } from '../../activities/kube/leases/lease-set.ts';
import type { Lease } from '../../activities/kube/leases/observed-lease.ts';
import type { LeaseFact } from '../diagnosis/fleet.ts';
import { timeOf } from '../diagnosis/times.ts';
import { holderOf } from '../lease-holder.ts';

/** Of one namespace: with its Lease or, without one, with no holder. */
export function leaseFactsOf(
  leases: readonly Lease[],
  { namespace, place }: { namespace: string; place: LeasePlace },
): LeaseFact[] {
  const own = ownLeaseOf(namespace, place);
  const found = leases.find(
    ({ metadata }) => metadata.name === own.name && metadata.namespace === own.namespace,
  );
  return [factOf(namespace, { name: own.name, lease: found })];
}

/** Of all namespaces: the Leases that there are. */
export function allLeaseFacts(leases: readonly Lease[]): LeaseFact[] {
  return leases.flatMap((lease) => {
    const { name, namespace = '' } = lease.metadata;
    if (name === ownLease) return [factOf(namespace, { name, lease })];
    // One of a namespace that is led from another: `lease-set.ts`.
    const served = name.startsWith(`${ownLease}-`) ? name.slice(ownLease.length + 1) : undefined;
    return served === undefined ? [] : [factOf(served, { name, lease })];
  });
}

function factOf(
  namespace: string,
  { name, lease }: { name: string; lease: Lease | undefined },
): LeaseFact {
  const { annotations = {} } = lease?.metadata ?? {};
  return {
    namespace,
    name,
    holder: holderOf(lease),
    renewedAt: timeOf(lease?.spec?.renewTime),
    pauses: readPauses(annotations[pausesAnnotation]),
    restoredAt: readRestore(annotations[restoredAnnotation]),
    certificates: readCertificateEnds(annotations[certificatesAnnotation]),
  };
}
