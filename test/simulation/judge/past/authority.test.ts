import { Authority, staleMs } from './authority.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

test('without a hindrance a read is not older than an activity and its calls', () => {
  const authority = new Authority(0);
  expect(authority.windowStart(hourMs, undefined)).toBe(hourMs - staleMs);
});

test('a call whose start is known was decided shortly before', () => {
  const authority = new Authority(0);
  expect(authority.windowStart(hourMs, hourMs - minuteMs)).toBe(hourMs - 3 * minuteMs);
});

test('a hindrance in between makes it older', () => {
  const authority = new Authority(0);
  authority.isHindered.set(hourMs - 10 * minuteMs, true);
  authority.isHindered.set(hourMs - minuteMs, false);
  expect(authority.windowStart(hourMs, undefined)).toBe(hourMs - 10 * minuteMs - staleMs);
});

test('so does one that was shortly before that', () => {
  const authority = new Authority(0);
  for (const minutes of [30, 8, 4]) {
    authority.isHindered.set(hourMs - minutes * minuteMs, true);
    authority.isHindered.set(hourMs - (minutes - 1) * minuteMs, false);
  }
  expect(authority.windowStart(hourMs, undefined)).toBe(hourMs - 8 * minuteMs - staleMs);
});

test.each([
  [0, false],
  [30 * minuteMs, true],
  [59 * minuteMs, true],
])('a stop that came after half an hour, since %d ms', (since, isStopped) => {
  const authority = new Authority(0);
  authority.isStopped.set(30 * minuteMs, true);
  expect(authority.hasBeenStoppedSince(since)).toBe(isStopped);
});

function lease(holderIdentity: string) {
  const metadata = { name: 'millwright', uid: '1', resourceVersion: '1', creationTimestamp: '' };
  return { metadata, spec: { holderIdentity, leaseDurationSeconds: 15 } };
}

test('a Lease that is not renewed ends; one that is released ends at once', () => {
  const authority = new Authority(0);
  authority.leaseChanged(lease('one-watcher-1'), { now: minuteMs, isOurs: true });
  expect(authority.hasBeenWithoutLeaderSince(minuteMs + 14_000)).toBe(false);
  expect(authority.hasBeenWithoutLeaderSince(minuteMs + 15_000)).toBe(true);
  authority.leaseChanged(lease(''), { now: minuteMs + 5_000, isOurs: true });
  expect(authority.hasBeenWithoutLeaderSince(minuteMs + 6_000)).toBe(true);
  authority.leaseChanged(undefined, { now: 2 * minuteMs, isOurs: true });
  expect(authority.hasBeenWithoutLeaderSince(minuteMs)).toBe(false);
});
