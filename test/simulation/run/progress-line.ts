/** One line that is written again and again on a terminal, and now and then in a log. */
import type { WriteStream } from 'node:tty';
import { monotonicMs } from '../../../activities/system/system.ts';

type Stream = Pick<WriteStream, 'write'> & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

const logEveryMs = 15_000;
const terminalEveryMs = 100;
const clearLine = '\r\u001B[K';

export class ProgressLine {
  readonly #stream: Stream;
  readonly #now: () => number;
  #shownAt = -Infinity;
  #isOpen = false;

  constructor(stream: Stream = process.stderr, now: () => number = monotonicMs) {
    this.#stream = stream;
    this.#now = now;
  }

  show(line: string): void {
    const { isTTY = false, columns = 100 } = this.#stream;
    const now = this.#now();
    if (now - this.#shownAt < (isTTY ? terminalEveryMs : logEveryMs)) return;
    this.#shownAt = now;
    this.#stream.write(isTTY ? `${clearLine}${line.slice(0, columns - 1)}` : `${line}\n`);
    this.#isOpen = isTTY;
  }

  /** Before anything else is printed. */
  clear(): void {
    if (!this.#isOpen) return;
    this.#stream.write(clearLine);
    this.#isOpen = false;
    this.#shownAt = -Infinity;
  }
}
