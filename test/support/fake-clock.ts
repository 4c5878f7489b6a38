/** Timers and `Date` of the process, which stand until the test turns them. */
import FakeTimers from '@sinonjs/fake-timers';

export type FakeClock = FakeTimers.Clock;

/** Promises go on as usual. */
const faked = [
  'Date',
  'performance',
  'hrtime',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
] as const;

/** `now`: milliseconds, default those of the process. The test uninstalls it. */
export function fakeClock({
  now = Date.now(),
  toFake = [...faked],
}: { now?: number; toFake?: FakeTimers.FakeMethod[] } = {}): FakeClock {
  return FakeTimers.install({ now, toFake });
}
