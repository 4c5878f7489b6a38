/** When the time of a drain is up (MCM 4.7). */
import { parseGoDuration } from '../durations.ts';
import type { JudgedSpec } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import type { Case } from './case.ts';

/** A refused eviction counts once in this time. */
const evictionMs = 20_000;

export type Drain = Pick<Case, 'evidence' | 'install' | 'since'>;

/** When pods may be deleted that were only asked to go. */
export function earliestForce(judged: Drain, machine: Life): number {
  const { isStopped, lostLeaseAt } = judged.evidence.authorityOf(judged.install);
  const deletedAt = Date.parse(machine.last.metadata.deletionTimestamp ?? '');
  const resumedAt = isStopped.lastAt(true) ?? deletedAt;
  const specs = specsOf(machine, judged.since);
  const retries = specs.map(({ maxEvictRetries = Infinity }) => maxEvictRetries * evictionMs);
  const countedFrom = resumedAt > lostLeaseAt ? resumedAt : deletedAt;
  const refusedUntil = countedFrom + Math.min(...retries);
  return Math.min(endOfDrain(judged, machine), refusedUntil);
}

/** When its time is up; the time of a stop is added, unless the Lease that knew of it was lost. */
export function endOfDrain({ evidence, install, since }: Drain, machine: Life): number {
  const deletedAt = Date.parse(machine.last.metadata.deletionTimestamp ?? '');
  const { isStopped, lostLeaseAt } = evidence.authorityOf(install);
  const known = Math.max(deletedAt, lostLeaseAt);
  const stoppedMs = isStopped.lengthSince(known, evidence.simulation.now);
  const timeouts = specsOf(machine, since).map(
    ({ drainTimeout }) => parseGoDuration(drainTimeout) ?? evidence.limits.drainMs,
  );
  return deletedAt + Math.min(...timeouts) + stoppedMs;
}

function specsOf({ states }: Life, since: number): JudgedSpec[] {
  return states.since(since).flatMap((one) => one?.spec ?? []);
}
