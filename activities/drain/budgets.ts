import type { Budget } from '../../workflows/plan/drain/budgets.ts';
import type { KubeClient } from '../../kube/client/client.ts';

/**
 * The PodDisruptionBudgets of a namespace, read once in a pass and only when one of them refused.
 */
export class Budgets {
  readonly #target: KubeClient;
  readonly #byNamespace = new Map<string, Promise<Budget[]>>();

  constructor(target: KubeClient) {
    this.#target = target;
  }

  of(namespace: string): Promise<Budget[]> {
    const known = this.#byNamespace.get(namespace) ?? this.#read(namespace);
    this.#byNamespace.set(namespace, known);
    return known;
  }

  async #read(namespace: string): Promise<Budget[]> {
    const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    return (await this.#target.list<Budget>(path)).items;
  }
}
