import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { createKubeApi, reportingReach } from '../../../deploy/local/virtual-cloud/kube-api.ts';
import { temporaryFolder } from './a-cloud.ts';

let folder = '';
let server: Server;
let requests: {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
}[];
let connections = 0;
let answer = { status: 200, text: '{}' };

beforeEach(async () => {
  folder = temporaryFolder();
  requests = [];
  connections = 0;
  server = createServer(({ method, url, headers }, response) => {
    requests.push({ method, url, headers });
    response.writeHead(answer.status).end(answer.text);
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function kubeconfig(): string {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const file = join(folder, 'kubeconfig');
  writeFileSync(
    file,
    JSON.stringify({
      clusters: [
        {
          name: 'c',
          cluster: { server: `http://127.0.0.1:${port}/prefix`, 'insecure-skip-tls-verify': true },
        },
      ],
      users: [{ name: 'u', user: { token: 'open-sesame' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  return file;
}

test('the credentials of the kubeconfig go with every call, over connections that stay', async () => {
  answer = { status: 201, text: '{"metadata":{"uid":"u1"}}' };
  const api = await createKubeApi(kubeconfig());
  for (const path of ['/a', '/b', '/c', '/d', '/e']) {
    expect(await api.call({ method: 'POST', path, body: {} })).toEqual({
      status: 201,
      body: { metadata: { uid: 'u1' } },
    });
  }
  await api.close();
  expect(requests.map(({ url }) => url)).toEqual([
    '/prefix/a',
    '/prefix/b',
    '/prefix/c',
    '/prefix/d',
    '/prefix/e',
  ]);
  expect(requests[0]?.headers).toMatchObject({
    authorization: 'Bearer open-sesame',
    'content-type': 'application/json',
  });
  // The second is opened when the first has an answer in hand but is not free yet.
  expect(connections).toBeLessThanOrEqual(2);
});

test('an answer that is not JSON is a message', async () => {
  answer = { status: 503, text: 'starting' };
  const api = await createKubeApi(kubeconfig());
  expect(await api.call({ method: 'GET', path: '/a' })).toEqual({
    status: 503,
    body: { message: 'starting' },
  });
  await api.close();
});

test('an outage is one line at its start and one at its end', async () => {
  const lines: string[] = [];
  const calls = [true, false, false, true, true];
  const api = reportingReach(
    {
      call: async () => {
        if (calls.shift() === true) return { status: 200, body: {} };
        throw new Error('connect ECONNREFUSED');
      },
      lines: async function* () {},
      close: async () => {},
    },
    (line) => lines.push(line),
  );
  const request = { method: 'GET', path: '/a' } as const;
  for (let count = calls.length; count > 0; count -= 1) {
    await api.call(request).catch(String);
  }
  expect(lines).toEqual([
    'the API server does not answer: Error: connect ECONNREFUSED',
    'the API server answers again',
  ]);
});
