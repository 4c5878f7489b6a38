import { observeMachineSet } from '../../../activities/machine-set/observe.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  controlledBy,
  namespace,
} from '../../support/builders.ts';
import { graceMilliseconds } from '../../../workflows/plan/machine-set/deletions.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { placeOf } from '../../support/world.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const input = { set: { namespace, name: 'pool' }, now };
const path = customResource('machinesets', namespace, 'pool');
const ownerReferences = controlledBy(aMachineSet());
const labels = { pool: 'a' };

const ours = (name: string, phase: 'Running' | 'Failed' | 'Pending') =>
  aMachine({ phase, metadata: { name, labels, ownerReferences } });

test('a set counts its machines and reports them', async () => {
  const machines = [ours('pool-a', 'Running'), ours('pool-b', 'Pending')];
  const control = new InMemoryClient(aMachineSet(), ...machines);
  expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
    found: true,
    uid: 'uid-of-pool',
    observation: { total: 2, present: 2, desired: { generation: 1, replicas: 3, faults: [] } },
  });
  expect((await control.read<MachineSet>(path)).status).toMatchObject({
    replicas: 2,
    readyReplicas: 1,
    availableReplicas: 1,
    fullyLabeledReplicas: 2,
    observedGeneration: 1,
  });
});

test('kstatus is told in the same write, and an API server that leaves that out gets no second one', async () => {
  const control = new InMemoryClient(aMachineSet(), ours('pool-a', 'Running'));
  await observeMachineSet(placeOf(control), input);
  const { status, ...set } = await control.read<MachineSet>(path);
  expect(status?.conditions).toMatchObject([
    { type: 'Reconciling', status: 'True', reason: 'MachinesUnavailable' },
  ]);
  const { conditions: _pruned, ...ofMcm } = status ?? {};
  control.put({ ...set, status: ofMcm });
  const writes = control.writes().length;
  await observeMachineSet(placeOf(control), input);
  expect(control.writes()).toHaveLength(writes);
});

test('a set that is as wanted has no such condition any more', async () => {
  const control = new InMemoryClient(
    aMachineSet({ spec: { ...aMachineSet().spec, replicas: 1 } }),
    ours('pool-a', 'Pending'),
  );
  await observeMachineSet(placeOf(control), input);
  control.put(ours('pool-a', 'Running'));
  await observeMachineSet(placeOf(control), input);
  expect((await control.read<MachineSet>(path)).status).not.toHaveProperty('conditions');
});

test('a spec that one batch brings about is reported after that batch', async () => {
  const control = new InMemoryClient(
    aMachineSet(),
    ours('pool-a', 'Running'),
    ours('pool-b', 'Pending'),
  );
  const world = placeOf(control);
  const look = await observeMachineSet(world, { ...input, batchSize: 1 });
  expect(look).toMatchObject({ found: true, isUnreported: true });
  expect((await control.read<MachineSet>(path)).status).toBeUndefined();
  control.put(ours('pool-c', 'Pending'));
  expect(await observeMachineSet(world, { ...input, batchSize: 2 })).not.toHaveProperty(
    'isUnreported',
  );
  const { status } = await control.read<MachineSet>(path);
  expect(status).toMatchObject({ replicas: 3, observedGeneration: 1 });
});

test('a machine without an owner that the set selects is adopted, one of another set is not', async () => {
  const other = controlledBy(aMachineSet({ metadata: { name: 'other' } }));
  const control = new InMemoryClient(
    aMachineSet(),
    aMachine({ metadata: { name: 'orphan', labels } }),
    aMachine({ metadata: { name: 'foreign', labels, ownerReferences: other } }),
    aMachine({ metadata: { name: 'unlike', labels: { pool: 'b' } } }),
  );
  expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
    observation: { total: 1 },
  });
  const machine = await control.read<Machine>(customResource('machines', namespace, 'orphan'));
  expect(machine.metadata.ownerReferences).toEqual(ownerReferences);
});

test('a set without a selector adopts nothing and says what is wrong', async () => {
  const set = aMachineSet();
  delete set.spec.selector;
  const control = new InMemoryClient(set, aMachine({ metadata: { labels } }));
  expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
    observation: { total: 0 },
  });
  expect((await control.read<MachineSet>(path)).status?.machineSetCondition).toMatchObject([
    { type: 'ReplicaFailure', status: 'True', reason: 'InvalidSpec' },
  ]);
});

