/** The watches of an API server in memory. */
import type { WatchEvent } from '../../activities/kube/client/client.ts';

interface Watch {
  isOf(key: string): boolean;
  events: WatchEvent<unknown>[];
  wake(): void;
}

export class MemoryWatches {
  readonly #open = new Set<Watch>();

  get count(): number {
    return this.#open.size;
  }

  /** Nobody sees what happened before: whoever watches has listed a moment ago. */
  async *open(
    isOf: (key: string) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<never>> {
    const watch: Watch = { isOf, events: [], wake: () => undefined };
    this.#open.add(watch);
    try {
      while (!signal.aborted) {
        // What is watched was sent as JSON: the one who watches says what it is.
        yield* JSON.parse(JSON.stringify(watch.events.splice(0)));
        if (watch.events.length > 0) continue;
        await new Promise<void>((resolve) => {
          watch.wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    } finally {
      this.#open.delete(watch);
    }
  }

  tell(key: string, event: WatchEvent<unknown>): void {
    for (const watch of this.#open) {
      if (!watch.isOf(key)) continue;
      watch.events.push(event);
      watch.wake();
    }
  }
}
