/**
 * The ConfigMaps of the namespace, watched while a MachineClass names one, and not asked for
 * otherwise. Each list is all news: a class is validated once more rather than not at all.
 */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { namespaced } from '../../kube/client/paths.ts';
import type { CachedObject, Change } from '../../kube/cache/object-cache.ts';
import { Reflector } from '../../kube/cache/reflector.ts';
import { trimmedMeta } from './metadata.ts';

interface ConfigMapSourceOptions {
  client: KubeClient;
  namespace: string;
  onChange(change: Change<CachedObject>): void;
  onError(error: unknown): void;
}

/**
 * It is never waited for, also where a role does not let it list: who waits for a ConfigMap tries
 * again without being woken, only later.
 */
export class ConfigMapSource {
  readonly synced = Promise.resolve();
  readonly isSynced = true;
  readonly isBroken = false;
  /** No checkpoint: see above. */
  readonly resourceVersion = undefined;
  readonly awaySince = undefined;
  readonly #options: ConfigMapSourceOptions;
  #reflector: Reflector<KubeObject, CachedObject> | undefined;
  /** Those that were closed, and may still have a request under way. */
  readonly #ending: Promise<void>[] = [];
  #isStopped = false;

  constructor(options: ConfigMapSourceOptions) {
    this.#options = options;
  }

  get isServed(): boolean {
    return this.#reflector !== undefined;
  }

  get restarts(): number {
    return this.#reflector?.restarts ?? 0;
  }

  get lastEventAgeSeconds(): number {
    return this.#reflector?.lastEventAgeSeconds ?? 0;
  }

  want(isWanted: boolean): void {
    if (this.#isStopped || isWanted === this.isServed) return;
    if (isWanted) this.#open();
    else this.#close();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#close();
    await Promise.all(this.#ending);
  }

  #open(): void {
    const { client, namespace, onChange, onError } = this.#options;
    this.#reflector = new Reflector({
      client,
      path: namespaced('configmaps', namespace),
      query: { as: 'PartialObjectMetadata' },
      transform: ({ metadata }) => trimmedMeta(metadata),
      onChange,
      onError,
    });
  }

  /** What it knew is gone to who listens. */
  #close(): void {
    const reflector = this.#reflector;
    if (!reflector) return;
    this.#reflector = undefined;
    this.#ending.push(reflector.stop());
    for (const object of reflector.items.values()) {
      const gone = { type: 'gone', object, previous: object, isNews: false } as const;
      this.#options.onChange({ ...gone, resourceVersion: object.resourceVersion });
    }
  }
}