test('the error of the last batch is a condition, and goes when it is over', async () => {
  const control = new InMemoryClient(aMachineSet());
  await observeMachineSet(placeOf(control), { ...input, error: 'exceeded quota' });
  expect((await control.read<MachineSet>(path)).status?.machineSetCondition).toMatchObject([
    { type: 'ReplicaFailure', reason: 'FailedCreate', message: 'exceeded quota' },
  ]);
  await observeMachineSet(placeOf(control), input);
  expect((await control.read<MachineSet>(path)).status?.machineSetCondition).toBeUndefined();
});

test('a set that is being deleted lacks no machine, so an earlier refusal is no condition of it', async () => {
  const deletionTimestamp = '2026-01-01T00:59:00Z';
  const machineSetCondition = [
    { type: 'ReplicaFailure', status: 'True' as const, reason: 'FailedCreate', message: 'quota' },
  ];
  const metadata = { deletionTimestamp, finalizers: [finalizers.machine] };
  const set = aMachineSet({ metadata, status: { machineSetCondition } });
  const control = new InMemoryClient(set, ours('pool-a', 'Running'));
  await observeMachineSet(placeOf(control), { ...input, error: 'exceeded quota' });
  expect((await control.read<MachineSet>(path)).status?.machineSetCondition).toBeUndefined();
});

test.each([
  { setLabels: { freeze: 'True' }, frozenBy: 'freeze=True' },
  { setLabels: { freeze: 'true' }, frozenBy: undefined },
  {
    setLabels: { 'node.machine.sapcloud.io/scale-up-disabled': '' },
    frozenBy: 'node.machine.sapcloud.io/scale-up-disabled',
  },
])('a set with the labels $setLabels is frozen by $frozenBy', async ({ setLabels, frozenBy }) => {
  const control = new InMemoryClient(aMachineSet({ metadata: { labels: setLabels } }));
  const outcome = await observeMachineSet(placeOf(control), input);
  expect(outcome.found && outcome.observation.desired.frozenBy).toBe(frozenBy);
});

test('machines outside the selector are let go, and an Event says so', async () => {
  const stray = aMachine({ metadata: { name: 'stray', labels: { pool: 'b' }, ownerReferences } });
  const control = new InMemoryClient(aMachineSet(), ours('pool-a', 'Running'), stray);
  const outcome = await observeMachineSet(placeOf(control), { ...input, unmatched: ['stray'] });
  expect(outcome).toMatchObject({ observation: { total: 1 } });
  const { items } = await control.list<object>(namespaced('events', namespace));
  expect(items).toMatchObject([
    { reason: 'ReleasedMachine', message: expect.stringContaining('stray') },
  ]);
});

test('marks, replacements and preservation are read from the annotations', async () => {
  const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();
  const set = aMachineSet({
    metadata: {
      ownerReferences: controlledBy(aMachineDeployment()),
      annotations: {
        'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time': at(-1),
        'millwright.dev/replacements': 'pool-c, pool-x',
      },
    },
    spec: { replicas: 4 },
  });
  const marked = ours('pool-a', 'Running');
  marked.metadata.annotations = {
    'machinepriority.machine.sapcloud.io': '1',
    'machine.sapcloud.io/marked-for-deletion-time': at(-1),
  };
  const preserved = ours('pool-b', 'Failed');
  preserved.status = { currentStatus: { phase: 'Failed', preserveExpiryTime: at(9) } };
  const machines = [marked, preserved, ours('pool-c', 'Failed'), ours('pool-d', 'Failed')];
  const control = new InMemoryClient(set, ...machines);
  expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
    observation: {
      failed: { total: 3, preserved: 1, held: 1 },
      toDelete: { names: ['pool-a', 'pool-c'] },
      holdsUntil: now + 9 * 60_000 + graceMilliseconds,
    },
  });
  expect((await control.read<MachineSet>(path)).status).toMatchObject({
    preservedFailedReplicas: 1,
  });
});

test('a set that has lost its deployment replaces Failed machines again', async () => {
  const set = aMachineSet({
    metadata: { annotations: { 'millwright.dev/replacements': '' } },
    spec: { replicas: 1 },
  });
  const control = new InMemoryClient(set, ours('pool-a', 'Failed'));
  expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
    observation: { failed: { total: 1, held: 0 }, toDelete: { names: ['pool-a'] } },
  });
});

