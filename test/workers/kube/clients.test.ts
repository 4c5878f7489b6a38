import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening } from '../../support/listening.ts';
import { createKubeClients, untilTemporalAnswers } from '../../../workers/kube/clients.ts';
import { digestOfCluster, untilIdentityKnown } from '../../../workers/temporal/identity.ts';
import type { KubeSource } from '../../../workers/config/config.ts';
import { freeLoopbackPort } from '../../../workers/process/http.ts';
import { logLines } from '../log/log-lines.ts';

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

/**
 * Answers every request with a namespace of this UID, or if that is `forbidden` with 403; counts
 * the paths.
 */
async function startCluster(port: number, uid: string): Promise<string[]> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    const isForbidden = uid === 'forbidden' && request.url?.includes('kube-system');
    response.statusCode = isForbidden ? 403 : 200;
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ metadata: { uid } }));
  });
  const { close } = await listening(server, port);
  stops.push(close);
  return seen;
}

test('the start waits for both clusters and learns their identities', async () => {
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
  const install = { name: 'blue', takeOver: [] };
  const namespaces = { kind: 'one', name: 'default' } as const;
  const settings = { target, namespaces, install, isNamedAsMcm: false };
  const answer = untilIdentityKnown(clients, settings, { log, signal });
  await firstLine;
  const [seenByControl, seenByTarget] = [
    await startCluster(ports[0], 'uid-of-control'),
    await startCluster(ports[1], 'uid-of-target'),
  ];
  expect(await answer).toEqual({
    cluster: 'uid-of-control',
    name: 'blue',
    target: 'uid-of-target',
    taskQueue: 'millwright/uid-of-control/blue',
  });
  expect(seenByControl).toEqual(['/api/v1/namespaces/kube-system']);
  expect(seenByTarget).toEqual(['/api/v1/namespaces/kube-system']);
  expect(lines[0]).toMatchObject({
    msg: 'cannot be reached',
    server: 'control cluster',
    reason: expect.stringContaining('ECONNREFUSED'),
  });
});

test('where kube-system may not be read, a flag names the control cluster and the server the target', async () => {
  const ports = [await freeLoopbackPort(), await freeLoopbackPort()] as const;
  const [control, target] = await Promise.all(ports.map(kubeconfigFor));
  if (control === undefined || target === undefined) throw new Error('There are two.');
  await startCluster(ports[0], 'forbidden');
  await startCluster(ports[1], 'forbidden');
  const flags = { kubeApi: { burst: 1 }, component: 'watcher' } as const;
  const clients = createKubeClients({ control, target, ...flags });
  stops.push(() => clients.close());
  const install = { name: 'blue', clusterId: 'seed', clusterName: 'eu', takeOver: [] };
  const { log } = logLines();
  const waiting = { log, signal: new AbortController().signal };
  const namespaces = { kind: 'one', name: 'default' } as const;
  const settings = { target, namespaces, install, isNamedAsMcm: false };
  const identity = await untilIdentityKnown(clients, settings, waiting);
  expect(identity).toEqual({
    cluster: 'seed',
    clusterName: 'eu',
    name: 'blue',
    target: expect.stringMatching(/^server-[0-9a-f]{32}$/),
    taskQueue: 'millwright/seed/blue',
  });
});

test('as MCM the served namespace names the target, and a control cluster without a name says what to set', async () => {
  const ports = [await freeLoopbackPort(), await freeLoopbackPort()] as const;
  const [control, target] = await Promise.all(ports.map(kubeconfigFor));
  if (control === undefined || target === undefined) throw new Error('There are two.');
  await startCluster(ports[0], 'forbidden');
  const seenByTarget = await startCluster(ports[1], 'forbidden');
  const clients = createKubeClients({
    control,
    target,
    kubeApi: { burst: 1 },
    component: 'watcher',
  });
  stops.push(() => clients.close());
  const namespaces = { kind: 'one', name: 'shoot--a--b' } as const;
  const settings = { target, namespaces, isNamedAsMcm: true };
  const install = { name: 'shoot--a--b', clusterId: 'seed', takeOver: [] };
  const { log, lines, firstLine } = logLines();
  const ended = new AbortController();
  const waiting = { log, signal: ended.signal };
  const nameless = { ...settings, install: { name: 'shoot--a--b', takeOver: [] } };
  const waits = untilIdentityKnown(clients, nameless, waiting);
  await firstLine;
  expect(lines[0]).toMatchObject({ reason: expect.stringContaining('set --cluster-id') });
  ended.abort(new Error('enough'));
  await expect(waits).rejects.toThrow('enough');
  const identity = await untilIdentityKnown(
    clients,
    { ...settings, install },
    { log, signal: new AbortController().signal },
  );
  expect(identity).toMatchObject({ cluster: 'seed', target: 'of-shoot--a--b' });
  expect(seenByTarget).toEqual(['/version']);
});

test('the certificate of a cluster is the same from a file and from the kubeconfig itself', async () => {
  const ca = 'a certificate';
  const caFile = join(folder, 'ca.crt');
  await writeFile(caFile, ca);
  const server = 'https://127.0.0.1';
  const inline = await digestOfCluster({ caData: Buffer.from(ca).toString('base64'), server });
  expect(inline).toMatch(/^ca-[0-9a-f]{32}$/);
  expect(await digestOfCluster({ caFile, server: 'https://other' })).toBe(inline);
});

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
  const temporal = { address, namespace: 'default', connection: { address }, files: [] };
  const { signal } = controller;
  const waiting = untilTemporalAnswers({ temporal, identity: 'test' }, { log, signal });
  await expect(waiting).rejects.toThrow('stopping');
});
