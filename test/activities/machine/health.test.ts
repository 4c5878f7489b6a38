import { KubeError } from '../../../kube/client/errors.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { checkHealth } from '../../../activities/machine/health.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import type { Pause } from '../../../workflows/values/pauses.ts';
import type { HealthRequest } from '../../../workflows/contracts/machine-activities.ts';
import type { Machine, MachineSpec } from '../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  aNode,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const path = customResource('machines', namespace, 'pool-a');
const start = Date.parse('2026-01-01T00:00:00Z');
const late = start + 601_000;
const request: HealthRequest = {
  machine: lifeOf('pool-a'),
  instance: { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' },
  hasLostNode: false,
  pausedMs: 0,
  now: start,
};
const well = { type: 'Ready', status: 'True' } as const;
const silent = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' } as const;

function machineIn(phase: MachinePhase, changes: { name?: string; spec?: MachineSpec } = {}) {
  const { name = 'pool-a', spec } = changes;
  const machine = aMachine({ metadata: { name, labels: { node: name } } });
  return {
    ...machine,
    spec: { ...machine.spec, ...spec },
    status: {
      conditions: [phase === 'Running' ? well : silent],
      currentStatus: { phase, lastUpdateTime: '2026-01-01T00:00:00Z' },
      lastOperation: { type: 'HealthCheck', state: 'Processing' },
    },
  } satisfies Machine;
}

const nodeWith = (condition: object, metadata: Partial<Node['metadata']> = {}): object =>
  aNode({ metadata, status: { conditions: [{ ...well, ...condition }] } });

const tooLarge = { code: 500, reason: 'HTTP500', message: 'etcdserver: request is too large' };

describe('a Node that reports too much', () => {
  const many = Array.from({ length: 14_000 }, (_, at) => ({ ...well, type: `x${at}` }));
  const endless = { ...silent, message: 'm'.repeat(2_000_000) };

  test('is judged, and what fits of it is copied', async () => {
    const conditions = [...many, endless];
    const { status } = await look({ node: aNode({ status: { conditions } }) });
    expect(status?.currentStatus?.phase).toBe('Unknown');
    const [ready] = status?.conditions ?? [];
    expect(ready).toMatchObject({ type: 'Ready', status: 'Unknown' });
    expect(JSON.stringify(status).length).toBeLessThan(10_000);
  });

  test('is written once, and not again while it says the same', async () => {
    const conditions = [well, ...many];
    const node = aNode({ status: { conditions } });
    const { object } = await look({ node });
    expect((await look({ machines: [object ?? {}], node })).writes).toEqual([]);
  });

  test('is not copied where the API server refuses that, and the phase is written all the same', async () => {
    const world = aWorld({ control: [machineIn('Running')], target: [nodeWith(silent)] });
    world.control.fault = ({ method, body }) =>
      method === 'PATCH' && JSON.stringify(body).includes('"reason":"NodeStatusUnknown"')
        ? tooLarge
        : undefined;
    const outcome = await checkHealth(world, request);
    expect(outcome).toMatchObject({ finding: { phase: 'Unknown', since: start } });
    const { status } = await world.control.read<Machine>(path);
    expect(status?.currentStatus?.phase).toBe('Unknown');
    const { items } = await world.control.list<{ message: string }>(
      namespaced('events', namespace),
    );
    const message = expect.stringContaining('request is too large');
    expect(items).toContainEqual(expect.objectContaining({ message }));
  });

  test('that a refusal of the copy alone is no reason to stop its clock', async () => {
    const world = aWorld({
      control: [machineIn('Unknown')],
      target: [nodeWith({ status: 'False' })],
    });
    world.control.fault = ({ method }) => (method === 'PATCH' ? tooLarge : undefined);
    const outcome = await checkHealth(world, { ...request, since: start });
    expect(outcome).toMatchObject({ finding: { phase: 'Unknown', since: start } });
  });
});

interface Given {
  machines?: object[];
  node?: object;
  changes?: Partial<HealthRequest>;
  pauses?: () => Pause[];
}

async function look({ machines = [machineIn('Running')], node, changes, pauses }: Given) {
  const { control, ...world } = aWorld({
    control: machines,
    target: node ? [node] : [],
    ...(pauses && { pauses }),
  });
  const outcome = await checkHealth({ ...world, control }, { ...request, ...changes });
  const { items: events } = await control.list<{ reason: string }>(namespaced('events', namespace));
  const { items } = await control.list<Machine>(customResource('machines', namespace));
  const object = items.find(({ metadata }) => metadata.name === 'pool-a');
  const reasons = events.map(({ reason }) => reason);
  return { outcome, object, control, reasons, status: object?.status, writes: control.writes() };
}

const updated = (phase: MachinePhase, reason: string) => ({
  machines: [machineIn(phase)],
  node: aNode({
    status: { conditions: [well, { type: 'InPlaceUpdate', status: 'True', reason }] },
  }),
});

describe('the phase follows the Node', () => {
  test('a healthy Running machine is not written', async () => {
    const { outcome, writes } = await look({ node: aNode() });
    expect(outcome).toMatchObject({ found: 'machine', finding: { phase: 'Running' } });
    expect(writes).toEqual([]);
  });

  test('an unhealthy one becomes Unknown in one write, with its conditions, in words of MCM', async () => {
    const { outcome, status, reasons, writes } = await look({ node: nodeWith(silent) });
    expect(outcome).toMatchObject({ finding: { phase: 'Unknown', since: start } });
    expect(status).toMatchObject({
      conditions: [silent, { type: 'Reconciling', reason: 'Unhealthy' }],
      // Machines that MCM made have none before.
      nodeRef: { kind: 'Node', name: 'pool-a' },
      currentStatus: { phase: 'Unknown' },
      lastOperation: {
        description:
          'Machine pool-a is unhealthy - changing MachinePhase to Unknown. Node conditions: Ready is Unknown (NodeStatusUnknown)',
        state: 'Processing',
        type: 'HealthCheck',
      },
    });
    expect(reasons).toEqual(['Unhealthy']);
    expect(writes.filter((write) => write.includes(path))).toHaveLength(1);
  });

  test('a missing Node makes it Unknown and keeps the last conditions', async () => {
    const { status } = await look({});
    expect(status).toMatchObject({
      conditions: [well, { type: 'Reconciling', reason: 'Unhealthy' }],
      currentStatus: { phase: 'Unknown' },
      lastOperation: {
        description:
          'Node object went missing. Machine pool-a is unhealthy - changing MachinePhase to Unknown',
      },
    });
  });

  test('the Node of another instance is not its Node', async () => {
    const { status } = await look({ node: aNode({ spec: { providerID: 'local:///zone-1/i-2' } }) });
    expect(status?.currentStatus?.phase).toBe('Unknown');
  });

  test.each(['Unknown', 'Failed', 'InPlaceUpdateSuccessful'] as const)(
    'a healthy %s machine is Running again',
    async (is) => {
      const { outcome, status, reasons } = await look({ machines: [machineIn(is)], node: aNode() });
      expect(outcome).toMatchObject({ finding: { phase: 'Running' } });
      expect(status).toMatchObject({
        conditions: [well],
        currentStatus: { phase: 'Running' },
        lastOperation: {
          description: 'Machine pool-a successfully re-joined the cluster',
          state: 'Successful',
          type: 'HealthCheck',
        },
      });
      expect(reasons).toEqual(['Healthy']);
    },
  );

  test.each<[MachinePhase, string]>([
    ['InPlaceUpdating', 'ReadyForUpdate'],
    ['InPlaceUpdateFailed', 'UpdateFailed'],
    ['Failed', 'UpdateFailed'],
  ])('a %s machine that is %s is not judged, and has its conditions', async (phase, reason) => {
    const { outcome, status, reasons, writes } = await look(updated(phase, reason));
    expect(outcome).toEqual({ found: 'machine', finding: { phase, faults: [] } });
    expect(status?.currentStatus?.phase).toBe(phase);
    expect(status?.conditions).toContainEqual(expect.objectContaining({ reason }));
    expect(reasons).toEqual([]);
    expect(writes).toHaveLength(1);
  });

  test('a Failed machine whose update succeeded after all is Running', async () => {
    const { outcome } = await look(updated('Failed', 'UpdateSuccessful'));
    expect(outcome).toMatchObject({ finding: { phase: 'Running' } });
  });

  test('an unhealthy machine is Unknown after its update in place', async () => {
    const machines = [machineIn('InPlaceUpdateSuccessful')];
    const { outcome } = await look({ machines, node: nodeWith(silent) });
    expect(outcome).toMatchObject({ finding: { phase: 'Unknown' } });
  });

  test('a list of conditions on the machine goes before the flag', async () => {
    const machines = [machineIn('Running', { spec: { nodeConditions: 'Flooded' } })];
    const node = aNode({ status: { conditions: [well, { type: 'Flooded', status: 'True' }] } });
    const { outcome } = await look({ machines, node });
    expect(outcome).toMatchObject({ finding: { faults: ['Flooded is True'] } });
  });

  test('further conditions of an Unknown machine are copied, and its clock goes on', async () => {
    const machines = [machineIn('Unknown')];
    const { outcome, status } = await look({ machines, node: nodeWith({ status: 'False' }) });
    expect(outcome).toMatchObject({ finding: { phase: 'Unknown', since: start } });
    expect(status?.conditions).toMatchObject([{ status: 'False' }, { type: 'Reconciling' }]);
    expect(status?.currentStatus?.lastUpdateTime).toBe('2026-01-01T00:00:00Z');
  });

  test('a machine that is being deleted is left alone', async () => {
    const deleted = machineIn('Running');
    const metadata = { ...deleted.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    const { outcome, writes } = await look({ machines: [{ ...deleted, metadata }] });
    expect(outcome).toEqual({ found: 'deleting' });
    expect(writes).toEqual([]);
  });

  test('an API server out of reach is an answer', async () => {
    const { control, ...world } = aWorld();
    const failure = { code: 0, reason: 'Unreachable', message: 'refused', method: 'GET', path };
    control.get = async () => await Promise.reject(new KubeError(failure));
    const outcome = await checkHealth({ ...world, control }, request);
    expect(outcome).toMatchObject({ finding: { outOfReach: expect.stringContaining('refused') } });
  });

  test.each([
    { code: 403, reason: 'Forbidden' },
    { code: 500, reason: 'InternalError', message: 'etcdserver: request timed out' },
  ])('so is a target cluster that lets no Node be read: $code', async (refusal) => {
    const world = aWorld({ control: [machineIn('Running')], target: [aNode()] });
    world.target.fault = () => refusal;
    expect(await checkHealth(world, request)).toMatchObject({
      finding: { outOfReach: expect.stringContaining(refusal.reason) },
    });
    expect(world.control.writes()).toEqual([]);
  });
});

describe('a deleted Node', () => {
  test('a deleted Node that has still finalizers takes its Machine with it', async () => {
    const node = nodeWith({}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] });
    const { outcome, object, reasons } = await look({ node });
    expect(outcome).toEqual({ found: 'deleting' });
    expect(object?.metadata.deletionTimestamp).toBeDefined();
    expect(reasons).toEqual(['NodeDeleted']);
  });

  test('a deleted Node that was seen to go takes its Machine with it', async () => {
    const { outcome } = await look({ changes: { hasLostNode: true } });
    expect(outcome).toEqual({ found: 'deleting' });
  });

  test('a deleted Node that is there again does not', async () => {
    const { outcome, writes } = await look({ node: aNode(), changes: { hasLostNode: true } });
    expect(outcome).toMatchObject({ finding: { phase: 'Running' } });
    expect(writes).toEqual([]);
  });

  test('among many that went at once does not: the machine is Unknown', async () => {
    const machines = ['pool-a', 'pool-b', 'pool-c'].map((name) => machineIn('Running', { name }));
    const { outcome } = await look({ machines, changes: { hasLostNode: true } });
    expect(outcome).toMatchObject({ finding: { phase: 'Unknown' } });
  });
});

