/** Creates that hear of the Nodes of their machines from the watcher of their process. */
import { AwaitedNodes } from '../../watcher/awaited-nodes.ts';
import type { Signal } from '../../watcher/dispatch/signal.ts';
import type { NodeSnapshot } from '../../workflows/contracts/snapshots.ts';
import { fakeClock, type FakeClock } from '../support/fake-clock.ts';

const namespace = 'shoot';
const machine = { namespace, name: 'pool-a' };
const cause = { resource: 'nodes', resourceVersion: '7' } as const;

const aSeenNode = (changes: Partial<NodeSnapshot> = {}): NodeSnapshot => ({
  cluster: 'c',
  epoch: 1,
  resourceVersion: '7',
  uid: 'node-uid',
  name: 'pool-a',
  providerID: 'local:///zone-1/i-1',
  exists: true,
  isReady: true,
  isDeleting: false,
  conditionsDigest: '',
  isWaitingForCriticalComponents: false,
  ...changes,
});

const nodeSignal = (payload: NodeSnapshot, object = machine.name): Signal => ({
  kind: 'machine',
  object,
  name: 'nodeObserved',
  payload,
  cause,
});

const goneSignal: Signal<'machineGone'> = {
  kind: 'machine',
  object: machine.name,
  name: 'machineGone',
  payload: { cluster: 'c', epoch: 1, resourceVersion: '8', uid: 'pool-a-uid' },
  cause: { resource: 'machines', resourceVersion: '8' },
};

function leading(most = 10): AwaitedNodes {
  const awaited = new AwaitedNodes(most);
  awaited.begin(namespace);
  return awaited;
}

test('nothing waits in a process that does not lead', () => {
  const awaited = leading();
  expect(awaited.wait({ ...machine, namespace: 'other' })).toBeUndefined();
  awaited.stop(namespace);
  expect(awaited.wait(machine)).toBeUndefined();
});

test('a Ready Node goes to the create that waits for it, and to no workflow', async () => {
  const awaited = leading();
  const create = awaited.wait(machine);
  const node = aSeenNode();
  expect(awaited.takes(namespace, nodeSignal(node))).toBe(true);
  expect(await create?.ready).toBe(node);
  const later = aSeenNode({ resourceVersion: '9' });
  expect(awaited.takes(namespace, nodeSignal(later))).toBe(true);
  expect(create?.end()).toBe(later);
  expect(awaited.takes(namespace, nodeSignal(node))).toBe(false);
});

test('Nodes of other machines and namespaces go to their workflows', () => {
  const awaited = leading();
  awaited.wait(machine);
  expect(awaited.takes(namespace, nodeSignal(aSeenNode(), 'pool-b'))).toBe(false);
  expect(awaited.takes('other', nodeSignal(aSeenNode()))).toBe(false);
});

test('a machine that goes, or is changed, is not waited for', async () => {
  const awaited = leading();
  const create = awaited.wait(machine);
  expect(awaited.takes(namespace, goneSignal)).toBe(false);
  expect(await create?.ready).toBeUndefined();
  expect(create?.end()).toBeUndefined();
});

test('nothing is waited for any more when another watcher leads', async () => {
  const awaited = leading();
  const create = awaited.wait(machine);
  awaited.stop(namespace);
  expect(await create?.ready).toBeUndefined();
});

test('the create that has waited longest gives way', async () => {
  const awaited = leading(1);
  const first = awaited.wait(machine);
  const second = awaited.wait({ namespace, name: 'pool-b' });
  expect(await first?.ready).toBeUndefined();
  const node = aSeenNode({ name: 'pool-b' });
  awaited.takes(namespace, nodeSignal(node, 'pool-b'));
  expect(await second?.ready).toBe(node);
});

test('the next attempt of a create waits in the place of the one before', async () => {
  const awaited = leading();
  const before = awaited.wait(machine);
  const now = awaited.wait(machine);
  expect(await before?.ready).toBeUndefined();
  before?.end();
  const node = aSeenNode();
  expect(awaited.takes(namespace, nodeSignal(node))).toBe(true);
  expect(await now?.ready).toBe(node);
});

describe('with a clock of its own', () => {
  let clock: FakeClock;
  beforeEach(() => void (clock = fakeClock()));
  afterEach(() => clock.uninstall());

  test('a Node that is not Ready within a second of its first sight is left to the workflow', async () => {
    const awaited = leading();
    const create = awaited.wait(machine);
    const unready = aSeenNode({ isReady: false });
    awaited.takes(namespace, nodeSignal(unready));
    await clock.tickAsync(1_000);
    expect(await create?.ready).toBeUndefined();
    expect(create?.end()).toBe(unready);
  });

  test('an instance that boots for longer than ten seconds is left to the workflow', async () => {
    const awaited = leading();
    const create = awaited.wait(machine);
    await clock.tickAsync(10_000);
    expect(await create?.ready).toBeUndefined();
  });
});
