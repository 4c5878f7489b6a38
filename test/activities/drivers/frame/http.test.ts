/** Calls of REST APIs, against servers on the wire. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { startProxy, startTlsFront } from '../../../support/fronts.ts';
import { listening } from '../../../support/listening.ts';
import {
  createRestClient,
  orAbsent,
  type Refusal,
  type RestAnswer,
  type RestCall,
  type RestClient,
  type RestOptions,
} from '../../../../activities/drivers/frame/http.ts';
import { notingCloudRequests } from '../../../../activities/system/cloud-requests.ts';
import { selfSigned } from '../../../support/self-signed.ts';
import { failureOf } from '../failure-of.ts';

const secret = 'canary-of-the-token';
const never = new AbortController().signal;

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** Of the next answers; undefined: none ever comes. */
let reply: Reply | undefined;
const seen: { request: IncomingMessage; body: string }[] = [];

const answer: RequestListener = (request, response) => {
  void respond(request, response);
};

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  seen.push({ request, body: await text(request) });
  if (!reply) return;
  response.writeHead(reply.status ?? 200, reply.headers).end(reply.body ?? '{"a": 1}');
}

const clients: RestClient[] = [];

const { key, certificate } = await selfSigned({
  name: 'a cloud',
  hosts: ['localhost', 'cloud.example'],
  isAuthority: true,
});
const plain = await listening(createServer(answer));
const secure = await listening(createTlsServer({ key, cert: certificate }, answer));
const url = new URL('/v2/', plain.url);
const secureUrl = new URL(`https://localhost:${secure.port}`);

beforeEach(() => {
  reply = {};
  seen.length = 0;
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all([plain.close(), secure.close()]);
});

function refusalIn({ json }: RestAnswer): Refusal | undefined {
  const { code, words = 'no' } = Object(json);
  if (typeof code !== 'string') return undefined;
  return { meaning: code === 'gone' ? 'missing' : 'quota', code, words };
}

function clientOf(more: Partial<RestOptions> = {}): RestClient {
  const client = createRestClient({
    title: 'Toys',
    url,
    callTimeoutSeconds: 600,
    headers: () => ({ authorization: `Bearer ${secret}` }),
    env: {},
    refusalIn,
    requestIdHeader: 'X-Request-Id',
    ...more,
  });
  clients.push(client);
  return client;
}

const aCall: RestCall = { what: 'read toy 1', method: 'GET', path: '/toys/1?all=1', signal: never };
const aCreate: RestCall = { ...aCall, what: 'create toy 1', method: 'POST', isCreate: true };
const neverCome = () => new Promise<Record<string, string>>(() => undefined);
const brokenHeaders = () => ({ authorization: `Bearer ${secret}\n` });
const send = (more: Partial<RestCall> = {}, options: Partial<RestOptions> = {}) =>
  clientOf(options).send({ ...aCall, ...more });

test('a call has the path below that of the cloud, its headers, and its body as JSON', async () => {
  expect(await send({ method: 'PUT', body: { b: 2 } })).toMatchObject({ json: { a: 1 } });
  const [{ request, body } = { request: undefined, body: '' }] = seen;
  expect(request).toMatchObject({ method: 'PUT', url: '/v2/toys/1?all=1' });
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    'user-agent': 'millwright',
  });
  expect(body).toBe('{"b":2}');
});

test('an empty answer is a success', async () => {
  reply = { status: 204, body: '' };
  expect(await send({ method: 'DELETE' })).toMatchObject({ status: 204, json: undefined });
});

test('the id of a request is noted, also of one that was refused', async () => {
  reply = { status: 409, headers: { 'x-request-id': 'r-1' }, body: '{"code": "full"}' };
  const changeId = await notingCloudRequests(async (requests) => {
    await send(aCreate).catch(() => undefined);
    return requests.changeId;
  });
  expect(changeId).toBe('r-1');
});