describe('a deletion with the Node that the API server refuses', () => {
  const denied = { code: 403, reason: 'Forbidden', message: 'denied by a policy' };

  async function lookTwice(node?: object) {
    const control = [machineIn('Running')];
    const world = aWorld({ control, target: node ? [node] : [] });
    world.control.fault = ({ method }) => (method === 'DELETE' ? denied : undefined);
    const first = await checkHealth(world, { ...request, hasLostNode: true });
    const before = world.control.writes().length;
    await checkHealth(world, { ...request, hasLostNode: true, since: start });
    const writes = world.control.writes().length - before;
    return { first, writes, machine: await world.control.read<Machine>(path) };
  }

  test('is said on the machine once, and its health is evaluated all the same', async () => {
    const { first, writes, machine } = await lookTwice();
    const refusal = expect.stringContaining('denied by a policy');
    const faults = [refusal, 'the Node is missing'];
    expect(first).toMatchObject({ finding: { phase: 'Unknown', faults, refusal } });
    expect(machine.status?.lastOperation?.description).toContain('denied by a policy');
    // The deletion itself.
    expect(writes).toBe(1);
  });

  test('leaves a machine Running while its Node is well and held by a finalizer', async () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] };
    const { first, writes, machine } = await lookTwice(nodeWith({}, metadata));
    expect(first).toMatchObject({ finding: { phase: 'Running', refusal: expect.any(String) } });
    expect(machine.status).toMatchObject({
      currentStatus: { phase: 'Running' },
      lastOperation: { description: expect.stringContaining('denied by a policy') },
    });
    expect(writes).toBe(1);
  });
});

