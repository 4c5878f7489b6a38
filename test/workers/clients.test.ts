import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  createKubeClients,
  untilClustersAnswer,
  untilTemporalAnswers,
} from '../../workers/clients.ts';
import type { KubeSource } from '../../workers/config.ts';
import { freeLoopbackPort } from '../../workers/http.ts';
import { logLines } from './log-lines.ts';

let folder: string;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clients-'));
});

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

afterAll(() => rm(folder, { recursive: true }));

async function kubeconfigFor(port: number): Promise<KubeSource> {
  const path = join(folder, `${port}.yaml`);
  const config = {
    'current-context': 'it',
    clusters: [{ name: 'it', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'it', user: {} }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  };
  await writeFile(path, JSON.stringify(config));
  return { kind: 'file', path };
}

/** Answers every request with a namespace of this UID, and counts the paths. */
async function startCluster(port: number, uid: string): Promise<string[]> {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ metadata: { uid } }));
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return seen;
}

test('waits for both clusters and learns the identity of the control cluster', async () => {
  const ports = [await freeLoopbackPort(), await freeLoopbackPort()] as const;
  const [control, target] = await Promise.all(ports.map(kubeconfigFor));
  if (control === undefined || target === undefined) throw new Error('There are two.');
  const clients = createKubeClients({
    control,
    target,
    kubeApi: { burst: 1 },
    component: 'watcher',
  });
  stops.push(() => clients.close());
  const { log, lines, firstLine } = logLines();
  const { signal } = new AbortController();
  const answer = untilClustersAnswer(clients, { log, signal });
  await firstLine;
  const [seenByControl, seenByTarget] = [
    await startCluster(ports[0], 'uid-of-control'),
    await startCluster(ports[1], 'uid-of-target'),
  ];
  expect(await answer).toEqual({ cluster: 'uid-of-control' });
  expect(seenByControl).toEqual(['/api/v1/namespaces/kube-system']);
  expect(seenByTarget).toEqual(['/version']);
  expect(lines[0]).toMatchObject({
    msg: 'cannot be reached',
    server: 'control cluster',
    reason: expect.stringContaining('ECONNREFUSED'),
  });
}, 20_000);

test('one cluster in both roles has one client', async () => {
  const control = await kubeconfigFor(1);
  const clients = createKubeClients({
    control,
    target: { ...control },
    kubeApi: { burst: 1, qps: 10 },
    component: 'worker',
  });
  expect(clients.target).toBe(clients.control);
  await clients.close();
});

test('without a target cluster there is no client for it', async () => {
  const control = await kubeconfigFor(1);
  const settings = { control, target: 'none', kubeApi: { burst: 1 }, component: 'worker' } as const;
  const clients = createKubeClients(settings);
  expect(clients.target).toBeUndefined();
  await clients.close();
});

test('a kubeconfig that cannot be read is an error at once', () => {
  const control: KubeSource = { kind: 'file', path: '/no/such/file' };
  const settings = { control, target: 'none', kubeApi: { burst: 1 }, component: 'worker' } as const;
  expect(() => createKubeClients(settings)).toThrow('/no/such/file');
});

test('waiting for Temporal ends when the process does', async () => {
  const { log } = logLines();
  const controller = new AbortController();
  controller.abort(new Error('stopping'));
  const address = '127.0.0.1:1';
  const temporal = { address, namespace: 'default', connection: { address } };
  const { signal } = controller;
  const waiting = untilTemporalAnswers({ temporal, identity: 'test' }, { log, signal });
  await expect(waiting).rejects.toThrow('stopping');
});
