/**
 * Limits slow namespaces of a worker that serves several: those whose calls take seconds each, as
 * an API server or a cloud of theirs is slow, hold together no more than half of its slots. A call
 * that hangs runs into its timeout instead (interceptor.ts).
 */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { notServed, placeIn } from './place-interceptor.ts';
import { monotonicMs } from './system/system.ts';

/** Longer than that on the average, or for that long already. */
const slowMs = 3_000;
const partOfSlots = 1 / 2;
/** Weight of the newest call in the average. */
const weight = 0.2;

const why = `its calls take more than ${slowMs / 1_000} s each, and those of all such namespaces hold half of the slots of this worker`;

export interface Slots {
  regular: number;
  /** Slots of local activities. Default: those of `regular`. */
  local?: number;
}

/** One for each Temporal worker: each has slots of its own. */
export function createSlowNamespaces({
  regular,
  local = regular,
}: Slots): ActivityInterceptorsFactory {
  const forms = { regular: new SharedSlots(regular), local: new SharedSlots(local) };
  return (context) => ({
    inbound: {
      async execute(input, next) {
        const place = placeIn(input);
        if (!place) return await next(input);
        const slots = forms[context.info.isLocal ? 'local' : 'regular'];
        if (slots.isTaken(place.namespace)) throw notServed(context, place, { why });
        const end = slots.begin(place.namespace);
        try {
          return await next(input);
        } finally {
          end();
        }
      },
    },
  });
}

interface Calls {
  /** When each that runs began, the oldest first. Milliseconds, as all times here. */
  running: Set<{ since: number }>;
  averageMs: number;
}

class SharedSlots {
  readonly #mostOfSlow: number;
  readonly #byNamespace = new Map<string, Calls>();

  constructor(slots: number) {
    this.#mostOfSlow = Math.ceil(slots * partOfSlots);
  }

  /** No more of it may run now. */
  isTaken(namespace: string): boolean {
    const calls = this.#byNamespace.get(namespace);
    if (!calls || !isSlow(calls) || this.#byNamespace.size === 1) return false;
    const slow = [...this.#byNamespace.values()].filter(isSlow);
    return slow.reduce((sum, { running }) => sum + running.size, 0) >= this.#mostOfSlow;
  }

  /** Returns what is to be called at its end. */
  begin(namespace: string): () => void {
    const calls = this.#byNamespace.get(namespace) ?? { running: new Set(), averageMs: 0 };
    this.#byNamespace.set(namespace, calls);
    const call = { since: monotonicMs() };
    calls.running.add(call);
    return () => {
      calls.running.delete(call);
      calls.averageMs += weight * (monotonicMs() - call.since - calls.averageMs);
    };
  }
}

function isSlow({ running, averageMs }: Calls): boolean {
  const [oldest] = running;
  return averageMs > slowMs || (oldest !== undefined && monotonicMs() - oldest.since > slowMs);
}
