/** Resources of a part of a process, such as one namespace: it is closed without the others. */
import type { Logger } from '../log/logger.ts';
import type { Part, Shutdown } from './shutdown.ts';

export class Scope implements Pick<Shutdown, 'add' | 'signal'> {
  readonly #log: Pick<Logger, 'error'>;
  readonly #controller = new AbortController();
  readonly #parts: Part[] = [];

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  /** Aborted when it is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** `stop` runs at the end, before those that were added earlier. */
  add(name: string, stop: () => Promise<void> | void): void {
    this.#parts.push({ name, stop });
  }

  /** Asks it to end; who owns it closes it. */
  end(reason: string): void {
    this.#controller.abort(new Error(reason));
  }

  /** Resolves when everything has ended. A failure to end is logged. */
  async close(): Promise<void> {
    this.end('closed');
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      try {
        await part.stop();
      } catch (err) {
        this.#log.error({ err, part: part.name }, 'failed to stop');
      }
    }
  }
}
