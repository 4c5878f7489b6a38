/** What the driver makes of answers: of an API server, of what stands before it, and of none. */
import { createServer, type RequestListener } from 'node:http';
import { listening } from '../../../support/listening.ts';
import { failureOf } from '../failure-of.ts';
import { aRequest } from '../a-request.ts';
import { aDriver, aSpec, kubeconfigOf, userData } from './kubevirt-world.ts';

let answer: RequestListener = (_request, response) => void response.end();
const { url, close } = await listening(
  createServer((request, response) => answer(request, response)),
);
afterAll(close);
const token = 'canary-of-the-token';
const secret = { kubeconfig: kubeconfigOf({ server: url }, { token }) };
const driver = aDriver();
const request = (name: string) => aRequest(name, { providerSpec: aSpec, secret, userData });

interface Answer {
  status: number;
  headers?: Record<string, string>;
  text: string;
}

/** `details`: of the object that it is about; default none. */
const statusOf = (status: number, [reason, message]: [string, string], details = {}): Answer => ({
  status,
  text: JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason,
    message,
    details,
    code: status,
  }),
});

const notFound = statusOf(404, ['NotFound', 'virtualmachines.kubevirt.io "m" not found'], {
  name: 'm',
});
const emptyList: Answer = { status: 200, text: JSON.stringify({ metadata: {}, items: null }) };

const ours = (name: string) => ({
  metadata: {
    name,
    uid: name,
    creationTimestamp: '2026-11-29T00:00:00Z',
    labels: {
      'millwright.dev/cluster': 'cluster-1',
      'millwright.dev/namespace': 'shoot',
      'kubevirt.io/vm': name,
    },
  },
});

const pod = (name: string, creationTimestamp: string) => ({
  metadata: { name, uid: name, creationTimestamp },
});

/** To each search that there is nothing, and to each POST this. */
function toCreate(given: Answer): void {
  answer = ({ method = '', url: path = '' }, response) => {
    const search = path.includes('/secrets?') ? emptyList : notFound;
    const { status, headers = {}, text } = method === 'GET' ? search : given;
    response.writeHead(status, headers).end(text);
  };
}

function toAll({ status, headers = {}, text }: Answer): void {
  answer = (_request, response) => void response.writeHead(status, headers).end(text);
}

type Row = [reason: string, status: number, words: string, code: string, settled: boolean];

test.each<Row>([
  ['Unauthorized', 401, 'Unauthorized', 'Unauthenticated', true],
  [
    'Forbidden',
    403,
    'secrets is forbidden: User "x" cannot create resource "secrets"',
    'PermissionDenied',
    true,
  ],
  [
    'Forbidden',
    403,
    'secrets "u" is forbidden: exceeded quota: q, requested: count/secrets=1, used: 5, limited: 5',
    'ResourceExhausted',
    true,
  ],
  ['Forbidden', 403, 'x is forbidden: failed quota: q: must specify cpu', 'InvalidArgument', true],
  [
    'Forbidden',
    403,
    'unable to create new content in namespace n because it is being terminated',
    'FailedPrecondition',
    true,
  ],
  [
    'Forbidden',
    403,
    'admission webhook "v.example.com" denied the request: no',
    'InvalidArgument',
    true,
  ],
  // Of a part: another attempt makes it.
  ['AlreadyExists', 409, 'secrets "u" already exists', 'Aborted', false],
  ['Conflict', 409, 'the object has been modified', 'Aborted', false],
  ['BadRequest', 400, 'strict decoding error: unknown field "spec.x"', 'InvalidArgument', true],
  ['Invalid', 422, 'spec.x: Invalid value', 'InvalidArgument', true],
  ['RequestEntityTooLarge', 413, 'etcdserver: request is too large', 'InvalidArgument', true],
  ['TooManyRequests', 429, 'too many requests', 'Unavailable', true],
  ['Timeout', 504, 'request did not complete', 'DeadlineExceeded', false],
  ['ServerTimeout', 500, 'try again', 'Unavailable', false],
  ['ServiceUnavailable', 503, 'apiserver not ready', 'Unavailable', false],
  ['InternalError', 500, 'failed calling webhook', 'Unavailable', false],
  ['Expired', 410, 'too old', 'Unavailable', false],
  ['MethodNotAllowed', 405, 'no', 'FailedPrecondition', true],
  ['', 403, 'no reason', 'PermissionDenied', true],
  ['Strange', 418, 'short and stout', 'Unknown', false],
])('%s (%i) of a create, "%s", is %s', async (...row) => {
  const [reason, status, words, code, settled] = row;
  toCreate(statusOf(status, [reason, words], { name: 'u' }));
  const failure = await failureOf(driver.createInstance(request('m')));
  expect(failure).toMatchObject({ code, settled });
  expect(failure.message).toContain(words);
});

test('a server without KubeVirt says so', async () => {
  const words = 'the server could not find the requested resource';
  toAll(statusOf(404, ['NotFound', words]));
  expect(await failureOf(driver.describeInstance(request('m')))).toMatchObject({
    code: 'FailedPrecondition',
    message: expect.stringContaining(`${words} (is KubeVirt installed there?)`),
  });
});

test('too many calls are asked again when the server says', async () => {
  const busy = statusOf(429, ['TooManyRequests', 'too many requests']);
  toAll({ ...busy, headers: { 'retry-after': '7' } });
  expect(await failureOf(driver.createInstance(request('m')))).toMatchObject({
    code: 'Unavailable',
    kind: 'throttling',
    retryAfterSeconds: 7,
  });
});

