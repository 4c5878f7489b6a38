/** The disruption controller: it keeps the status of PodDisruptionBudgets. */
import { isSameJson } from '../../support/api-server/json.ts';
import { statusOf } from './budget-status.ts';
import type { BudgetFacts } from './budget-status.ts';
import type { BudgetObject } from './budget.ts';
import type { News } from './change-feed.ts';
import { Controller } from './controller.ts';
import type { ControllerParts } from './controller.ts';
import type { PodObject } from './objects.ts';
import { selects } from './selector.ts';

interface Known {
  budget: BudgetObject;
  /** Those that it selects, by path. */
  pods: Map<string, PodObject>;
}

export class DisruptionController extends Controller {
  readonly #scaleOf: BudgetFacts['scaleOf'];
  /** By namespace, and by path. */
  readonly #pods = new Map<string, Map<string, PodObject>>();
  readonly #budgets = new Map<string, Map<string, Known>>();

  constructor(parts: ControllerParts, scaleOf: BudgetFacts['scaleOf']) {
    super('disruption controller', parts);
    this.#scaleOf = scaleOf;
  }

  start(): void {
    this.listen(['Pod', 'PodDisruptionBudget']);
  }

  /** The number of pods that a controller wants has changed. */
  scaled(namespace: string, labels: Record<string, string>): void {
    for (const [path, { budget }] of this.#budgetsIn(namespace)) {
      if (selects(budget.spec?.selector, labels)) this.enqueue(path);
    }
  }

  protected override hear(news: News): void {
    if (news.kind === 'Pod') this.#hearPod(news);
    else this.#hearBudget(news);
  }

  #hearPod({ path, namespace, after }: News): void {
    const pods = this.#podsIn(namespace);
    if (after) pods.set(path, after);
    else pods.delete(path);
    for (const [budgetPath, { budget, pods: selected }] of this.#budgetsIn(namespace)) {
      const isSelected = after && selects(budget.spec?.selector, after.metadata.labels);
      if (isSelected) selected.set(path, after);
      else if (!selected.delete(path)) continue;
      this.enqueue(budgetPath);
    }
  }

  #hearBudget({ path, namespace, after }: News): void {
    const budgets = this.#budgetsIn(namespace);
    if (!after) {
      budgets.delete(path);
      this.forget(path);
      return;
    }
    const budget: BudgetObject = after;
    const known = budgets.get(path);
    const isSameSelector = isSameJson(known?.budget.spec?.selector, budget.spec?.selector);
    const pods = known && isSameSelector ? known.pods : this.#selectedBy(budget, namespace);
    budgets.set(path, { budget, pods });
    this.enqueue(path);
  }

  #selectedBy({ spec }: BudgetObject, namespace: string): Map<string, PodObject> {
    const pods = [...this.#podsIn(namespace)];
    return new Map(pods.filter(([, { metadata }]) => selects(spec?.selector, metadata.labels)));
  }

  protected override sync(path: string): void {
    const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? '';
    const known = this.#budgetsIn(namespace).get(path);
    if (!known) return;
    const { budget, pods } = known;
    const { now } = this.parts.simulation;
    const { status, recheckAt } = statusOf({
      budget,
      pods: [...pods.values()],
      scaleOf: this.#scaleOf,
      now,
    });
    if (recheckAt !== undefined) this.enqueue(path, recheckAt - now + 1_000);
    if (isSameJson(status, budget.status)) return;
    // By the version that it knows: an eviction that it has not heard of must not be undone.
    const { server } = this.parts.cluster;
    const { resourceVersion } = budget.metadata;
    if (!server.has(path)) return;
    server.patch(`${path}/status`, {
      type: 'json',
      body: [
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'add', path: '/status', value: status },
      ],
    });
  }

  #podsIn(namespace: string): Map<string, PodObject> {
    const pods = this.#pods.get(namespace) ?? new Map<string, PodObject>();
    this.#pods.set(namespace, pods);
    return pods;
  }

  #budgetsIn(namespace: string): Map<string, Known> {
    const budgets = this.#budgets.get(namespace) ?? new Map<string, Known>();
    this.#budgets.set(namespace, budgets);
    return budgets;
  }
}