const failing = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const machine = ours(`pool-${String(index).padStart(4, '0')}`, 'Pending');
    const description = `no room ${'x'.repeat(2_000)}`;
    const lastOperation = { description, state: 'Failed', type: 'Create' } as const;
    return {
      ...machine,
      status: { currentStatus: { phase: 'CrashLoopBackOff' }, lastOperation },
    };
  });

describe('a status', () => {
  test('names a hundred failing machines, says how many there are, and fits', async () => {
    const control = new InMemoryClient(
      aMachineSet({ spec: { replicas: 1_500 } }),
      ...failing(1_500).toReversed(),
    );
    await observeMachineSet(placeOf(control), input);
    const { status } = await control.read<MachineSet>(path);
    expect(status?.failedMachines).toHaveLength(100);
    expect(status?.failedMachines?.[0]?.name).toBe('pool-0000');
    expect(status?.machineSetCondition).toMatchObject([
      {
        type: 'ManyFailedMachines',
        status: 'True',
        message: '1500 machines failed; failedMachines names the first 100',
      },
    ]);
    expect(JSON.stringify(status).length).toBeLessThan(256 * 1024);
  });

  test('names a machine whose drain a budget blocks, in the words of the drain', async () => {
    const draining = ours('pool-a', 'Running');
    draining.metadata.deletionTimestamp = new Date(now).toISOString();
    const description =
      'Drain failed due to - 1 pod left. Will retry in next sync. Initiate node drain';
    const lastOperation = { description, state: 'Failed', type: 'Delete' } as const;
    draining.status = { currentStatus: { phase: 'Terminating' }, lastOperation };
    const control = new InMemoryClient(aMachineSet({ spec: { replicas: 1 } }), draining);
    await observeMachineSet(placeOf(control), input);
    expect((await control.read<MachineSet>(path)).status?.failedMachines).toMatchObject([
      { name: 'pool-a', lastOperation },
    ]);
  });

  test('loses the condition when the list names all again', async () => {
    const control = new InMemoryClient(
      aMachineSet({
        spec: { replicas: 2 },
        status: { machineSetCondition: [{ type: 'ManyFailedMachines', status: 'True' }] },
      }),
      ...failing(2),
    );
    await observeMachineSet(placeOf(control), input);
    const { status } = await control.read<MachineSet>(path);
    expect(status?.failedMachines).toHaveLength(2);
    expect(status).not.toHaveProperty('machineSetCondition');
  });

  test.each([
    { code: 500, reason: 'InternalError', message: 'etcdserver: request is too large' },
    { code: 413, reason: 'RequestEntityTooLarge' },
    { code: 403, reason: 'Forbidden' },
  ])(
    'a status that is refused with $code does not keep the set from acting, and is tried again',
    async (verdict) => {
      const control = new InMemoryClient(
        aMachineSet({ spec: { replicas: 0 } }),
        ours('pool-a', 'Running'),
      );
      control.fault = ({ path: at }) => (at.endsWith('/status') ? verdict : undefined);
      expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
        found: true,
        observation: { toDelete: { names: ['pool-a'] }, holdsUntil: now + 30_000 },
      });
      expect((await control.read<MachineSet>(path)).status).toBeUndefined();
    },
  );
});

describe('machines that the API server does not let us write', () => {
  const passOver = ['pool-a'];
  const refusal = { reason: 'FailedDelete' as const, message: 'kept for forensics' };

  test('are passed over, no other goes in their place, and the condition says why', async () => {
    const control = new InMemoryClient(
      aMachineSet({ spec: { replicas: 1 } }),
      ours('pool-a', 'Failed'),
      ours('pool-b', 'Running'),
      ours('pool-c', 'Running'),
    );
    const first = await observeMachineSet(placeOf(control), input);
    expect(first).toMatchObject({ observation: { toDelete: { names: ['pool-a', 'pool-b'] } } });
    const second = await observeMachineSet(placeOf(control), { ...input, passOver, refusal });
    expect(second).toMatchObject({ observation: { present: 3, toDelete: { names: ['pool-b'] } } });
    const { status } = await control.read<MachineSet>(path);
    expect(status?.machineSetCondition).toMatchObject([
      { type: 'ReplicaFailure', status: 'True', ...refusal },
    ]);
  });

  test('are not adopted, and the set is counted and reported without them', async () => {
    const control = new InMemoryClient(
      aMachineSet(),
      ours('pool-a', 'Running'),
      aMachine({ metadata: { name: 'pool-b', labels } }),
    );
    control.fault = ({ method, path: at }) =>
      method === 'PATCH' && at.endsWith('/machines/pool-b')
        ? { code: 403, reason: 'Forbidden', message: 'kept for forensics' }
        : undefined;
    const outcome = await observeMachineSet(placeOf(control), input);
    expect(outcome).toMatchObject({
      observation: { present: 1 },
      refused: { names: ['pool-b'], reason: 'FailedUpdate' },
    });
    const { status } = await control.read<MachineSet>(path);
    expect(status).toMatchObject({
      replicas: 1,
      observedGeneration: 1,
      machineSetCondition: [{ type: 'ReplicaFailure', reason: 'FailedUpdate' }],
    });
  });
});

