/**
 * Time and randomness of the process. A process of a simulation brings its own
 * (docs/decisions/0034-simulation.md); all others have those of the host.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt, randomUUID } from 'node:crypto';

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
  /**
   * A whole number from 0 up to `limit`, which is left out; it cannot be guessed. Only a
   * simulation, which has no secrets, may draw it from its seed.
   */
  secretInt(limit: number): number;
  after(milliseconds: number, action: () => void, options?: TimerOptions): Timer;
}

const host: System = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  uuid: () => randomUUID(),
  secretInt: (limit) => randomInt(limit),
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

/** A whole number from 0 up to `limit`, which is left out. It cannot be guessed: for secrets. */
export function secretInt(limit: number): number {
  return present().secretInt(limit);
}

/** Calls `action` once. */
export function after(milliseconds: number, action: () => void, options?: TimerOptions): Timer {
  return present().after(milliseconds, action, options);
}

/** Calls `action` again and again, the first time after `milliseconds`. */
export function every(milliseconds: number, action: () => void, options?: TimerOptions): Timer {
  const next = (): void => {
    timer = after(milliseconds, next, options);
    action();
  };
  let timer = after(milliseconds, next, options);
  return { cancel: () => timer.cancel() };
}

export interface SleepOptions extends TimerOptions {
  signal?: AbortSignal | undefined;
}

/** As Node.js rejects: the SDK of Temporal takes it by its name for a cancellation. */
class AbortError extends Error {
  override readonly name = 'AbortError';
  readonly code = 'ABORT_ERR';
}

/** Rejects with an `AbortError`, whose cause is the reason, when its signal is aborted. */
export function sleep(milliseconds: number, options: SleepOptions = {}): Promise<void> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      timer?.cancel();
      reject(new AbortError('The operation was aborted', { cause: signal?.reason }));
    };
    let timer: Timer | undefined;
    if (signal?.aborted) return stop();
    const wake = (): void => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    timer = after(milliseconds, wake, options);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Aborted with a `TimeoutError` after this time; keeps no process alive. */
export function timeoutSignal(milliseconds: number): AbortSignal {
  // That of the host costs nothing once it is not used any more.
  if (present() === host) return AbortSignal.timeout(milliseconds);
  const controller = new AbortController();
  const message = 'The operation was aborted due to timeout';
  after(milliseconds, () => controller.abort(new DOMException(message, 'TimeoutError')), {
    keepsAlive: false,
  });
  return controller.signal;
}

/** Aborted with the first of them. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  if (present() === host) return AbortSignal.any([...signals]);
  // Node.js keeps one of its own for ever while something listens, as killed processes do.
  const controller = new AbortController();
  const aborted = signals.find((signal) => signal.aborted);
  if (aborted) controller.abort(aborted.reason);
  for (const signal of aborted ? [] : signals) {
    signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  }
  return controller.signal;
}