describe('answers of strangers', () => {
  test.each([
    [404, 'Unknown'],
    [401, 'Unknown'],
    [408, 'DeadlineExceeded'],
    [429, 'Unavailable'],
    [502, 'Unavailable'],
    [504, 'DeadlineExceeded'],
  ])('an HTML page with %i is %s, and never settled', async (status, code) => {
    reply = { status, body: '<html>no</html>' };
    for (const call of [aCall, aCreate]) {
      expect(await failureOf(send(call))).toEqual({
        code,
        settled: false,
        message: `Toys: ${call.what}: Error ${status} (not an answer of this cloud; is something in between?): <html>no</html>`,
      });
    }
  });

  test.each([
    [302, ''],
    [200, '<html>welcome</html>'],
  ])('a success with %i and no JSON is none', async (status, body) => {
    reply = { status, body };
    const words = body === '' ? 'an empty answer' : body;
    expect(await failureOf(send())).toEqual({
      code: 'Unknown',
      settled: false,
      message: `Toys: read toy 1: status ${status} is not an answer of this cloud (is something in between?): ${words}`,
    });
  });

  test('a thing is absent only when the cloud itself says so', async () => {
    reply = { status: 404, body: '{"code": "gone"}' };
    expect(await orAbsent(send())).toBeUndefined();
    reply = { status: 404, body: 'not found' };
    expect(await failureOf(orAbsent(send()))).toMatchObject({ code: 'Unknown' });
  });
});

test('an answer without end is given up', async () => {
  reply = { body: 'a'.repeat(33 * 1_024 * 1_024) };
  expect(await failureOf(send())).toMatchObject({ code: 'Unavailable', settled: false });
});

test('a refusal has the code of the cloud, and is settled of a create only', async () => {
  reply = { status: 403, body: '{"code": "full", "words": "no more toys"}' };
  const known = { code: 'ResourceExhausted', kind: 'quota' };
  expect(await failureOf(send())).toEqual({
    ...known,
    settled: false,
    message: 'Toys: read toy 1: Error 403 full: no more toys',
  });
  expect(await failureOf(send(aCreate))).toEqual({
    ...known,
    settled: true,
    message: 'Toys: create toy 1: Error 403 full: no more toys',
  });
});

test('what a create does not find is what the class names', async () => {
  reply = { status: 404, body: '{"code": "gone"}' };
  expect(await failureOf(send(aCreate))).toMatchObject({ code: 'InvalidArgument', settled: true });
});

describe('pauses that a cloud asks for', () => {
  const far = Date.now() + 86_400_000;

  test.each([
    [429, { 'retry-after': '7' }, [7, 7]],
    [503, { 'retry-after': '7' }, [7, 7]],
    [429, { 'retry-after': '-1' }, [0, 0]],
    [429, { 'retry-after': new Date(far).toUTCString() }, [80_000, 86_400]],
    [429, { 'retry-after': new Date(0).toUTCString() }, [0, 0]],
    [429, { 'ratelimit-reset': `${Math.ceil(far / 1_000)}` }, [80_000, 86_401]],
    [429, { 'ratelimit-reset': '30' }, [30, 30]],
  ])('%i with %j', async (status, headers, [least = 0, most = 0]) => {
    reply = { status, headers, body: '{"code": "full"}' };
    const { retryAfterSeconds } = await failureOf(send());
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(least);
    expect(retryAfterSeconds).toBeLessThanOrEqual(most);
  });

  test.each([
    [429, {}],
    [429, { 'retry-after': 'soon' }],
    [403, { 'ratelimit-reset': '30' }],
  ])('none: %i with %j', async (status, headers: Record<string, string>) => {
    reply = { status, headers, body: '{"code": "full"}' };
    expect((await failureOf(send())).retryAfterSeconds).toBeUndefined();
  });
});