test('Failed machines are preserved first, as many as the set may, and a word of their Node counts', async () => {
  const noted = ours('pool-b', 'Failed');
  noted.metadata.annotations = {
    'node.machine.sapcloud.io/last-applied-node-preserve-value': 'auto-preserved',
  };
  const refused = ours('pool-c', 'Failed');
  refused.metadata.annotations = { 'node.machine.sapcloud.io/preserve': 'false' };
  const over = ours('pool-d', 'Failed');
  over.metadata.annotations = { 'millwright.dev/preservation-expired': '2026-01-01T00:00:00Z' };
  const set = aMachineSet({ spec: { replicas: 4, autoPreserveFailedMachineMax: 2 } });
  const control = new InMemoryClient(set, ours('pool-a', 'Failed'), noted, refused, over);
  expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
    observation: {
      autoPreservation: { preserve: ['pool-a'], unpreserve: [] },
      failed: { total: 4, preserved: 1 },
    },
  });
});

test('conditions of others stay', async () => {
  const frozen = { type: 'Frozen', status: 'True' as const, reason: 'OverShootingReplicaCount' };
  const control = new InMemoryClient(aMachineSet({ status: { machineSetCondition: [frozen] } }));
  await observeMachineSet(placeOf(control), { ...input, error: 'exceeded quota' });
  await observeMachineSet(placeOf(control), input);
  expect((await control.read<MachineSet>(path)).status?.machineSetCondition).toEqual([frozen]);
});

test('a status is not written over a set that changed since it was read', async () => {
  const control = new InMemoryClient(aMachineSet());
  control.fault = ({ path: called, method }) => {
    if (method === 'PATCH' && called.endsWith('/status')) control.put(aMachineSet());
    return undefined;
  };
  await expect(observeMachineSet(placeOf(control), input)).rejects.toThrow('Conflict');
});

test('a template that the selector does not match is a fault: each machine would be let go', async () => {
  const selector = { matchExpressions: [{ key: 'pool', operator: 'NotIn', values: ['a'] }] };
  const control = new InMemoryClient(aMachineSet({ spec: { selector } }));
  expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
    observation: { desired: { faults: [expect.stringContaining('spec.selector')] } },
  });
});

test('a delete policy that there is not is a fault: which machine goes is not guessed', async () => {
  const annotations = { 'millwright.dev/delete-policy': 'newest' };
  const control = new InMemoryClient(aMachineSet({ metadata: { annotations } }));
  expect(await observeMachineSet(placeOf(control), input)).toMatchObject({
    observation: {
      desired: {
        faults: [
          'annotation millwright.dev/delete-policy: Invalid value: "newest": must be Random, Newest or Oldest',
        ],
      },
    },
  });
});

test('a set that does not exist is not found', async () => {
  expect(await observeMachineSet(placeOf(new InMemoryClient()), input)).toEqual({ found: false });
});

const joined = (name: string, phase: 'Running' | 'Pending' = 'Running') =>
  aMachine({ phase, metadata: { name, labels: { ...labels, node: name }, ownerReferences } });

const machinesIn = async (control: InMemoryClient) =>
  (await control.list<Machine>(customResource('machines', namespace))).items;

