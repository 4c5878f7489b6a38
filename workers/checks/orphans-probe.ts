/**
 * Whether there is a reason to search for orphans before the Schedule does: the drivers, which
 * search, may be in other processes, and a search costs calls to clouds.
 */
import { createHash } from 'node:crypto';
import { nowMs } from '../../activities/system/system.ts';
import type { KubeClient, KubeObject } from '../../activities/kube/client/client.ts';
import { customResource } from '../../activities/kube/client/paths.ts';
import {
  isUnsearched,
  leftOpenBy,
  wasSearchedLately,
} from '../../workflows/plan/safety/orphan-reasons.ts';
import type { CheckSchedule } from './check-schedule.ts';
import { isFailedRun } from './check-schedule.ts';
import type { Probe, ProbeParts } from './probe.ts';

export function orphansProbe({ settings, dependencies, schedule }: ProbeParts): Probe {
  const { namespace, safety } = settings;
  const changes = new MachineChanges(dependencies.control, namespace);
  const leftOpen = lastReports(schedule);
  return {
    async find() {
      const changedAt = await changes.latest();
      const { startedAt, lastRun, isRunning } = await schedule.describe();
      const times = {
        schedule: startedAt === undefined ? {} : { startedAt },
        periodSeconds: safety.orphanPeriodSeconds,
      };
      if (isRunning || wasSearchedLately(times, nowMs())) return undefined;
      const why = isUnsearched(times, changedAt)
        ? 'Machines or their instances have changed'
        : await leftOpen(lastRun);
      // The next run is another finding.
      return why === undefined ? undefined : { key: lastRun ?? '', why };
    },
  };
}

/** Which Machines there are, and what their specs say: of which instance each is. */
class MachineChanges {
  readonly #control: KubeClient;
  readonly #path: string;
  #digest: string | undefined;
  #changedAt = 0;

  constructor(control: KubeClient, namespace: string) {
    this.#control = control;
    this.#path = customResource('machines', namespace);
  }

  /** Milliseconds. What changed before this process started is not known: it counts. */
  async latest(): Promise<number> {
    const { items } = await this.#control.list<KubeObject>(this.#path, {
      as: 'PartialObjectMetadata',
    });
    const digest = digestOf(items);
    if (digest !== this.#digest) this.#changedAt = nowMs();
    this.#digest = digest;
    return this.#changedAt;
  }
}

function digestOf(machines: readonly KubeObject[]): string {
  const states = machines.map(({ metadata }) => `${metadata.uid} ${metadata.generation}`);
  return createHash('sha256').update(states.toSorted().join('\n')).digest('base64');
}

/** What the report of a run leaves open does not change: it is read once. */
function lastReports(schedule: CheckSchedule): (run?: string) => Promise<string | undefined> {
  let known: { run: string; why: string | undefined } | undefined;
  return async (run) => {
    if (run === undefined) return undefined;
    if (known?.run !== run) known = { run, why: await whyOf(schedule, run) };
    return known.why;
  };
}

async function whyOf(schedule: CheckSchedule, run: string): Promise<string | undefined> {
  try {
    return leftOpenBy(await schedule.resultOf(run));
  } catch (error) {
    if (!isFailedRun(error)) throw error;
    return 'the last search failed';
  }
}
