/**
 * Time and randomness of the process. A process of a simulation brings its own
 * (docs/decisions/0034-simulation.md); all others have those of the host.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

export interface Timer {
  cancel(): void;
}

export interface TimerOptions {
  /** Default true. False: the process may end before the timer fires. */
  keepsAlive?: boolean | undefined;
}

export interface System {
  /** Wall clock, milliseconds since 1970. */
  now(): number;
  /** Milliseconds; only differences count. */
  monotonic(): number;
  /** From 0 up to 1. */
  random(): number;
  uuid(): string;
  after(milliseconds: number, action: () => void, options?: TimerOptions): Timer;
}

const host: System = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  uuid: () => randomUUID(),
  after(milliseconds, action, { keepsAlive = true } = {}) {
    const timer = setTimeout(action, milliseconds);
    if (!keepsAlive) timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

const systems = new AsyncLocalStorage<System>();
const present = (): System => systems.getStore() ?? host;

/** All that follows from `action` has this system. */
export function runInSystem<T>(system: System, action: () => T): T {
  return systems.run(system, action);
}

/** Wall clock, milliseconds since 1970. */
export function nowMs(): number {
  return present().now();
}

/** Milliseconds; only differences count. */
export function monotonicMs(): number {
  return present().monotonic();
}

/** From 0 up to 1. */
export function random(): number {
  return present().random();
}

export function uuid(): string {
  return present().uuid();
}

/** Calls `action` once. */
export function after(milliseconds: number, action: () => void, options?: TimerOptions): Timer {
  return present().after(milliseconds, action, options);
}

export interface SleepOptions extends TimerOptions {
  /** Rejects with the reason of its end. */
  signal?: AbortSignal | undefined;
}

export function sleep(milliseconds: number, options: SleepOptions = {}): Promise<void> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = after(
      milliseconds,
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      options,
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Aborted with a `TimeoutError` after this time; keeps no process alive. */
export function timeoutSignal(milliseconds: number): AbortSignal {
  const controller = new AbortController();
  const message = 'The operation was aborted due to timeout';
  after(milliseconds, () => controller.abort(new DOMException(message, 'TimeoutError')), {
    keepsAlive: false,
  });
  return controller.signal;
}
