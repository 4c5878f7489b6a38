/** Finds the leader by the Leases of the watchers. */
import {
  certificatesAnnotation,
  readCertificateEnds,
} from '../../kube/objects/certificate-ends.ts';
import { installAnnotation, readInstallNote } from '../../kube/objects/install-note.ts';
import { readRestore, restoredAnnotation } from '../../kube/objects/restore-note.ts';
import { readPauses, pausesAnnotation } from '../../kube/objects/pauses.ts';
import type { LeasePlace } from '../../kube/leases/lease-set.ts';
import { isLeaseOfMcm, ownLease, ownLeaseOf } from '../../kube/leases/lease-set.ts';
import type { Lease } from '../../kube/leases/observed-lease.ts';
import type { LeaseFact } from './install.ts';
import { timeOf } from './times.ts';
import { holderOf, isHeldByFront, isHeldByMcm, watcherOn } from './lease-holder.ts';

/** For one namespace: with its Lease or, without one, with no holder. */
export function leaseFactsOf(
  leases: readonly Lease[],
  { namespace, leasePlace }: { namespace: string; leasePlace: LeasePlace },
): LeaseFact[] {
  const own = ownLeaseOf(namespace, leasePlace);
  const found = leases.find(
    ({ metadata }) => metadata.name === own.name && metadata.namespace === own.namespace,
  );
  return [factOf(namespace, { name: own.name, lease: found, leases })];
}

/** For all namespaces: the Leases of watchers that there are. */
export function allLeaseFacts(leases: readonly Lease[]): LeaseFact[] {
  return leases.flatMap((lease) => {
    const { name, namespace = '' } = lease.metadata;
    const isWatchers =
      name === ownLease || (isLeaseOfMcm(name) && !isHeldByMcm(lease) && !isHeldByFront(lease));
    const isOnly = !leases.some(
      ({ metadata }) => metadata.name === ownLease && metadata.namespace === namespace,
    );
    return isWatchers && (name === ownLease || isOnly)
      ? [factOf(namespace, { name, lease, leases })]
      : [];
  });
}

interface LeaseRead {
  name: string;
  lease: Lease | undefined;
  /** All that were read. */
  leases: readonly Lease[];
}

function factOf(namespace: string, { name, lease, leases }: LeaseRead): LeaseFact {
  const { annotations = {} } = lease?.metadata ?? {};
  const isOurs = lease !== undefined && !isHeldByMcm(lease);
  return {
    namespace,
    name,
    holder: watcherOn(lease),
    renewedAt: isOurs ? timeOf(lease.spec?.renewTime) : undefined,
    mcm: mcmIn(namespace, leases),
    install: readInstallNote(annotations[installAnnotation]),
    pauses: readPauses(annotations[pausesAnnotation]),
    restoredAt: readRestore(annotations[restoredAnnotation]),
    certificates: readCertificateEnds(annotations[certificatesAnnotation]),
  };
}

function mcmIn(namespace: string, leases: readonly Lease[]): LeaseFact['mcm'] {
  const [found] = leases.flatMap((lease) => {
    const holder = holderOf(lease);
    const isThere = lease.metadata.namespace === namespace && isHeldByMcm(lease);
    return isThere && holder !== undefined ? [{ holder, lease: lease.metadata.name }] : [];
  });
  return found;
}
