/** Time that stands still until a test moves it, and the middle of all chance. */
import type { System } from '../../activities/system/system.ts';
import { runInSystem } from '../../activities/system/system.ts';

export class HandSystem implements System {
  readonly #isBusy: () => boolean;
  #now = 0;
  #timers: { at: number; action: () => void }[] = [];

  /** Time moves only while nothing is under way outside of the process. Default: nothing is. */
  constructor(isBusy: () => boolean = () => false) {
    this.#isBusy = isBusy;
  }

  now = (): number => Date.UTC(2026, 0, 1) + this.#now;
  monotonic = (): number => this.#now;
  random = (): number => 0.5;
  uuid = (): string => 'uuid';
  secretInt = (): number => 0;

  after(milliseconds: number, action: () => void): { cancel(): void } {
    const timer = { at: this.#now + milliseconds, action };
    this.#timers.push(timer);
    return { cancel: () => (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  /** What is due on the way is done in its order. */
  async to(milliseconds: number): Promise<void> {
    for (;;) {
      await this.#settled();
      const [next] = this.#timers.toSorted((a, b) => a.at - b.at);
      if (!next || next.at > milliseconds) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = next.at;
      next.action();
    }
    this.#now = milliseconds;
  }

  run<T>(action: () => T): T {
    return runInSystem(this, action);
  }

  /** What follows from the last step. */
  async #settled(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#isBusy());
  }
}
