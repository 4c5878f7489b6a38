import { ClientCache } from '../../../activities/drivers/client-cache.ts';

function aCache(): { cache: ClientCache<object>; closed: object[]; pass(seconds: number): void } {
  const closed: object[] = [];
  let now = 0;
  const cache = new ClientCache<object>({
    close: (client) => closed.push(client),
    idleSeconds: 10,
    now: () => now,
  });
  return { cache, closed, pass: (seconds) => (now += seconds * 1_000) };
}

test('the same parts share a client, others do not', () => {
  const { cache } = aCache();
  const first = cache.get(['key', 'secret'], () => ({}));
  expect(cache.get(['key', 'secret'], () => ({}))).toBe(first);
  expect(cache.get(['keysecret', ''], () => ({}))).not.toBe(first);
});

test('a client that nobody uses any more is closed, one that is used stays', () => {
  const { cache, closed, pass } = aCache();
  const old = cache.get(['old'], () => ({}));
  const used = cache.get(['used'], () => ({}));
  pass(8);
  cache.get(['used'], () => ({}));
  pass(8);
  expect(cache.get(['used'], () => ({}))).toBe(used);
  expect(closed).toEqual([old]);
});
