import { preparedOf } from '../../../activities/machine/prepared.ts';
import { recordCreated, recordFailure, recordTimeout } from '../../../activities/machine/record.ts';
import { recorderOf } from '../../../kube/objects/events.ts';
import { customResource, namespaced, node as nodePath } from '../../../kube/client/paths.ts';
import type { Instance, MachineFailure } from '../../../workflows/plan/machine/facts.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import {
  aMachine,
  aMachineClass,
  aMachineSet,
  aNode,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const classPath = customResource('machineclasses', namespace, 'small');
const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'node-a', isFound: false };
const failure: MachineFailure = { code: 'ResourceExhausted', message: 'no room', isSettled: true };
const generation = 'millwright.dev/create-generation';

const report = {
  machine,
  failure,
  operation: 'Create',
  phase: 'CrashLoopBackOff',
  createGeneration: 2,
} as const;

test('an instance is recorded in two writes, ids and label, then Pending, and an Event tells of it', async () => {
  const metadata = { annotations: { [generation]: '2' } };
  const { control, ...world } = aWorld({ control: [aMachine({ metadata })] });
  await recordCreated({ ...world, control }, { machine, instance, usesTarget: true });
  const events = namespaced('events', namespace);
  expect(control.writes()).toEqual([`PATCH ${path}`, `PATCH ${path}/status`, `POST ${events}`]);
  const recorded = await control.read<Machine>(path);
  expect(recorded.metadata).not.toHaveProperty('annotations');
  expect(recorded).toMatchObject({
    metadata: { labels: { node: 'node-a' } },
    spec: { providerID: instance.providerID, class: { name: 'small' } },
    status: {
      currentStatus: { phase: 'Pending', timeoutActive: true },
      lastOperation: { state: 'Processing', type: 'Create' },
    },
  });
});

test('what its user data were made of is noted in the write of the ids', async () => {
  const { control, ...world } = aWorld({ control: [aMachine()] });
  const userDataOrigin = 'ubuntu-24.04@1.0.0 sha256:0123456789abcdef';
  const made = { ...instance, userDataOrigin };
  await recordCreated({ ...world, control }, { machine, instance: made, usesTarget: true });
  const events = namespaced('events', namespace);
  expect(control.writes()).toEqual([`PATCH ${path}`, `PATCH ${path}/status`, `POST ${events}`]);
  expect((await control.read<Machine>(path)).metadata.annotations).toEqual({
    'millwright.dev/user-data': userDataOrigin,
  });
});

describe('a Node that has the name of the Machine', () => {
  const [before, after] = ['2025-12-31T00:00:00Z', '2026-01-01T00:01:00Z'];
  const vanished = 'local:///zone-1/i-0';
  const status = { conditions: [{ type: 'Ready', status: 'Unknown' as const }] };
  test.each([
    { what: 'goes, of an instance before', providerID: vanished, since: after, stays: false },
    { what: 'stays, of this instance', providerID: instance.providerID, since: after, stays: true },
    { what: 'stays, older than the Machine', providerID: vanished, since: before, stays: true },
  ])('$what', async ({ providerID, since, stays }) => {
    const metadata = { name: 'pool-a', creationTimestamp: since };
    const target = [aNode({ metadata, spec: { providerID }, status })];
    const world = aWorld({ control: [aMachine()], target });
    const made = { ...instance, nodeName: 'pool-a' };
    await recordCreated(world, { machine, instance: made, usesTarget: true, clearsName: true });
    expect(world.target.has(nodePath('pool-a'))).toBe(stays);
  });

  test('that may not be deleted keeps no ids from the Machine', async () => {
    const metadata = { name: 'pool-a', creationTimestamp: after };
    const target = [aNode({ metadata, spec: { providerID: vanished }, status })];
    const world = aWorld({ control: [aMachine()], target });
    world.target.fault = ({ method }) =>
      method === 'DELETE' ? { code: 403, reason: 'Forbidden' } : undefined;
    await recordCreated(world, { machine, instance, usesTarget: true, clearsName: true });
    expect((await world.control.read<Machine>(path)).spec.providerID).toBe(instance.providerID);
  });
});

test.each([
  { kind: 'credentials', notes: 1 },
  { kind: 'quota', notes: 0 },
  { kind: undefined, notes: 0 },
] as const)('a failure of kind $kind is reported on the class $notes times', async (row) => {
  const { kind, notes } = row;
  const { control, ...world } = aWorld({ control: [aMachine(), aMachineClass()] });
  const refused = { code: 'PermissionDenied', message: 'no', isSettled: true } as const;
  const input = { ...report, failure: { ...refused, ...(kind && { kind }) } };
  await recordFailure({ ...world, control }, input);
  const patches = control.calls.filter((call) => call.startsWith(`PATCH ${classPath}`));
  expect(patches).toHaveLength(notes);
});

