/** Exchange between one pass of a drain and the watches. */
import type { BlockedPod } from '../../../workflows/plan/drain/wake-ups.ts';
import { pause } from '../../../kube/client/pause.ts';
import { anySignal } from '../../system/system.ts';

/** The pass's side. */
export interface PassWatch {
  /**
   * Pods whose eviction a budget refused, as the pass knows them now; `since` in milliseconds.
   * Replaces what it said before.
   */
  blocked(pods: BlockedPod[], since: number): void;
  /** UIDs of pods that may be evictable by now, each returned once. */
  takeFreed(): string[];
  /** Ends early when there are such pods. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
  /**
   * The pass gives up; the next one begins after so many milliseconds, or when a budget changes or
   * one of these volumes moves.
   */
  rest(milliseconds: number, volumes: readonly string[]): void;
}

/** Pods that a running pass has to read again. */
export class FreedPods {
  readonly #uids = new Set<string>();
  #woken = new AbortController();

  add(uids: Iterable<string>): void {
    for (const uid of uids) this.#uids.add(uid);
    this.#woken.abort();
  }

  take(): string[] {
    const uids = [...this.#uids];
    this.#uids.clear();
    this.#woken = new AbortController();
    return uids;
  }

  /** Throws when `signal` fires. */
  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await pause(milliseconds, anySignal([signal, this.#woken.signal]));
    signal.throwIfAborted();
  }
}
