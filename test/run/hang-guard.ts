/** Ends a worker process whose test file hangs: Jest without its sandbox has no time limits. */

/** A machine three times slower, under a load of 8, takes a tenth of it. */
export const longestFileMinutes = 60;
const lookEveryMs = 5_000;

/** What runs now, as `expect` knows it. */
interface Running {
  testPath?: string | undefined;
  currentTestName?: string | undefined;
}

/**
 * Says which file has run for too long, and in which test it is, and ends the process; Jest then
 * counts the file as failed, and goes on with the others.
 */
export function watchForHangs(): void {
  const hangs = hangFinder();
  const look = (): void => {
    const message = hangs(expect.getState(), performance.now());
    if (message === undefined) return;
    console.error(message);
    process.exit(1);
  };
  setInterval(look, lookEveryMs).unref();
}

/** Asked again and again, it answers once a file has run for too long. `now` in milliseconds. */
export function hangFinder(): (running: Running, now: number) => string | undefined {
  let file: string | undefined;
  let since = 0;
  return ({ testPath, currentTestName }, now) => {
    if (testPath !== file) {
      file = testPath;
      since = now;
    }
    if (file === undefined || now - since < longestFileMinutes * 60_000) return undefined;
    const test = currentTestName ?? 'before its first test';
    return `${file} has run for ${longestFileMinutes} minutes and is ended, at or after: ${test}`;
  };
}
