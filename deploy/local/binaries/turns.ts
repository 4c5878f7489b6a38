/**
 * Lets so many run at a time; of those that wait, the longest goes first, so that it ends not last.
 */
export function longestFirst(
  places: number,
): <Result>(minutes: number, run: () => Promise<Result>) => Promise<Result> {
  const waiting: { minutes: number; start: () => void }[] = [];
  let running = 0;
  const startNext = (): void => {
    if (running >= places) return;
    waiting.sort((a, b) => b.minutes - a.minutes);
    const next = waiting.shift();
    if (next === undefined) return;
    running += 1;
    next.start();
  };
  return async (minutes, run) => {
    await new Promise<void>((resolve) => {
      waiting.push({ minutes, start: resolve });
      // Those that come in the same moment are compared before the first starts.
      setImmediate(startNext);
    });
    try {
      return await run();
    } finally {
      running -= 1;
      startNext();
    }
  };
}
