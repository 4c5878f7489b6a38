/**
 * The PodDisruptionBudgets of the target cluster, watched while a drain is blocked by one of them.
 */
import type { LabelSelector } from '../../../workflows/api/machine-set.ts';
import type { WatchedBudget } from '../../../workflows/plan/drain/wake-ups.ts';
import { longestOfBudgetSeconds } from '../../../workflows/plan/drain/removals.ts';
import { mayFree } from '../../../workflows/plan/drain/wake-ups.ts';
import type { KubeClient, KubeObject, ObjectMeta } from '../../../kube/client/client.ts';
import { LazyReflector } from '../../../kube/cache/lazy-reflector.ts';
import type { Change, CachedObject } from '../../../kube/cache/object-cache.ts';

interface PodDisruptionBudget extends KubeObject {
  spec?: { selector?: LabelSelector; unhealthyPodEvictionPolicy?: string };
  status?: { observedGeneration?: number; disruptionsAllowed?: number };
}

type BudgetView = WatchedBudget & CachedObject & { metadata: { namespace: string } };

export interface WatchedBudgetsOptions {
  target: KubeClient;
  /** A pod of this namespace may be evictable by now. */
  onChange(namespace: string): void;
  /** The first list is in. */
  onSynced(): void;
  onError(error: unknown): void;
}

/** The longest rest of a drain, and its next pass. */
const watchedMs = (longestOfBudgetSeconds + 60) * 1_000;

export class WatchedBudgets {
  readonly #reflector: LazyReflector<PodDisruptionBudget, BudgetView>;
  readonly #byNamespace = new Map<string, Map<string, BudgetView>>();
  readonly #onChange: (namespace: string) => void;

  constructor({ target, onChange, onSynced, onError }: WatchedBudgetsOptions) {
    this.#onChange = onChange;
    this.#reflector = new LazyReflector({
      client: target,
      path: '/apis/policy/v1/poddisruptionbudgets',
      nameOf,
      transform: viewOf,
      idleMs: watchedMs,
      onChange: (change) => this.#note(change),
      onSynced,
      onError,
    });
  }

  /** Watches until the drain has tried again. */
  keep(): void {
    // A watch that was let go has missed what happened since: the copy begins anew.
    if (!this.#reflector.isRunning) this.#byNamespace.clear();
    this.#reflector.use();
  }

  /** All that there are have been listed. */
  get isKnown(): boolean {
    return this.#reflector.items !== undefined;
  }

  in(namespace: string): readonly WatchedBudget[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])];
  }

  async close(): Promise<void> {
    await this.#reflector.close();
  }

  #note({ type, object, previous }: Change<BudgetView>): void {
    const { namespace } = object.metadata;
    const present = this.#byNamespace.get(namespace) ?? new Map<string, BudgetView>();
    if (type === 'live') present.set(object.name, object);
    else present.delete(object.name);
    if (present.size > 0) this.#byNamespace.set(namespace, present);
    else this.#byNamespace.delete(namespace);
    if (type === 'gone' || mayFree(object, previous)) this.#onChange(namespace);
  }
}

function nameOf({ namespace = '', name }: ObjectMeta): string {
  return `${namespace}/${name}`;
}

function viewOf({ metadata, spec = {}, status = {} }: PodDisruptionBudget): BudgetView {
  const { uid, namespace = '', name, generation = 0, resourceVersion } = metadata;
  const { selector, unhealthyPodEvictionPolicy } = spec;
  const { observedGeneration = 0, disruptionsAllowed = 0 } = status;
  return {
    uid,
    name: nameOf(metadata),
    resourceVersion,
    metadata: { namespace, name, generation },
    spec: {
      ...(selector && { selector }),
      ...(unhealthyPodEvictionPolicy !== undefined && { unhealthyPodEvictionPolicy }),
    },
    status: { observedGeneration, disruptionsAllowed },
  };
}
