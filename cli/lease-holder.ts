/** Who holds a Lease, by the clock of this command. */
import { isLeaseOfMcm } from '../activities/kube/leases/lease-set.ts';
import { holderAnnotation } from '../activities/kube/leases/observed-lease.ts';
import type { Lease } from '../activities/kube/leases/observed-lease.ts';

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

/** Undefined also where MCM holds it: one of its Leases may be that of the watchers as well. */
export function watcherOn(lease: Lease | undefined): string | undefined {
  return lease && isHeldByMcm(lease) ? undefined : holderOf(lease);
}

/** MCM leaves the annotation of a watcher that held it before as it is. */
export function isHeldByMcm({ metadata, spec }: Lease): boolean {
  const ours = metadata.annotations?.[holderAnnotation];
  return isLeaseOfMcm(metadata.name) && ours !== spec?.holderIdentity;
}
