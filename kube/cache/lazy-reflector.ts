/**
 * A local copy for parts that need it now and then: watched while it is used, and for a while
 * longer.
 */
import type { KubeObject } from '../client/client.ts';
import type { CachedObject } from './object-cache.ts';
import type { ReflectorOptions } from './reflector.ts';
import { Reflector } from './reflector.ts';
import type { Timer } from '../../activities/system/system.ts';
import { after } from '../../activities/system/system.ts';

export interface LazyReflectorOptions<
  K extends KubeObject,
  T extends CachedObject,
> extends ReflectorOptions<K, T> {
  /** How long it goes on after the last use. Default 60 s. */
  idleMs?: number;
  /** The first list is in. */
  onSynced?(): void;
}

const defaultIdleMs = 60_000;

export class LazyReflector<K extends KubeObject, T extends CachedObject> {
  readonly #options: LazyReflectorOptions<K, T>;
  #running: Reflector<K, T> | undefined;
  #idle: Timer | undefined;
  /** Reflectors that were let go end in it: `close` waits for them. */
  #ending: Promise<void> = Promise.resolve();

  constructor(options: LazyReflectorOptions<K, T>) {
    this.#options = options;
  }

  /** Starts it, or keeps it running for another while. */
  use(): Reflector<K, T> {
    this.#running ??= this.#start();
    this.#idle?.cancel();
    const idleMs = this.#options.idleMs ?? defaultIdleMs;
    this.#idle = after(idleMs, () => this.#stop(), { keepsAlive: false });
    return this.#running;
  }

  get running(): Reflector<K, T> | undefined {
    return this.#running;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * The objects as known now; undefined when it does not run, has not listed yet, or cannot watch.
   */
  get items(): ReadonlyMap<string, T> | undefined {
    const isOfUse = this.#running?.isSynced === true && !this.#running.isBroken;
    return isOfUse ? this.#running?.items : undefined;
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#ending;
  }

  #start(): Reflector<K, T> {
    const reflector = new Reflector(this.#options);
    void reflector.synced.then(() => this.#options.onSynced?.());
    return reflector;
  }

  #stop(): void {
    this.#idle?.cancel();
    const stopped = this.#running?.stop();
    this.#running = undefined;
    if (stopped) this.#ending = this.#ending.then(() => stopped);
  }
}
