/** How a round finds out for each check, by the functions that its runs call. */
import { createHash } from 'node:crypto';
import { checkServers } from '../../activities/safety/reachability.ts';
import { compareWorkflows } from '../../activities/safety/lost-workflows.ts';
import { checkOvershoot } from '../../activities/safety/overshoot.ts';
import { findUnmanagedNodes } from '../../activities/safety/unmanaged-nodes.ts';
import { nowMs, sleep } from '../../activities/system/system.ts';
import type { WorkflowComparison } from '../../workflows/plan/safety/lost-workflows.ts';
import { agreedOn, isWell } from '../../workflows/plan/safety/lost-workflows.ts';
import { isOvershooting, planFreezes } from '../../workflows/plan/safety/overshoot.ts';
import type { Outage } from '../../workflows/plan/safety/reachability.ts';
import { afterAnswer, isFrozen } from '../../workflows/plan/safety/reachability.ts';
import type { CheckSchedule } from './check-schedule.ts';
import { isFailedRun } from './check-schedule.ts';
import type { Check } from './checks.ts';
import { overshootInput, reachabilityInput, unmanagedNodesInput } from './checks.ts';
import type { Find, FinderParts } from './finder.ts';
import type { MachineLists } from '../../activities/runtime/dependencies.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import {
  isSearchDue,
  isUnsearched,
  leftOpenBy,
  wasSearchedLately,
} from '../../workflows/plan/safety/orphan-reasons.ts';
import { orphanCountsIn } from '../../workflows/plan/safety/orphan-counts.ts';
import type { CheckMetrics } from './check-metrics.ts';

export const finders: Readonly<Record<Check['name'], (parts: FinderParts) => Find>> = {
  orphans: orphanFinder,
  overshoot: overshootFinder,
  'lost-workflows': lostWorkflowsFinder,
  'unmanaged-nodes': unmanagedNodesFinder,
  reachability: reachabilityFinder,
};

/** As a run waits before it reads again: longer than a signal takes, or a set that shrinks. */
const secondReadAfterMs = 5_000;

function overshootFinder({ settings, dependencies, signal }: FinderParts): Find {
  const check = overshootInput(settings);
  return async () => {
    // A run could not write what it decides: it would fail, and Temporal pause the Schedule.
    if (!dependencies.activeWatcher.isActive()) return undefined;
    const first = await checkOvershoot(dependencies, check);
    let second = first;
    if (isOvershooting(first)) {
      await sleep(secondReadAfterMs, { signal });
      second = await checkOvershoot(dependencies, check);
    }
    const freezes = planFreezes({ first, second }, check);
    if (freezes.length === 0) return undefined;
    return {
      key: freezes.map(({ kind, name, action }) => `${action} ${kind}/${name}`).join(),
      why: `${freezes.length} to freeze or thaw`,
    };
  };
}

function lostWorkflowsFinder({ settings, dependencies, metrics, signal }: FinderParts): Find {
  const { namespace } = settings;
  let before: WorkflowComparison | undefined;

  async function compareTwice(): Promise<WorkflowComparison> {
    const first = await compareWorkflows(dependencies, { namespace });
    if (isWell(first)) return first;
    await sleep(secondReadAfterMs, { signal });
    return agreedOn(first, await compareWorkflows(dependencies, { namespace }));
  }

  return async () => {
    const found = await compareTwice();
    const lasting = before && agreedOn(before, found);
    const entitiesFailed = lasting ? lasting.unattended.length + lasting.leftOver.length : 0;
    metrics.set('lost-workflows', { entitiesFailed });
    before = found;
    if (isWell(found)) return undefined;
    const { unattended, leftOver, replaced = 0 } = found;
    return {
      key: JSON.stringify([unattended, leftOver, replaced]),
      why: `${unattended.length} objects without a workflow, ${leftOver.length + replaced} workflows without an object`,
    };
  };
}

function unmanagedNodesFinder({ settings, dependencies, metrics }: FinderParts): Find {
  const check = unmanagedNodesInput(settings);
  return async () => {
    const { plan } = (await findUnmanagedNodes(dependencies, check)) ?? {};
    metrics.set('unmanaged-nodes', { nodes: plan?.unmanaged ?? 0 });
    // Without a watcher a run could write none: it would fail, and Temporal pause the Schedule.
    if (!dependencies.activeWatcher.isActive()) return undefined;
    if (!plan || plan.mark.length + plan.clear.length === 0) return undefined;
    return {
      key: JSON.stringify([plan.mark, plan.clear]),
      why: `${plan.mark.length} Nodes to mark, ${plan.clear.length} that have a Machine again`,
    };
  };
}

function reachabilityFinder({ settings, dependencies, schedule, metrics }: FinderParts): Find {
  const check = reachabilityInput(settings);
  const servers = dependencies.target ? (['control', 'target'] as const) : (['control'] as const);
  let outage: Outage | undefined;
  return async () => {
    const { away } = await checkServers(dependencies, check);
    outage = afterAnswer(outage, away, nowMs());
    if (outage) outage = await sinceItsRun(outage, schedule);
    metrics.set('reachability', {
      isFrozen: outage !== undefined && isFrozen(outage, check, nowMs()),
      answers: Object.fromEntries(servers.map((server) => [server, !away.includes(server)])),
    });
    if (!outage) return undefined;
    return { key: away.join(), why: `the API server of ${away.join(' and ')} does not answer` };
  };
}

/** Rounds are run by any worker: the first that saw the outage has started a run, which is open. */
async function sinceItsRun(outage: Outage, schedule: CheckSchedule): Promise<Outage> {
  const { isRunning, startedAt = outage.since } = await schedule.describe();
  return isRunning && startedAt < outage.since ? { ...outage, since: startedAt } : outage;
}

/**
 * Whether there is a reason to search for orphans: the drivers, which search, may be in other
 * processes, and a search costs calls to clouds.
 */
function orphanFinder(parts: FinderParts): Find {
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

/** Reports of a run that is over do not change: it is read once, and shown. */
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