test.each([
  ['an HTML page with 404', { status: 404, text: '<html>404 page not found</html>' }, 'Unknown'],
  [
    'a text with 404, as of an API group that is not served',
    { status: 404, text: '404 page not found\n' },
    'Unknown',
  ],
  ['a sign-in page with 200', { status: 200, text: '<html>sign in</html>' }, 'Unknown'],
  ['JSON of somebody else with 200', { status: 200, text: '{"ok":true}' }, 'Unknown'],
  ['JSON that is no object with 200', { status: 200, text: '[]' }, 'Unknown'],
  ['a redirect', { status: 302, headers: { location: `${url}/elsewhere` }, text: '' }, 'Unknown'],
  ['403 of a proxy', { status: 403, text: 'blocked' }, 'Unknown'],
  ['429 of a proxy without a time', { status: 429, text: 'slow down' }, 'Unavailable'],
  ['503 of a proxy', { status: 503, text: 'no healthy upstream' }, 'Unavailable'],
  ['504 of a proxy', { status: 504, text: 'upstream timed out' }, 'DeadlineExceeded'],
])('%s proves nothing', async (_name, given, code) => {
  toAll(given);
  const ends = [
    driver.createInstance(request('m')),
    driver.describeInstance(request('m')),
    driver.deleteInstance(request('m')),
    driver.listInstances({ ...request('m'), namespace: 'shoot' }),
  ];
  for (const failure of await Promise.all(ends.map(failureOf))) {
    expect(failure).toMatchObject({ code, settled: false });
  }
  toCreate(given);
  expect(await failureOf(driver.createInstance(request('m')))).toMatchObject({
    code,
    settled: false,
  });
});

test('credentials do not follow a redirect', async () => {
  const seen: string[] = [];
  answer = ({ url: path = '' }, response) => {
    seen.push(path);
    response.writeHead(307, { location: `${url}/elsewhere` }).end();
  };
  await failureOf(driver.describeInstance(request('m')));
  expect(seen.filter((path) => path.includes('elsewhere'))).toEqual([]);
});

test('a list of several pages is read to its end', async () => {
  answer = ({ url: path = '' }, response) => {
    const query = new URL(path, url).searchParams;
    const isOwn = path.includes('virtualmachines') && !query.get('labelSelector')?.includes('!');
    const isSecond = query.get('continue') === 'more';
    const first = { metadata: { continue: 'more' }, items: [ours('a')] };
    const page = isSecond ? { metadata: { continue: '' }, items: [ours('b')] } : first;
    response.end(JSON.stringify(isOwn ? page : { metadata: {}, items: null }));
  };
  const listed = await driver.listInstances({ ...request('m'), namespace: 'shoot' });
  expect(listed.map(({ machineName }) => machineName)).toEqual(['a', 'b']);
});

test('the console is what the newest pod of the machine has printed', async () => {
  const machine = {
    metadata: {
      name: 'm',
      uid: 'u',
      creationTimestamp: '2026-11-29T00:00:00Z',
      labels: { 'millwright.dev/token': 'uid-of-m-0' },
    },
  };
  const pods = [
    pod('virt-launcher-m-1', '2026-11-29T00:00:00Z'),
    pod('virt-launcher-m-2', '2026-11-29T00:01:00Z'),
  ];
  const seen: string[] = [];
  answer = ({ url: path = '' }, response) => {
    seen.push(path);
    if (path.includes('/log?')) response.end('login: ');
    else
      response.end(
        JSON.stringify(path.includes('/pods?') ? { metadata: {}, items: pods } : machine),
      );
  };
  expect(await driver.getConsoleOutput?.(request('m'))).toBe('login: ');
  expect(seen.at(-1)).toBe(
    '/api/v1/namespaces/default/pods/virt-launcher-m-2/log?container=guest-console-log&tailLines=500',
  );
  pods.splice(0);
  expect(await driver.getConsoleOutput?.(request('m'))).toBe('');
});

test('a call that is cancelled ends, and settles nothing', async () => {
  const controller = new AbortController();
  answer = () => controller.abort();
  const call = driver.createInstance({ ...request('m'), signal: controller.signal });
  expect(await failureOf(call)).toMatchObject({ code: 'Canceled', settled: false });
});

test('a server that nobody serves is away, and a create was not sent', async () => {
  const nobody = { kubeconfig: kubeconfigOf({ server: 'http://127.0.0.1:1' }, { token }) };
  const call = driver.createInstance({ ...request('m'), secret: nobody });
  expect(await failureOf(call)).toMatchObject({ code: 'Unavailable' });
});

test('no message holds the token or the user data', async () => {
  const texts: string[] = [];
  for (const given of [
    statusOf(500, ['InternalError', 'x']),
    { status: 502, text: 'bad gateway' },
    notFound,
  ]) {
    toAll(given);
    const ends = await Promise.allSettled([
      driver.createInstance(request('m')),
      driver.deleteInstance(request('m')),
      driver.listInstances({ ...request('m'), namespace: 'shoot' }),
    ]);
    for (const end of ends) {
      if (end.status === 'rejected')
        texts.push(
          `${end.reason.message} ${JSON.stringify(end.reason)} ${String(end.reason.cause)}`,
        );
    }
  }
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.join('\n')).not.toMatch(/canary/);
});