describe('a deletion with the Node during a stop', () => {
  const stop = { current: () => ({ uid: 's', reason: 'wrong disks', since: start }) };

  test('waits for its end, and the machine is Unknown meanwhile', async () => {
    const world = aWorld({ control: [machineIn('Running')], stop });
    const outcome = await checkHealth(world, { ...request, hasLostNode: true });
    const refusal = expect.stringContaining('wrong disks');
    expect(outcome).toMatchObject({ finding: { phase: 'Unknown', refusal } });
    const { metadata, status } = await world.control.read<Machine>(path);
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(status?.currentStatus?.phase).toBe('Unknown');
    expect(status?.lastOperation?.description).toContain('its Node was deleted');
    const free = { ...world, stop: { current: () => undefined } };
    expect(await checkHealth(free, { ...request, hasLostNode: true })).toEqual({
      found: 'deleting',
    });
  });
});

describe('after the health timeout', () => {
  const changes = { now: late, since: start };
  const deployment = aMachineDeployment();
  const set = aMachineSet({ metadata: { ownerReferences: controlledBy(deployment) } });

  const owned = (name: string, phase: MachinePhase): object => {
    const machine = machineIn(phase, { name });
    const metadata = { ...machine.metadata, ownerReferences: controlledBy(set) };
    return { ...machine, metadata };
  };

  test('a machine without an owner is Failed, with its conditions and an Event', async () => {
    const machines = [machineIn('Unknown')];
    const { outcome, status, reasons } = await look({ machines, node: nodeWith(silent), changes });
    expect(outcome).toMatchObject({ finding: { phase: 'Failed' } });
    expect(status).toMatchObject({
      currentStatus: { phase: 'Failed' },
      lastOperation: {
        description:
          'Machine pool-a health checks failing since last 10m0s. Updating machine phase to Failed. Node Conditions: Ready is Unknown (NodeStatusUnknown)',
        state: 'Failed',
        type: 'HealthCheck',
      },
    });
    expect(reasons).toEqual(['HealthTimeout']);
  });

  test.each<{ name: string; given: Given }>([
    { name: 'a moment before', given: { changes: { ...changes, now: start + 599_999 } } },
    {
      name: 'when nothing could be done meanwhile, twice',
      given: {
        changes: { ...changes, now: start + 640_000 },
        pauses: () => [
          { reason: 'stop', from: start + 10_000, until: start + 40_000 },
          { reason: 'worker', from: start + 100_000, until: start + 120_000 },
        ],
      },
    },
    { name: 'when its clock stood still', given: { changes: { ...changes, pausedMs: 2_000 } } },
    {
      name: 'when its spec gives it more time',
      given: { machines: [machineIn('Unknown', { spec: { healthTimeout: '1h' } })], changes },
    },
    {
      name: 'when its timeout is disabled',
      given: {
        machines: [machineIn('Unknown', { spec: { disableHealthTimeout: true } })],
        changes,
      },
    },
  ])('not $name', async ({ given }) => {
    const { outcome, writes } = await look({
      machines: [machineIn('Unknown')],
      node: nodeWith(silent),
      ...given,
    });
    expect(outcome).toMatchObject({ finding: { phase: 'Unknown' } });
    expect(writes).toEqual([]);
  });

  test('not while everything is stopped: nothing could replace it', async () => {
    const stop = {
      current: () => ({ uid: 's', reason: 'wrong disks', since: start }),
      last: () => ({ from: start, until: late }),
    };
    const world = aWorld({ control: [machineIn('Unknown')], stop });
    const outcome = await checkHealth(world, { ...request, since: start, now: late });
    expect(outcome).toMatchObject({
      finding: { phase: 'Unknown', hold: { reason: expect.stringContaining('wrong disks') } },
    });
  });

  test('not when most machines are Unknown at once', async () => {
    const machines = ['pool-a', 'pool-b', 'pool-c'].map((name) => machineIn('Unknown', { name }));
    const { outcome } = await look({ machines, node: nodeWith(silent), changes });
    expect(outcome).toMatchObject({
      finding: {
        phase: 'Unknown',
        hold: { isMeltdown: true, reason: expect.stringContaining('3 of 3') },
      },
    });
  });

  test('in a meltdown that is seen before, the clock stands still already then', async () => {
    const machines = ['pool-a', 'pool-b', 'pool-c'].map((name) => machineIn('Unknown', { name }));
    const early = { now: start + 60_000, since: start };
    const { outcome } = await look({ machines, node: nodeWith(silent), changes: early });
    expect(outcome).toMatchObject({ finding: { phase: 'Unknown', hold: { isMeltdown: true } } });
  });

  test('its deployment has a note before it is Failed', async () => {
    const others = [owned('pool-b', 'Running'), owned('pool-c', 'Running')];
    const machines = [deployment, set, owned('pool-a', 'Unknown'), ...others];
    const { outcome, control } = await look({ machines, node: nodeWith(silent), changes });
    expect(outcome).toMatchObject({ finding: { phase: 'Failed' } });
    const noted = await control.read<Machine>(
      customResource('machinedeployments', namespace, 'workers'),
    );
    expect(noted.metadata.annotations).toEqual({ 'millwright.dev/replacing': 'pool-a' });
  });
});

