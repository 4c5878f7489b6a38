import { PageSize, pagesOf } from '../../../kube/client/paging.ts';
import { errorOfAnswer, errorOfTransport } from '../../../kube/client/errors.ts';

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

test.each([
  { of: 'the API', status: { kind: 'Status' } },
  { of: 'a proxy', status: {} },
])('of what $of answers, however long, no more is kept than people read', ({ status }) => {
  const long = 'x'.repeat(1_000_000);
  const causes = Array.from({ length: 1_000 }, () => ({
    reason: 'A',
    message: long.slice(0, 999),
  }));
  const answer = { ...status, reason: long, message: long, details: { name: long, causes } };
  const error = errorOfAnswer({
    method: 'POST',
    path: `/${long}`,
    code: 422,
    text: JSON.stringify(answer),
  });
  expect(error.message.length).toBeLessThan(2_500);
  expect(JSON.stringify(error).length).toBeLessThan(50_000);
});

test.each([
  { reason: 1, message: {}, details: 'x' },
  { reason: null, details: { causes: 'x' } },
  { details: { causes: [null, 1, { field: 2, reason: 'A' }] } },
])('a Status that is none, %j, is an error like any other', (status) => {
  const text = JSON.stringify({ kind: 'Status', ...status });
  const error = errorOfAnswer({ method: 'GET', path: '/version', code: 500, text });
  expect(error).toMatchObject({ code: 500, reason: 'HTTP500' });
});
