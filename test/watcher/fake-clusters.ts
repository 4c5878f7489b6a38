/**
 * Both clusters as the watcher's reflectors see them: a test says what each list holds, and when it
 * comes.
 */
import type { KubeClient, KubeObject, WatchEvent } from '../../kube/client/client.ts';
import type { KubeError } from '../../kube/client/errors.ts';

/** Last part of a path: machines, machinesets, nodes, ... */
type Plural = string;

export class FakeClusters {
  /** resourceVersion of every list. */
  version = '500';
  readonly lists = new Map<Plural, KubeObject[]>();
  /** How the next watch of a resource fails. */
  readonly brokenWatches = new Map<Plural, KubeError>();
  readonly #gates = new Map<Plural, { open: () => void; opened: Promise<void> }>();

  /** The list waits until the gate is opened. */
  hold(resource: Plural): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gates.set(resource, { open: resolve, opened: promise });
  }

  open(resource: Plural): void {
    this.#gates.get(resource)?.open();
  }

  readonly client: KubeClient = {
    get: async <T>(path: string): Promise<T> => {
      const resource = path.split('/').at(-1) ?? '';
      await this.#gates.get(resource)?.opened;
      const page = {
        metadata: { resourceVersion: this.version },
        items: this.lists.get(resource) ?? [],
      };
      const answer: ReturnType<typeof JSON.parse> = page;
      return answer;
    },
    watch: (path, _query, signal) => this.#events(path.split('/').at(-1) ?? '', signal),
    list: refuse,
    create: refuse,
    update: refuse,
    patch: refuse,
    delete: refuse,
    close: () => Promise.resolve(),
  };

  async *#events<T>(resource: Plural, signal: AbortSignal): AsyncGenerator<WatchEvent<T>> {
    const failure = this.brokenWatches.get(resource);
    this.brokenWatches.delete(resource);
    if (failure !== undefined) throw failure;
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
    });
    yield* [];
  }
}

function refuse(path: string): Promise<never> {
  return Promise.reject(new Error(`the watcher only reads: ${path}`));
}