describe('calls that end early', () => {
  test('a cloud that is silent ends the call, and nothing is settled', async () => {
    reply = undefined;
    expect(await failureOf(send(aCreate, { callTimeoutSeconds: 0.2 }))).toEqual({
      code: 'DeadlineExceeded',
      settled: false,
      message: 'Toys: create toy 1: no answer within 0.2 s',
    });
  });

  test('a token that never comes counts as well', async () => {
    const options = { callTimeoutSeconds: 0.2, headers: neverCome };
    expect(await failureOf(send({}, options))).toMatchObject({
      code: 'DeadlineExceeded',
      settled: false,
    });
    expect(seen).toEqual([]);
  });

  test('one that is cancelled says so, while it waits and before it is sent', async () => {
    reply = undefined;
    const controller = new AbortController();
    const call = failureOf(send({ signal: controller.signal }));
    while (seen.length === 0) await new Promise((settle) => setImmediate(settle));
    controller.abort();
    const cancelled = { code: 'Canceled', settled: false, message: 'Toys: read toy 1: cancelled' };
    expect(await call).toEqual(cancelled);
    expect(await failureOf(send({ signal: controller.signal }))).toEqual(cancelled);
    expect(seen).toHaveLength(1);
  });

  test('a create that nobody could have heard is settled', async () => {
    const gone = await listening(createServer());
    await gone.close();
    const nowhere = { url: new URL(gone.url) };
    const away = { code: 'Unavailable' };
    expect(await failureOf(send(aCreate, nowhere))).toMatchObject({ ...away, settled: true });
    expect(await failureOf(send({}, nowhere))).toMatchObject({ ...away, settled: false });
  });
});

describe('certificates and proxies', () => {
  test.each([
    ['an authority of its own', { ca: certificate }],
    ['any certificate', { rejectUnauthorized: false }],
  ])('%s', async (_name, tls) => {
    expect(await send({}, { url: secureUrl, tls })).toMatchObject({ status: 200 });
  });

  test('a cloud whose certificates are not checked is warned of, and named in each message', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', note);
    reply = { status: 503, body: 'none' };
    const tls = { rejectUnauthorized: false };
    const { message } = await failureOf(send(aCreate, { url: secureUrl, tls }));
    process.off('warning', note);
    expect(message).toMatch(/^Toys \(insecure\): create toy 1: Error 503/);
    expect(warnings.join()).toMatch(/^Toys: the certificates of localhost:\d+ are NOT checked/);
  });

  test('a certificate that nobody vouches for is not taken', async () => {
    expect(await failureOf(send(aCreate, { url: secureUrl }))).toMatchObject({
      code: 'Unavailable',
      settled: false,
      message: expect.stringMatching(/^Toys: create toy 1: .*certificate/),
    });
    expect(seen).toEqual([]);
  });

  test('HTTPS_PROXY is gone through, and NO_PROXY is not', async () => {
    await using front = await startTlsFront(['cloud.example'], url.origin);
    await using proxy = await startProxy();
    proxy.openTunnels(front.port);
    const tls = { ca: front.certificate };
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost' };
    const through = clientOf({ url: new URL('https://cloud.example'), tls, env });
    expect(await through.send(aCall)).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual(['CONNECT cloud.example:443']);
    const around = clientOf({ url: secureUrl, tls: { ca: certificate }, env });
    expect(await around.send(aCall)).toMatchObject({ status: 200 });
    expect(proxy.requests).toHaveLength(1);
    await through.close();
  });
});

test('no message has the token or the body in it', async () => {
  const body = { userData: 'canary-of-the-user-data' };
  const messages: (string | undefined)[] = [];
  const note = async (options: Partial<RestOptions>): Promise<void> => {
    messages.push((await failureOf(send({ ...aCreate, body }, options))).message);
  };
  await note({ headers: brokenHeaders });
  await note({ url: secureUrl });
  await note({ url: new URL('http://127.0.0.1:1') });
  await note({ env: { HTTP_PROXY: 'http://user:canary-of-the-proxy@127.0.0.1:1' } });
  reply = { status: 500, body: 'trouble' };
  await note({});
  expect(messages).toHaveLength(5);
  expect(messages.join('\n')).not.toContain('canary');
});