test('without a target cluster there is no Node label, and the machine is Available', async () => {
  const { control, ...world } = aWorld({ control: [aMachine()] });
  const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
  const input = { machine, instance: { ...instance, addresses }, usesTarget: false };
  await recordCreated({ ...world, control }, input);
  const stored = await control.read<Machine>(path);
  expect(stored.metadata.labels).toBeUndefined();
  expect(stored.status).toMatchObject({
    addresses: [{ type: 'Hostname', address: instance.nodeName }, ...addresses],
    currentStatus: { phase: 'Available' },
  });
});

test.each([true, false])(
  'what the cloud reports is kept of a machine with a Node, where it is asked for: %s',
  async (keepsAddresses) => {
    const { control, ...world } = aWorld({ control: [aMachine()], keepsAddresses });
    const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
    const input = { machine, instance: { ...instance, addresses }, usesTarget: true };
    await recordCreated({ ...world, control }, input);
    const { status } = await control.read<Machine>(path);
    const kept = [{ type: 'Hostname', address: instance.nodeName }, ...addresses];
    expect(status?.addresses).toEqual(keepsAddresses ? kept : undefined);
    expect(status?.currentStatus?.phase).toBe('Pending');
  },
);

test.each(['Running', 'Terminating'] as const)(
  'a creation that is recorded once more after a crash does not take a %s machine back',
  async (phase) => {
    const { control, ...world } = aWorld({ control: [aMachine({ phase })] });
    await recordCreated({ ...world, control }, { machine, instance, usesTarget: true });
    const { spec, status } = await control.read<Machine>(path);
    expect(spec.providerID).toBe(instance.providerID);
    expect(status?.currentStatus?.phase).toBe(phase);
  },
);

test.each([
  { controller: 'a MachineSet', owners: controlledBy(aMachineSet()), phase: 'Failed' },
  { controller: 'nothing', owners: [], phase: 'Pending' },
])(
  'a creation that ends after its timeout leaves a Failed machine that $controller controls $phase',
  async ({ owners, phase }) => {
    const failed = aMachine({ phase: 'Failed', metadata: { ownerReferences: owners } });
    const { control, ...world } = aWorld({ control: [failed] });
    await recordCreated({ ...world, control }, { machine, instance, usesTarget: true });
    const { spec, status } = await control.read<Machine>(path);
    expect(spec.providerID).toBe(instance.providerID);
    expect(status?.currentStatus?.phase).toBe(phase);
  },
);

describe('ids that the API server does not take', () => {
  const refusal = { code: 422, reason: 'Invalid' };

  async function refused(isStatusRefused: boolean) {
    const { control, ...world } = aWorld({ control: [aMachine()] });
    control.fault = (call) => {
      const isRefused = call.path === path || isStatusRefused;
      return call.method === 'PATCH' && isRefused ? refusal : undefined;
    };
    const input = { machine, instance, usesTarget: true };
    const attempt = recordCreated({ ...world, control }, input);
    await expect(attempt).rejects.toMatchObject({ nonRetryable: true, type: 'Refused' });
    return control;
  }

  test('are said on the Machine, and end the step: a deletion is not to wait for it', async () => {
    const control = await refused(false);
    const { status, spec } = await control.read<Machine>(path);
    expect(spec.providerID).toBeUndefined();
    expect(status?.lastOperation).toMatchObject({
      description: expect.stringMatching(
        `^Instance ${instance.providerID} was created, and .* its ids: PATCH ${path}: 422 Invalid`,
      ),
      state: 'Failed',
      type: 'Create',
    });
    expect(status?.conditions).toMatchObject([{ type: 'Reconciling', reason: 'CreationRetried' }]);
    const { items } = await control.list<object>(namespaced('events', namespace));
    expect(items).toMatchObject([{ reason: 'FailedUpdate', type: 'Warning' }]);
  });

  test('end the step also where nothing can be said', async () => {
    const control = await refused(true);
    expect((await control.read<Machine>(path)).status).toBeUndefined();
  });
});

test('another life of the name is left alone', async () => {
  const { control, ...world } = aWorld({ control: [aMachine({ metadata: { uid: 'uid-2' } })] });
  await recordCreated({ ...world, control }, { machine, instance, usesTarget: true });
  expect((await control.read<Machine>(path)).spec.providerID).toBeUndefined();
});

