/** Another log level while the process runs: docs/logs.md. */
import type { Logger } from 'pino';

export const levelSignal = 'SIGUSR2';

/**
 * Switches the level of a logger and of all its children. Each call changes between `debug` and the
 * level of the flag, or `info` where that is `debug` or lower itself; and says so in a line.
 */
export class LevelSwitch {
  readonly #children = new Set<WeakRef<Logger>>();

  /** A logger that was made of another one. */
  follow(child: Logger): void {
    this.#children.add(new WeakRef(child));
    for (const known of this.#children) {
      if (known.deref() === undefined) this.#children.delete(known);
    }
  }

  /** `usual`: the level of the flag. */
  change(log: Logger, usual: string): void {
    const { level: from } = log;
    const other = usual === 'debug' || usual === 'trace' ? 'info' : 'debug';
    const to = from === usual ? other : usual;
    // The line is written at the level that shows more.
    if (to === 'debug') this.#set(log, to);
    log.info({ from, to, signal: levelSignal }, 'another log level');
    this.#set(log, to);
  }

  #set(log: Logger, level: string): void {
    log.level = level;
    for (const child of this.#children) {
      const logger = child.deref();
      if (logger) logger.level = level;
    }
  }
}
