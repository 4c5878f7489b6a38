/**
 * Ends a command whose output is read no more: the pipe of `millwright status | head` is
 * closed when it has enough, and a terminal may be gone.
 */
import type { EventEmitter } from 'node:events';

/** As Linux and macOS say it of a pipe, and of a terminal. */
const closed = ['EPIPE', 'EIO'];

let running = 0;
/** Each hears once that nothing more is read. */
const listening = new Set<() => void>();

/** From now on the process ends then, which is no failure. */
export function endWithOutput(
  output: EventEmitter = process.stdout,
  end: () => void = () => process.exit(process.exitCode),
): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (!closed.includes(error.code ?? '')) throw error;
    if (running === 0) end();
    for (const hear of listening) {
      listening.delete(hear);
      hear();
    }
  });
}

/** Work that must not be broken off in the middle. What it prints then is lost. */
export async function finishing<Result>(
  work: () => Promise<Result>,
  onClosed: () => void,
): Promise<Result> {
  running += 1;
  listening.add(onClosed);
  try {
    return await work();
  } finally {
    running -= 1;
    listening.delete(onClosed);
  }
}
