/** How a round finds out for each check, by the functions that its runs call. */
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
import type { Check } from './checks.ts';
import { overshootInput, reachabilityInput, unmanagedNodesInput } from './checks.ts';
import type { Find, FinderParts } from './finder.ts';
import { orphanFinder } from './orphan-finder.ts';

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