test('a failure of another life is written nowhere, and has no Event', async () => {
  const { control, ...world } = aWorld({ control: [aMachine({ metadata: { uid: 'uid-2' } })] });
  await recordFailure({ ...world, control }, report);
  expect(control.calls).toEqual([`GET ${path}`]);
});

test('a failure stands in the status with its code, in an Event, and in the generation', async () => {
  const { control, ...world } = aWorld({ control: [aMachine()] });
  await recordFailure({ ...world, control }, report);
  expect(await control.read<Machine>(path)).toMatchObject({
    metadata: { annotations: { [generation]: '2' } },
    status: {
      currentStatus: { phase: 'CrashLoopBackOff' },
      lastOperation: {
        description:
          'Cloud provider message - machine codes error: code = [ResourceExhausted] message = [no room]',
        errorCode: 'ResourceExhausted',
        state: 'Failed',
        type: 'Create',
      },
    },
  });
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([{ reason: 'FailedCreate', count: 1, type: 'Warning' }]);
});

test('a failure is said also where the API server does not take the generation', async () => {
  const { control, ...world } = aWorld({ control: [aMachine()] });
  control.fault = (call) =>
    call.method === 'PATCH' && call.path === path ? { code: 403, reason: 'Forbidden' } : undefined;
  await recordFailure({ ...world, control }, report);
  const { metadata, status } = await control.read<Machine>(path);
  expect(metadata).not.toHaveProperty('annotations');
  expect(status?.lastOperation).toMatchObject({ errorCode: 'ResourceExhausted' });
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([{ reason: 'FailedCreate' }]);
});

test('the same failure again writes nothing on the object, and is counted', async () => {
  const { control, ...world } = aWorld({ control: [aMachine()] });
  await recordFailure({ ...world, control }, report);
  const { resourceVersion } = (await control.read<Machine>(path)).metadata;
  await recordFailure({ ...world, control }, report);
  expect((await control.read<Machine>(path)).metadata.resourceVersion).toBe(resourceVersion);
  await recorderOf(control).idle();
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([{ count: 2 }]);
});