describe('machines of MCM in a pool of the cluster autoscaler of the Kubernetes project', () => {
  const pool = {
    'machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size': '5',
  };

  test('get the name of their Node, once', async () => {
    const set = aMachineSet({ metadata: { annotations: pool } });
    const control = new InMemoryClient(
      set,
      joined('pool-a'),
      joined('pool-b'),
      joined('pool-c', 'Pending'),
    );
    await observeMachineSet(placeOf(control), input);
    expect((await machinesIn(control)).map(({ status }) => status?.nodeRef)).toEqual([
      { kind: 'Node', name: 'pool-a' },
      { kind: 'Node', name: 'pool-b' },
      undefined,
    ]);
    const writes = control.writes().length;
    await observeMachineSet(placeOf(control), input);
    expect(control.writes()).toHaveLength(writes);
  });

  test('are left as they are in a set that is no pool', async () => {
    const control = new InMemoryClient(aMachineSet(), joined('pool-a'));
    await observeMachineSet(placeOf(control), input);
    expect((await machinesIn(control)).map(({ status }) => status?.nodeRef)).toEqual([undefined]);
  });

  test('cost one write where the CRD does not know the field', async () => {
    const set = aMachineSet({ metadata: { annotations: pool } });
    const control = new InMemoryClient(set, joined('pool-a'), joined('pool-b'));
    const patch = control.patch.bind(control);
    const statusWrites: string[] = [];
    control.patch = async (url, type, body) => {
      if (!url.includes('/machines/')) return await patch(url, type, body);
      statusWrites.push(url);
      return await control.get(url.replace('/status', ''));
    };
    const world = placeOf(control);
    // Each attempt has a client of its own, see current-attempt.ts.
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const own: typeof control = Object.create(control);
      await observeMachineSet({ ...world, control: own }, input);
    }
    expect(statusWrites).toHaveLength(1);
  });
});

describe('machines that fail before they join', () => {
  const stillborn = (name: string) => {
    const lastOperation = {
      description: 'failed to join',
      state: 'Failed',
      type: 'Create',
    } as const;
    const currentStatus = { phase: 'Failed', lastUpdateTime: '2026-01-01T00:59:50Z' } as const;
    return { ...ours(name, 'Failed'), status: { currentStatus, lastOperation } };
  };
  const churn = { rounds: 2, since: now - 60_000, at: now - 30_000, waitMs: 20_000 };
  const three = [stillborn('pool-a'), stillborn('pool-b'), ours('pool-c', 'Running')];
  const toDelete = { names: [] };
  const late = { names: ['pool-a'] };

  test.each([
    {
      name: 'are replaced at once at first',
      given: {},
      expected: { toDelete: { names: ['pool-a', 'pool-b'] }, unjoined: ['pool-a', 'pool-b'] },
    },
    {
      name: 'wait when their predecessors failed alike',
      given: { churn },
      expected: { toDelete, failed: { held: 2 }, holdsUntil: now + 10_000 },
    },
    {
      name: 'are replaced one at a time',
      given: { churn: { ...churn, waitMs: 10_000 } },
      expected: { toDelete: late, unjoined: late.names, failed: { held: 1 } },
    },
    {
      name: 'wait no longer once a newer one has joined',
      given: { churn: { ...churn, since: 0 } },
      expected: { isChurnOver: true, toDelete: { names: ['pool-a', 'pool-b'] } },
    },
  ])('$name', async ({ given, expected }) => {
    const control = new InMemoryClient(aMachineSet(), ...three);
    const outcome = await observeMachineSet(placeOf(control), { ...input, ...given });
    expect(outcome).toMatchObject({ observation: expected });
  });

  test('again and again are a condition and an Event, as long as that lasts', async () => {
    const control = new InMemoryClient(aMachineSet(), ...three);
    await observeMachineSet(placeOf(control), { ...input, churn });
    const { status } = await control.read<MachineSet>(path);
    const reason = 'MachinesNeverJoin';
    expect(status?.machineSetCondition).toMatchObject([{ type: 'ReplicaFailure', reason }]);
    expect(status?.conditions).toMatchObject([{ type: 'Reconciling', reason }]);
    const { items } = await control.list<object>(namespaced('events', namespace));
    expect(items).toMatchObject([{ reason, type: 'Warning' }]);
    for (const name of ['pool-a', 'pool-b']) control.put(ours(name, 'Running'));
    await observeMachineSet(placeOf(control), { ...input, churn });
    expect((await control.read<MachineSet>(path)).status).not.toHaveProperty('machineSetCondition');
  });
});
