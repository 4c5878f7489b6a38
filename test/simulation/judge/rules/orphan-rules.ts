/** When an instance may be deleted that no Machine has (docs/safety.md). */
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';
import type { CloudHappening, JudgedInstance } from '../judged-cloud.ts';

/** Clocks differ by half a minute, in both directions, and a run takes a moment. Milliseconds. */
const slackMs = 90_000;
/** Runs of the search are further apart. Milliseconds. */
const oneRunMs = 5 * 60_000;

/** Orphans that went lately, by install. */
const deletions = new WeakMap<Install, number[]>();

/** Two searches have seen it, so far apart as `--safety-orphans-min-age` says. */
export function judgeOrphan(
  evidence: Evidence,
  install: Install,
  { record, by }: CloudHappening,
): void {
  const { simulation, limits, rulings } = evidence;
  const { now } = simulation;
  const orphanedAt = orphanedSince(evidence, install, record);
  const latest = now - limits.orphanMinAgeMs + slackMs;
  if (orphanedAt === undefined || orphanedAt > latest || record.createdAt > latest) {
    const text = `${by} deleted ${record.id} of ${record.name}, whose Machine was not deleted, and which was no orphan for long enough`;
    rulings.against('an instance goes with its Machine or as an orphan', record.id, text);
  }
  const recent = (deletions.get(install) ?? []).filter((at) => at > now - oneRunMs);
  deletions.set(install, [...recent, now]);
  if (recent.length < limits.orphanDeletionsMax) return;
  const text = `${by} deleted ${recent.length + 1} orphans within ${oneRunMs / 1_000} s`;
  rulings.against('few orphans go at once', install.name, text);
}

/**
 * Since when it has had no Machine, as far as two searches show: of the last one that found it with
 * a Machine the answer may have been lost.
 */
function orphanedSince(
  evidence: Evidence,
  install: Install,
  record: JudgedInstance,
): number | undefined {
  const { isClaimed } = evidence.instances.of(record);
  const found = evidence.cloud.listings
    .filter(({ by, at }) => evidence.installOf(by) === install && isClaimed.at(at))
    .map(({ at }) => at);
  const last = found.at(-1) ?? -Infinity;
  const known = found.findLast((at) => at <= last - oneRunMs) ?? record.createdAt;
  return isClaimed.momentsSince(known).find((at) => !isClaimed.at(at));
}