describe('the second look before a creation timeout', () => {
  const pending = aMachine({
    phase: 'Pending',
    spec: { ...aMachine().spec, providerID: instance.providerID },
  });
  const { createdAt } = preparedOf(pending, aWorld());
  const late = createdAt + 1200_000;
  const known = { providerID: instance.providerID, nodeName: 'pool-a' };

  async function look(
    given: {
      machine?: Machine;
      others?: Machine[];
      node?: object;
      now?: number;
      instance?: Instance;
    } = {},
  ) {
    const { control, ...world } = aWorld({
      control: [given.machine ?? pending, ...(given.others ?? [])],
      target: given.node ? [given.node] : [],
    });
    const { now = late } = given;
    const input = { machine, now, ...(given.instance && { instance: given.instance }) };
    const outcome = await recordTimeout({ ...world, control }, input);
    const { phase } = (await control.read<Machine>(path)).status?.currentStatus ?? {};
    const { items: events } = await control.list<object>(namespaced('events', namespace));
    return { outcome, phase, events, writes: control.writes(), target: world.target };
  }

  test('without a Node the machine is Failed, with an Event', async () => {
    const { outcome, phase, events } = await look({ instance: known });
    expect(outcome).toEqual({ found: 'tooLate' });
    expect(phase).toBe('Failed');
    expect(events).toMatchObject([
      { reason: 'CreationTimeout', message: expect.stringContaining('20m') },
    ]);
  });

  test('a millisecond earlier it has more time', async () => {
    const { outcome, writes } = await look({ now: late - 1 });
    expect(outcome).toMatchObject({ found: 'moreTime', machine: { uid: machine.uid } });
    expect(writes).toEqual([]);
  });

  test('a Node that joined without a signal is handed on at the creation timeout', async () => {
    const { outcome, writes } = await look({ node: aNode(), instance: known });
    const { uid } = aNode().metadata;
    const { providerID, nodeName: name } = known;
    const node = { name, uid, providerID, isReady: true, isDeleting: false };
    expect(outcome).toMatchObject({ found: 'node', node });
    expect(outcome).toHaveProperty('node.resourceVersion', expect.stringMatching(/^\d+$/));
    expect(writes).toEqual([]);
  });

  test.each<{ name: string; node: object }>([
    { name: 'is not Ready', node: aNode({ status: { conditions: [] } }) },
    {
      name: 'is of another instance',
      node: aNode({ spec: { providerID: 'local:///zone-1/i-2' } }),
    },
    { name: 'is going', node: aNode({ metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } }) },
  ])('a Node that $name saves nothing', async ({ node }) => {
    // With a finalizer, as Nodes that are going have one.
    expect((await look({ node, instance: known })).outcome).toEqual({ found: 'tooLate' });
  });

  test('a Node that is labelled as that of a rival which names it saves nothing', async () => {
    const node = aNode({ metadata: { labels: { 'node.gardener.cloud/machine-name': 'pool-b' } } });
    const rival = aMachine({ metadata: { name: 'pool-b', labels: { node: 'pool-a' } } });
    expect((await look({ node, others: [rival], instance: known })).outcome).toEqual({
      found: 'tooLate',
    });
    const stranger = aMachine({ metadata: { name: 'pool-b', labels: { node: 'pool-c' } } });
    expect((await look({ node, others: [stranger], instance: known })).outcome).toMatchObject({
      found: 'node',
    });
  });

  test('a machine that was given more time keeps its phase, and its new limits are returned', async () => {
    const spec = { ...pending.spec, creationTimeout: '1h' };
    const { outcome, phase } = await look({ machine: { ...pending, spec } });
    const limits = { creationTimeoutSeconds: 3600 };
    expect(outcome).toMatchObject({ found: 'moreTime', machine: { limits } });
    expect(phase).toBe('Pending');
  });

  test('another life of the name is left alone', async () => {
    const { outcome, writes } = await look({ machine: aMachine({ metadata: { uid: 'uid-2' } }) });
    expect(outcome).toEqual({ found: 'nothing' });
    expect(writes).toEqual([]);
  });

  test.each([
    { code: 0, reason: 'Unreachable' },
    { code: 403, reason: 'Forbidden' },
    { code: 500, reason: 'InternalError' },
  ])('an API server that lets no Node be read fails no machine: $reason', async (fault) => {
    const { control, ...world } = aWorld({ control: [pending] });
    world.target.fault = () => fault;
    const input = { machine, instance: known, now: late };
    expect(await recordTimeout({ ...world, control }, input)).toMatchObject({
      found: 'outOfReach',
      reason: expect.stringContaining(fault.reason),
    });
    expect(control.writes()).toEqual([]);
    world.target.fault = () => undefined;
    const isAfterOutage = true;
    expect(await recordTimeout({ ...world, control }, { ...input, isAfterOutage })).toMatchObject({
      found: 'moreTime',
    });
    expect(control.writes()).toEqual([]);
  });
});

test.each([
  {
    during: 'initialization',
    description:
      'Initializing the instance failed - machine codes error: code = [Internal] message = [no]',
  },
  {
    during: 'nodeLookup',
    description:
      'The new instance is deleted, as another Node has its name - machine codes error: code = [Internal] message = [no]',
  },
] as const)('a failed $during says so in a sentence', async ({ during, description }) => {
  const world = aWorld({ control: [aMachine()] });
  const failed = { code: 'Internal', message: 'no', isSettled: false, during } as const;
  await recordFailure(world, { ...report, failure: failed });
  expect((await world.control.read<Machine>(path)).status?.lastOperation?.description).toBe(
    description,
  );
});

const messageIn = async (world: ReturnType<typeof aWorld>) =>
  (await world.control.read<Machine>(path)).status?.failureMessage;

describe('the failureMessage, by which a cluster autoscaler tries another pool', () => {
  test('stands while resources are exhausted, and goes with another failure', async () => {
    const world = aWorld({ control: [aMachine()] });
    await recordFailure(world, report);
    expect(await messageIn(world)).toMatch(/ResourceExhausted.* message = \[no room\]/);
    const refused = { code: 'Unavailable', message: 'no answer', isSettled: true } as const;
    await recordFailure(world, { ...report, failure: refused });
    expect(await messageIn(world)).toBeUndefined();
  });

  test('goes when the instance is there', async () => {
    const world = aWorld({ control: [aMachine()] });
    await recordFailure(world, report);
    await recordCreated(world, { machine, instance, usesTarget: true });
    expect(await messageIn(world)).toBeUndefined();
  });

  test('says nothing of a deletion', async () => {
    const world = aWorld({
      control: [aMachine({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })],
    });
    await recordFailure(world, { ...report, operation: 'Delete', phase: 'Terminating' });
    expect(await messageIn(world)).toBeUndefined();
  });
});
