/** The agents on an API server in memory, over HTTP. */
import { playAgents } from '../../../deploy/local/update-agent/agents.ts';
import { behaviourAnnotation } from '../../../deploy/local/update-agent/behaviour.ts';
import { notReady } from '../../../deploy/local/virtual-cloud/node-object.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { annotations, labels, taints } from '../../../workflows/api/constants.ts';
import { inPlaceUpdate, type InPlaceReason } from '../../../workflows/api/in-place.ts';
import { HttpApiServer, status } from '../../support/api-server/http-api-server.ts';
import { eventually } from '../../support/eventually.ts';

let server: HttpApiServer;
let client: KubeClient;
let log: string[];
let end: () => void;

const path = '/api/v1/nodes/n';

beforeEach(async () => {
  server = await HttpApiServer.start();
  client = createKubeClient({ kubeConfig: server.kubeConfig, userAgent: 'test', retryForMs: 0 });
  log = [];
  end = playAgents(client, { log: (line) => log.push(line), nodes: 'n*' });
});
afterEach(async () => {
  end();
  await client.close();
  await server.stop();
});

async function createNode(behaviour: string): Promise<void> {
  const metadata = { name: 'n', annotations: { [behaviourAnnotation]: behaviour } };
  await client.create('/api/v1/nodes', { metadata });
}

async function say(reason: InPlaceReason): Promise<void> {
  const conditions = [{ type: inPlaceUpdate, status: 'True', reason }];
  await client.patch(`${path}/status`, 'strategic', { status: { conditions } });
}

const patch = (metadata: object): Promise<unknown> => client.patch(path, 'merge', { metadata });
const node = (): Promise<Node> => client.get<Node>(path);

async function untilAnswer(result: string | undefined, because?: string): Promise<void> {
  await eventually(`the agent answers ${result}`, async () => {
    const { metadata } = await node();
    expect(metadata.labels?.[labels.updateResult]).toBe(result);
    expect(metadata.annotations?.[annotations.updateFailedReason]).toBe(because);
  });
}

const untilLogged = (line: string): Promise<unknown> =>
  eventually(line, async () => expect(log).toContain(`n: ${line}`));

test('it waits for the drain, answers once, and again when it is asked to', async () => {
  await createNode('late=10ms');
  await patch({ labels: { [labels.selectedForUpdate]: 'true' } });
  await say('DrainSuccessful');
  await say('ReadyForUpdate');
  await untilAnswer('successful');
  await say('UpdateSuccessful');
  await patch({ labels: { [labels.updateResult]: null, [labels.selectedForUpdate]: null } });
  await say('ReadyForUpdate');
  await untilAnswer('successful');
  const once = ['n: begins', 'n: answers successful'];
  expect(log).toEqual([...once, ...once]);
});

test('it fails with a reason, which goes when it succeeds after all', async () => {
  await createNode('late=10ms,failed-then-successful');
  await say('ReadyForUpdate');
  await untilAnswer('failed', 'the update agent was told to fail');
  await say('UpdateFailed');
  await untilAnswer('successful');
  expect(log).toContain('n: answers failed');
});

test('it leaves Nodes alone whose names do not match', async () => {
  await client.create('/api/v1/nodes', { metadata: { name: 'other' } });
  const conditions = [{ type: inPlaceUpdate, status: 'True', reason: 'ReadyForUpdate' }];
  await client.patch('/api/v1/nodes/other/status', 'strategic', { status: { conditions } });
  await createNode('late=10ms');
  await say('ReadyForUpdate');
  await untilAnswer('successful');
  expect(log.join()).not.toContain('other');
});

test('an early one answers as soon as the Node is selected', async () => {
  await createNode('late=10ms,early');
  await patch({ labels: { [labels.selectedForUpdate]: 'true' } });
  await untilAnswer('successful');
  expect(log).toEqual(['n: begins', 'n: answers successful']);
});

test('it dies in the middle, begins anew, and deletes the pods of its Node', async () => {
  await createNode('late=10ms,dies,deletes-pods');
  for (const [name, nodeName] of [
    ['here', 'n'],
    ['there', 'm'],
  ]) {
    await client.create('/api/v1/namespaces/a/pods', { metadata: { name }, spec: { nodeName } });
  }
  await say('ReadyForUpdate');
  await untilAnswer('successful');
  expect(log).toEqual(['n: begins', 'n: dies, and begins anew', 'n: answers successful']);
  const { items } = await client.list<Node>('/api/v1/pods');
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['there']);
});

test('a Node that reboots is not ready meanwhile, also where it is told otherwise in the middle', async () => {
  await createNode('late=10ms,reboots=1h');
  await say('ReadyForUpdate');
  await eventually('it is not ready', async () => {
    expect((await node()).metadata.annotations).toMatchObject(notReady);
  });
  await patch({ annotations: { [behaviourAnnotation]: 'never,late=10ms' } });
  await untilLogged('never answers');
  await eventually('it is ready again', async () => {
    expect((await node()).metadata.annotations).not.toMatchObject(notReady);
  });
  await untilAnswer(undefined);
  await patch({ annotations: { [behaviourAnnotation]: 'late=10ms' } });
  await untilAnswer('successful');
});

test('what an updated Node waits for is there soon, and its other taints stay', async () => {
  await createNode('');
  const [own, critical] = ['dedicated', taints.criticalComponentsNotReady].map((key) => ({
    key,
    effect: 'NoSchedule',
  }));
  await client.patch(path, 'merge', { spec: { taints: [own, critical] } });
  await say('UpdateSuccessful');
  await eventually('it takes pods', async () => {
    expect((await node()).spec?.taints).toEqual([own]);
  });
});

test('an API server that is away for a while is asked again', async () => {
  await createNode('late=10ms');
  let refusals = 2;
  server.respond = ({ method }) =>
    method === 'PATCH' && log.length > 0 && refusals-- > 0 ? status(503, 'x') : undefined;
  await say('ReadyForUpdate');
  await untilAnswer('successful');
  expect(refusals).toBeLessThanOrEqual(0);
});
