import { PageSize, pagesOf } from '../../../../activities/kube/client/paging.ts';
import { errorOfAnswer, errorOfTransport } from '../../../../activities/kube/client/errors.ts';

test('where a host has several addresses, the error says what each of them did', () => {
  const cause = new AggregateError([
    new Error('connect ECONNREFUSED 10.0.0.1:443'),
    new Error('connect ETIMEDOUT 10.0.0.2:443'),
  ]);
  expect(errorOfTransport({ method: 'GET', path: '/version' }, cause).message).toBe(
    'GET /version: Unreachable: connect ECONNREFUSED 10.0.0.1:443; connect ETIMEDOUT 10.0.0.2:443',
  );
});

test.each([
  { retryAfter: '5', retryAfterMs: 5_000 },
  { retryAfter: '3600', retryAfterMs: 60_000 },
])('a Retry-After of $retryAfter s is waited for, a minute at most', ({ retryAfter, ...waits }) => {
  const answer = { method: 'GET', path: '/version', code: 503, text: 'maintenance', retryAfter };
  expect(errorOfAnswer(answer)).toMatchObject(waits);
});

test('where no connection comes about, a page is not asked for again, smaller and smaller', async () => {
  const code = 'UND_ERR_CONNECT_TIMEOUT';
  const unconnected = Object.assign(new Error('Connect Timeout Error'), { code });
  let reads = 0;
  const pages = pagesOf(async () => {
    reads += 1;
    throw errorOfTransport({ method: 'GET', path: '/x' }, unconnected);
  }, new PageSize('/x'));
  await expect(pages.next()).rejects.toThrow('Connect Timeout');
  expect(reads).toBe(1);
});
