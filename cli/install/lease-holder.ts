/** Finds who holds a Lease, by the clock of this command. */
import type { KubeClient } from '../../kube/client/client.ts';
import { isLeaseOfMcm, mcmLeases } from '../../kube/leases/lease-set.ts';
import { isHeldByUs } from '../../kube/leases/observed-lease.ts';
import type { Lease } from '../../kube/leases/observed-lease.ts';
import { readLease } from '../../kube/leases/read-lease.ts';
import { front } from '../../workflows/api/kubermatic-names.ts';
import type { NamespacedName } from '../../workflows/contracts/references.ts';

const defaultDurationSeconds = 15;
/** With a clock that is off by less than this, a live holder does not count as dead. */
const clockToleranceMs = 30_000;

/** Undefined: released, or not renewed in its time. */
export function holderOf(lease: Lease | undefined): string | undefined {
  const { holderIdentity, renewTime, leaseDurationSeconds } = lease?.spec ?? {};
  if (!holderIdentity || !renewTime) return undefined;
  const lastsMs = (leaseDurationSeconds ?? defaultDurationSeconds) * 1_000;
  const isOver = Date.now() > Date.parse(renewTime) + lastsMs + clockToleranceMs;
  return isOver ? undefined : holderIdentity;
}

/**
 * Undefined also where MCM holds it: one of its Leases may be that of the watchers as well. And
 * where the front keeps machine-controller away by it.
 */
export function watcherOn(lease: Lease | undefined): string | undefined {
  return lease && (isHeldByMcm(lease) || isHeldByFront(lease)) ? undefined : holderOf(lease);
}

export function isHeldByFront({ spec }: Lease): boolean {
  return spec?.holderIdentity?.startsWith(`${front.lease}/`) === true;
}

/** MCM leaves the annotation of a watcher that held it before as it is. */
export function isHeldByMcm(lease: Lease): boolean {
  return isLeaseOfMcm(lease.metadata.name) && !isHeldByUs(lease);
}

/** Describes the first Lease that a watcher of ours holds; MCM's show one of any install. */
export async function watcherHolding(
  kube: KubeClient,
  namespace: string,
  own: NamespacedName,
): Promise<string | undefined> {
  for (const lease of [own, ...mcmLeases.map((name) => ({ namespace, name }))]) {
    const watcher = watcherOn(await readLease(kube, lease));
    if (watcher !== undefined) return `Lease ${lease.name} is held by ${watcher}`;
  }
  return undefined;
}
