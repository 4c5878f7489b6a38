/** What machines do by themselves, seen from the cluster's side. */
import { EventEmitter, once } from 'node:events';
import { rmSync } from 'node:fs';
import type { NodeRegistry } from '../../../deploy/local/virtual-cloud/nodes.ts';
import { eventually } from '../../support/eventually.ts';
import { aCloud, temporaryFolder, type TestCloud } from './a-cloud.ts';

/** Notes what it is asked for. Registrations wait for the gate. */
function recordingNodes(
  gate: Promise<unknown> = Promise.resolve(),
): NodeRegistry & { log: string[] } {
  const log: string[] = [];
  return {
    log,
    async register({ name }) {
      log.push(`registering ${name}`);
      await gate;
      log.push(`registered ${name}`);
      return `uid-of-${name}`;
    },
    sicken: async ({ name }, { type, status }) => {
      log.push(`sicken ${name} ${type}=${status}`);
    },
    stop: async ({ name, nodeUid }) => {
      log.push(`stop ${name} ${nodeUid ?? 'without a Node'}`);
    },
    close: async () => {},
  };
}

let folder = '';
let cloud: TestCloud;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await cloud.close();
  rmSync(folder, { recursive: true });
});

async function start(nodes: NodeRegistry, settings: object = { bootSeconds: 0 }): Promise<void> {
  cloud = await aCloud({ dataDir: folder, nodes });
  await cloud.call('PUT', '/settings', { callMilliseconds: 0, ...settings });
}

async function create(name: string): Promise<string> {
  await cloud.call('POST', '/instances', { name, token: name });
  return (await cloud.instances(`name=${name}`))[0]?.id ?? 'none';
}

test('a machine that is deleted while it boots never joins', async () => {
  const nodes = recordingNodes();
  await start(nodes, { bootSeconds: 60 });
  await cloud.call('DELETE', `/instances/${await create('m')}`);
  await eventually('its Node is looked after', () => nodes.log.length > 0);
  expect(nodes.log).toEqual(['stop m without a Node']);
});

test('a machine that is deleted while it registers is stopped after the registration', async () => {
  const gate = new EventEmitter();
  const nodes = recordingNodes(once(gate, 'open'));
  await start(nodes);
  const id = await create('m');
  await eventually('it registers', () => nodes.log.includes('registering m'));
  await cloud.call('DELETE', `/instances/${id}`);
  gate.emit('open');
  await eventually('it is stopped', () => nodes.log.length === 3);
  expect(nodes.log).toEqual(['registering m', 'registered m', 'stop m uid-of-m']);
});

test.each([
  ['neverJoin', []],
  ['vanish', ['registering m', 'registered m', 'stop m uid-of-m']],
  ['unhealthyLater', ['registering m', 'registered m', 'sicken m KernelDeadlock=True']],
])('the life of a machine of the virtual cloud with the fault %s', async (kind, expected) => {
  const nodes = recordingNodes();
  await start(nodes);
  await cloud.call('POST', '/faults', { kind, match: 'm', seconds: 0.1 });
  await create('m');
  await create('witness');
  await eventually(
    'all is done',
    () =>
      nodes.log.includes('registered witness') &&
      expected.every((line) => nodes.log.includes(line)),
  );
  expect(nodes.log.filter((line) => !line.includes('witness'))).toEqual(expected);
});

test('machines that were booting go on after a restart, those that have joined stay', async () => {
  const before = recordingNodes();
  await start(before);
  await create('joined');
  await eventually('it has joined', () => before.log.includes('registered joined'));
  await cloud.call('PUT', '/settings', { bootSeconds: 0.3 });
  await create('booting');
  await cloud.close();

  const after = recordingNodes();
  cloud = await aCloud({ dataDir: folder, nodes: after });
  expect(cloud.machineCount).toBe(2);
  await eventually('it has joined', () => after.log.includes('registered booting'));
  expect(after.log).toEqual(['registering booting', 'registered booting']);
});

test('a machine that was deleted just before a restart has its Node stopped after it', async () => {
  let hasReachedCluster = false;
  const before: NodeRegistry = {
    ...recordingNodes(),
    // The API server is away until the process ends.
    stop: (_instance, signal) =>
      new Promise((_resolve, reject) => {
        hasReachedCluster = true;
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  };
  await start(before);
  const id = await create('m');
  await eventually(
    'it runs',
    async () => (await cloud.instances('name=m'))[0]?.state === 'running',
  );
  await cloud.call('DELETE', `/instances/${id}`);
  await eventually('its Node is to be stopped', () => hasReachedCluster);
  await cloud.close();

  const after = recordingNodes();
  cloud = await aCloud({ dataDir: folder, nodes: after });
  await eventually('its Node is stopped', () => after.log.length > 0);
  expect(after.log).toEqual(['stop m uid-of-m']);
});

test('a fault that fired once before a restart does not fire again', async () => {
  await start(recordingNodes());
  await cloud.call('PUT', '/faults', [{ kind: 'quota', match: 'm', times: 1 }]);
  expect((await cloud.call('POST', '/instances', { name: 'm', token: 'm' })).status).toBe(400);
  await cloud.close();
  cloud = await aCloud({ dataDir: folder, nodes: recordingNodes() });
  expect((await cloud.call('POST', '/instances', { name: 'm', token: 'm' })).status).toBe(201);
});
