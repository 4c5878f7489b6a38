/**
 * Whether there is a reason to search for orphans: the drivers, which search, may be in other
 * processes, and a search costs calls to clouds.
 */
import { createHash } from 'node:crypto';
import { nowMs } from '../../activities/system/system.ts';
import type { MachineLists } from '../../activities/runtime/dependencies.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import {
  isSearchDue,
  isUnsearched,
  leftOpenBy,
  wasSearchedLately,
} from '../../workflows/plan/safety/orphan-reasons.ts';
import { orphanCountsIn } from '../../workflows/plan/safety/orphan-counts.ts';
import type { CheckSchedule } from './check-schedule.ts';
import { isFailedRun } from './check-schedule.ts';
import type { CheckMetrics } from './check-metrics.ts';
import type { Find, FinderParts } from './finder.ts';

export function orphanFinder(parts: FinderParts): Find {
  const { settings, dependencies, metrics, schedule, namespaces } = parts;
  const { namespace, safety } = settings;
  const changes = new MachineChanges(dependencies.machines, namespace);
  const reports = new LastReports(schedule, metrics);
  return async () => {
    const changedAt = await changes.latest();
    const { startedAt, lastRun, isRunning } = await schedule.describe();
    const last = await reports.of(isRunning ? undefined : lastRun);
    const times = {
      schedule: startedAt === undefined ? {} : { startedAt },
      periodSeconds: safety.orphanPeriodSeconds,
    };
    if (isRunning || wasSearchedLately(times, nowMs())) return undefined;
    const isDue = isSearchDue(times, namespaces(), nowMs());
    const why = isUnsearched(times, changedAt)
      ? 'Machines or their instances have changed'
      : (leftOpenIn(last) ?? (isDue ? 'the last search was long ago' : undefined));
    // The next run is another finding.
    return why === undefined ? undefined : { key: lastRun ?? '', why };
  };
}

/** Which Machines there are, of which instance each is, and which of them are not well. */
class MachineChanges {
  readonly #machines: MachineLists;
  readonly #namespace: string;
  #digest: string | undefined;
  #changedAt = 0;

  constructor(machines: MachineLists, namespace: string) {
    this.#machines = machines;
    this.#namespace = namespace;
  }

  /** Milliseconds. What changed before this process started is not known: it counts. */
  async latest(): Promise<number> {
    const digest = digestOf(await this.#machines.select(this.#namespace));
    if (digest !== this.#digest) this.#changedAt = nowMs();
    this.#digest = digest;
    return this.#changedAt;
  }
}

function digestOf(machines: readonly Machine[]): string {
  const states = machines.map(({ metadata: { uid, deletionTimestamp }, spec, status }) =>
    JSON.stringify([uid, deletionTimestamp, spec.providerID, isIll(status?.currentStatus?.phase)]),
  );
  return createHash('sha256').update(states.toSorted().join('\n')).digest('base64');
}

/** Its instance may be gone, which the search finds too. */
function isIll(phase: string | undefined): boolean {
  return phase === 'Unknown' || phase === 'Failed';
}

/** `report` is undefined where Temporal has forgotten it. */
interface Ended {
  hasFailed: boolean;
  report: unknown;
}

/** What a run that is over has reported does not change: it is read once, and shown. */
class LastReports {
  readonly #schedule: CheckSchedule;
  readonly #metrics: CheckMetrics;
  #known: { run: string; ended: Ended } | undefined;

  constructor(schedule: CheckSchedule, metrics: CheckMetrics) {
    this.#schedule = schedule;
    this.#metrics = metrics;
  }

  async of(run: string | undefined): Promise<Ended | undefined> {
    if (run === undefined) return undefined;
    if (this.#known?.run !== run) this.#known = { run, ended: await this.#read(run) };
    const { ended } = this.#known;
    if (ended.report !== undefined) this.#metrics.set('orphans', orphanCountsIn(ended.report));
    return ended;
  }

  async #read(run: string): Promise<Ended> {
    try {
      return { hasFailed: false, report: await this.#schedule.resultOf(run) };
    } catch (error) {
      if (!isFailedRun(error)) throw error;
      return { hasFailed: true, report: undefined };
    }
  }
}

function leftOpenIn(last: Ended | undefined): string | undefined {
  return last?.hasFailed ? 'the last search failed' : last && leftOpenBy(last.report);
}
