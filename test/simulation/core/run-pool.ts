/** All runs in the memory of the workers of a world. */
import type { Activation, RunInfo } from '../temporal/messages.ts';
import { CachedRun } from './run.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * A run that was in a cache is what a replay of its history would make of it, for a fraction of the
 * time. So a worker may go on with one that left the cache of another, or its own; replays that
 * really run check often enough that this is so.
 */
export class RunPool {
  readonly #alive = new Set<CachedRun>();
  readonly #left = new Map<string, CachedRun>();

  async create(sandbox: Sandbox, run: RunInfo, at: number): Promise<CachedRun> {
    const left = this.#left.get(run.runId);
    if (left) await this.dispose(left);
    const made = await CachedRun.create(sandbox, run, at);
    this.#alive.add(made);
    return made;
  }

  /** It left the cache of its worker, or its worker is dead. */
  leave(run: CachedRun): void {
    this.#left.set(run.id, run);
  }

  /** Undefined: it has to be replayed. */
  take(runId: string, history: readonly Activation[]): CachedRun | undefined {
    const left = this.#left.get(runId);
    // What a dead worker did last may be missing in the history, or another one did it.
    if (!left?.isAt(history)) return undefined;
    this.#left.delete(runId);
    return left;
  }

  async dispose(run: CachedRun): Promise<void> {
    if (this.#left.get(run.id) === run) this.#left.delete(run.id);
    this.#alive.delete(run);
    await run.dispose();
  }

  /** The sandbox would keep them for ever. */
  async close(): Promise<void> {
    for (const run of Array.from(this.#alive)) await this.dispose(run);
  }
}
