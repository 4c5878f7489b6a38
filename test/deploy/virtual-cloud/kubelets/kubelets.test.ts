/** The kubelets on an API server in memory, over HTTP. */
import { playKubelets } from '../../../../deploy/local/virtual-cloud/kubelets/kubelets.ts';
import { fakeKubelet, stopped } from '../../../../deploy/local/virtual-cloud/node-object.ts';
import type { KubeClient } from '../../../../kube/client/client.ts';
import { createKubeClient } from '../../../../kube/client/http-client.ts';
import { HttpApiServer, status } from '../../../support/api-server/http-api-server.ts';
import { eventually } from '../../../support/eventually.ts';

let server: HttpApiServer;
let client: KubeClient;
let log: string[];
let end: () => void;

const nodePath = '/api/v1/nodes/n';
const leasePath = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n';
const podPath = '/api/v1/namespaces/default/pods/p';

beforeEach(async () => {
  server = await HttpApiServer.start({ gracefulPods: true });
  client = createKubeClient({ kubeConfig: server.kubeConfig, userAgent: 'test', retryForMs: 0 });
  log = [];
  end = playKubelets(client, (line) => log.push(line));
});
afterEach(async () => {
  end();
  await client.close();
  await server.stop();
});

const createNode = (name = 'n', annotations: object = fakeKubelet): Promise<unknown> =>
  client.create('/api/v1/nodes', { metadata: { name, annotations } });

const createPod = (name = 'p', nodeName = 'n', annotations: object = {}): Promise<unknown> =>
  client.create('/api/v1/namespaces/default/pods', {
    metadata: { name, annotations },
    spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
    status: { phase: 'Pending' },
  });

async function annotate(path: string, annotations: object): Promise<void> {
  await client.patch(path, 'merge', { metadata: { annotations } });
}

const text = (path: string): string => JSON.stringify(server.object(path)?.['status'] ?? {});
const isReady = async (): Promise<boolean> => text(nodePath).includes('KubeletReady');
const isRunning = async (): Promise<boolean> => text(podPath).includes('Running');
const untilRunning = (): Promise<true> => eventually('the pod runs', isRunning);
const remove = (path: string): Promise<unknown> => client.delete(path);

/** All that was written before has been seen and done. */
async function untilCaughtUp(): Promise<void> {
  await createNode('later');
  await createPod('later', 'later');
  const path = podPath.replace(/p$/, 'later');
  await eventually('a later pod runs', async () => text(path).includes('Running'));
  await remove(path);
  await eventually('it is gone', async () => server.object(path) === undefined);
  await remove('/api/v1/nodes/later');
}

const isGone = async (): Promise<boolean> => server.object(podPath) === undefined;

test('a Node becomes ready and has a Lease that goes with it; its pods run and end', async () => {
  await createNode();
  await createPod();
  await eventually('the Node is ready', isReady);
  await untilRunning();
  await eventually('there is a Lease', async () => server.object(leasePath) !== undefined);
  const node = server.object(nodePath);
  expect(server.object(leasePath)).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Node', name: 'n', uid: node?.metadata.uid }] },
    spec: { holderIdentity: 'n', leaseDurationSeconds: 120 },
  });
  await remove(podPath);
  await eventually('the pod has ended', isGone);
  expect(log).toEqual([]);
});

test('the Node of another is left alone, and so are its pods', async () => {
  await createNode('n', {});
  await createPod();
  await untilCaughtUp();
  expect(await isReady()).toBe(false);
  expect(await isRunning()).toBe(false);
});

test('pods of a machine that is gone hang, and go on where its kubelet runs again', async () => {
  await createNode();
  await createPod();
  await untilRunning();
  await annotate(nodePath, stopped);
  await untilCaughtUp();
  await remove(podPath);
  await untilCaughtUp();
  expect(await isGone()).toBe(false);
  await annotate(nodePath, { [Object.keys(stopped)[0] ?? '']: null });
  await eventually('the pod has ended', isGone);
});

test('a pod that is never to end does when it may', async () => {
  const stubborn = { 'local.millwright.dev/never-terminates': 'true' };
  await createNode();
  await createPod('p', 'n', stubborn);
  await untilRunning();
  await remove(podPath);
  await untilCaughtUp();
  expect(await isGone()).toBe(false);
  await annotate(podPath, { 'local.millwright.dev/never-terminates': null });
  await eventually('the pod has ended', isGone);
});

test('what happened in an outage is made up for', async () => {
  await createNode();
  await createPod();
  await untilRunning();
  server.respond = ({ path }) =>
    path.includes('/nodes') ? status(503, 'ServiceUnavailable') : undefined;
  server.endWatches('destroy');
  await eventually('it is said', async () => log.length > 0);
  server.remove(nodePath);
  server.respond = () => undefined;
  await createNode();
  await eventually('the Node is ready', isReady);
  expect(log.toSorted()).toEqual([
    expect.stringContaining('watch of /api/v1/nodes: '),
    expect.stringContaining('watch of /api/v1/pods'),
  ]);
});

test('a status that another client changed in the same moment is not overwritten', async () => {
  let isSilenced = false;
  server.respond = ({ method, path, body }) => {
    if (method !== 'PATCH' || path !== `${nodePath}/status` || isSilenced) return undefined;
    isSilenced = true;
    expect(body).toMatchObject({ metadata: { resourceVersion: expect.any(String) } });
    return status(409, 'Conflict');
  };
  await createNode();
  await eventually('the Node was about to be ready', async () => isSilenced);
  expect(await isReady()).toBe(false);
  await annotate(nodePath, { note: 'a change' });
  await eventually('the Node is ready', isReady);
  expect(log).toEqual([]);
});
