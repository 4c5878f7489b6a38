/**
 * The most attempts that pauses of 2, 4, 8 ... s, each shortened by up to a quarter, leave room for
 * in so many seconds of the server's clock. How many there were by now depends on how busy the
 * machine is, so a test of backoff can only ask for no more than these.
 */
export function mostAttempts(seconds: number): number {
  return 1 + Math.floor(Math.log2(seconds / 1.5 + 1));
}
