/** Who holds a Lease, by the clock of this command. */
import type { Lease } from '../activities/kube/leases/observed-lease.ts';
import { holderAnnotation } from '../activities/kube/leases/observed-lease.ts';

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

/** The same where it is a watcher of ours: one that takes MCM's Leases notes its name on them. */
export function watcherOf(lease: Lease | undefined): string | undefined {
  const noted = lease?.metadata.annotations?.[holderAnnotation];
  const holder = holderOf(lease);
  return noted === holder ? holder : undefined;
}
