/** What an API server answers to evictions, by the PodDisruptionBudgets as they are. */
import type { Cluster } from '../world/kube-client.ts';
import type { Verdict } from '../world/weather.ts';
import { secondOf } from '../../support/api-server/naming.ts';
import { conditionAfter, conditionIn, saidOfCount } from './budget-condition.ts';
import type { BudgetObject } from './budget.ts';
import type { ChangeFeed } from './change-feed.ts';
import { isDeleting, isFinished, isReady } from './objects.ts';
import type { PodObject } from './objects.ts';
import { selects } from './selector.ts';
import { readObject } from './writes.ts';

const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";
const several =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** More evictions than this wait for no confirmation. */
const mostDisrupted = 2_000;

export class Evictions {
  readonly #cluster: Cluster;
  readonly #now: () => number;
  readonly #budgets = new Map<string, Map<string, BudgetObject>>();

  constructor({ cluster, feed, now }: { cluster: Cluster; feed: ChangeFeed; now(): number }) {
    this.#cluster = cluster;
    this.#now = now;
    feed.subscribe(['PodDisruptionBudget'], ({ path, namespace, after }) => {
      const budgets = this.#budgets.get(namespace) ?? new Map<string, BudgetObject>();
      this.#budgets.set(namespace, budgets);
      if (after) budgets.set(path, after);
      else budgets.delete(path);
    });
  }

  /** Undefined where the pod may be deleted; what its budget allows is less by one then. */
  refusalOf(podPath: string): Verdict | undefined {
    const pod: PodObject | undefined = readObject(this.#cluster.server, podPath);
    if (!pod || isBeyondBudgets(pod)) return undefined;
    const [first, ...others] = this.#budgetsOf(pod);
    if (!first) return undefined;
    if (others.length > 0) return { code: 500, reason: '', message: several };
    const [path, budget] = first;
    if (!isReady(pod) && mayGoUnhealthy(budget)) return undefined;
    return refusalBy(budget) ?? this.#grant(path, budget, pod);
  }

  #budgetsOf({ metadata }: PodObject): [string, BudgetObject][] {
    const { namespace = '', labels = {} } = metadata;
    const budgets = [...(this.#budgets.get(namespace) ?? [])];
    return budgets.filter(([, { spec }]) => selects(spec?.selector, labels));
  }

  #grant(path: string, budget: BudgetObject, pod: PodObject): undefined {
    const now = this.#now();
    const { status = {} } = budget;
    const disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
    const isUsedUp = disruptionsAllowed === 0;
    const next = {
      disruptionsAllowed,
      disruptedPods: { [pod.metadata.name]: secondOf(now) },
      ...(isUsedUp && {
        conditions: [
          conditionAfter(status, saidOfCount(0), {
            observedGeneration: status.observedGeneration ?? 0,
            now,
          }),
        ],
      }),
    };
    this.#cluster.server.patch(`${path}/status`, { type: 'merge', body: { status: next } });
    return undefined;
  }
}

/** What does not run, or ends already, no budget keeps. */
function isBeyondBudgets(pod: PodObject): boolean {
  const { phase = 'Pending' } = pod.status ?? {};
  return phase === 'Pending' || isFinished(pod) || isDeleting(pod);
}

function mayGoUnhealthy({ spec, status = {} }: BudgetObject): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function refusalBy(budget: BudgetObject): Verdict | undefined {
  const { name, generation = 0 } = budget.metadata;
  const {
    observedGeneration = 0,
    disruptionsAllowed = 0,
    disruptedPods = {},
  } = budget.status ?? {};
  if (observedGeneration < generation) {
    const message = `The disruption budget ${name} is still being processed by the server.`;
    return tooMany(message, 10);
  }
  if (Object.keys(disruptedPods).length > mostDisrupted) return forbidden(name);
  return disruptionsAllowed > 0 ? undefined : tooMany(whyNone(budget));
}

function whyNone({ metadata: { name }, status = {} }: BudgetObject): string {
  const condition = conditionIn(status);
  if (condition?.status === 'False' && condition.reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  const { desiredHealthy = 0, currentHealthy = 0 } = status;
  return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
}

function tooMany(message: string, retryAfterSeconds?: number): Verdict {
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const causes = [{ reason: 'DisruptionBudget', message }];
  return {
    code: 429,
    reason: 'TooManyRequests',
    message: refusal,
    ...wait,
    details: { ...wait, causes },
  };
}

function forbidden(name: string): Verdict {
  const message = `poddisruptionbudget.policy ${JSON.stringify(name)} is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller`;
  return {
    code: 403,
    reason: 'Forbidden',
    message,
    details: { name, group: 'policy', kind: 'poddisruptionbudget' },
  };
}