describe('an instance that its cloud does not know', () => {
  const changes = { isInstanceGone: true, since: start };
  const unknown = [machineIn('Unknown')];

  test('makes an Unknown machine Failed at once, and says why', async () => {
    const { status, reasons } = await look({ machines: unknown, node: nodeWith(silent), changes });
    expect(status).toMatchObject({
      currentStatus: { phase: 'Failed' },
      lastOperation: {
        state: 'Failed',
        description: expect.stringContaining(
          'has lost its instance. Updating machine phase to Failed. Node Conditions: the cloud has no instance local:///zone-1/i-1 any more; Ready is Unknown',
        ),
      },
    });
    expect(reasons).toContain('InstanceGone');
  });

  test('is not believed while the Node is healthy', async () => {
    const { status, reasons } = await look({ node: aNode(), changes });
    expect(status?.currentStatus?.phase).toBe('Running');
    expect(reasons).toEqual([]);
  });

  test.each(['InPlaceUpdating', 'InPlaceUpdateFailed'] as const)(
    'is updated by no agent: a machine that is %s is Failed, unless its Node is healthy',
    async (phase) => {
      const machines = [machineIn(phase)];
      const lost = await look({ machines, node: nodeWith(silent), changes });
      expect(lost.status?.currentStatus?.phase).toBe('Failed');
      expect(lost.reasons).toContain('InstanceGone');
      const kept = await look({ machines, node: aNode(), changes });
      expect(kept.status?.currentStatus?.phase).toBe(phase);
      const later = await look({ machines, node: nodeWith(silent) });
      expect(later.status?.currentStatus?.phase).toBe(phase);
    },
  );

  test('waits for its turn, and for its owner, as any other', async () => {
    const owner = aMachineSet();
    const owned = (machine: Machine): Machine => ({
      ...machine,
      metadata: { ...machine.metadata, ownerReferences: controlledBy(owner) },
    });
    const ill = [machineIn('Unknown'), machineIn('Failed', { name: 'pool-b' })];
    const machines = [owner, ...ill.map(owned)];
    const { outcome, status } = await look({ machines, node: nodeWith(silent), changes });
    expect(outcome).toMatchObject({
      finding: { phase: 'Unknown', hold: { reason: expect.stringContaining('pool-b') } },
    });
    expect(status?.lastOperation?.description).toContain('the cloud has no instance');
  });

  test('is only told of, once, with disableHealthTimeout', async () => {
    const machines = [machineIn('Unknown', { spec: { disableHealthTimeout: true } })];
    const { status, reasons, control } = await look({ machines, node: nodeWith(silent), changes });
    expect(status).toMatchObject({
      currentStatus: { phase: 'Unknown', lastUpdateTime: '2026-01-01T00:00:00Z' },
      lastOperation: { description: expect.stringContaining('the cloud has no instance') },
    });
    expect(reasons).toEqual(['InstanceGone']);
    const [machine] = (await control.list<Machine>(customResource('machines', namespace))).items;
    const again = await look({
      machines: machine ? [machine] : [],
      node: nodeWith(silent),
      changes,
    });
    expect(again.writes).toEqual([]);
  });
});
