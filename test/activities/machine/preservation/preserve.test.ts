import { KubeError } from '../../../../kube/client/errors.ts';
import { customResource, namespaced, node as nodePath } from '../../../../kube/client/paths.ts';
import type { Node } from '../../../../kube/objects/nodes.ts';
import { preserveMachine } from '../../../../activities/machine/preservation/preserve.ts';
import type { PreserveRequest } from '../../../../workflows/contracts/preservation-activities.ts';
import { annotations } from '../../../../workflows/api/constants.ts';
import type { Machine } from '../../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../../workflows/api/phases.ts';
import { aMachine, aNode, namespace } from '../../../support/builders.ts';
import { aWorld, lifeOf } from '../../../support/world.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const soon = '2026-01-01T00:10:00Z';
const preserveKey = 'node.machine.sapcloud.io/preserve';
const lastAppliedKey = 'node.machine.sapcloud.io/last-applied-node-preserve-value';
const overKey = 'millwright.dev/preservation-expired';
const disabled = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
const byUs = `${disabled}-by-mcm`;
const taint = { key: 'node.machine.sapcloud.io/preserved', effect: 'NoSchedule' };
const protection = { [disabled]: 'true', [byUs]: 'true' };
const preservedCondition = {
  type: 'Preserved',
  status: 'True',
  reason: 'Preserved by user.',
  message: `Machine preserved until ${soon}.`,
} as const;

interface Given {
  phase?: MachinePhase;
  /** Annotations. */
  machine?: Record<string, string>;
  node?: Record<string, string>;
  expiry?: string;
  isTainted?: boolean;
  isReported?: boolean;
  /** What its condition says. Default: that it is preserved. */
  message?: string;
  hasNode?: boolean;
}

function machineOf({ phase = 'Running', machine = {}, expiry }: Given): Machine {
  return {
    ...aMachine({ metadata: { annotations: machine, labels: { node: 'pool-a' } } }),
    spec: {
      class: { kind: 'MachineClass', name: 'small' },
      providerID: 'local:///zone-1/i-1',
      machinePreserveTimeout: '10m',
    },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      currentStatus: { phase, ...(expiry !== undefined && { preserveExpiryTime: expiry }) },
    },
  };
}

function nodeOf({ node = {}, isTainted = false, isReported = false, message }: Given): Node {
  const reported = { ...preservedCondition, ...(message !== undefined && { message }) };
  return aNode({
    metadata: { annotations: node },
    spec: { providerID: 'local:///zone-1/i-1', ...(isTainted && { taints: [taint] }) },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }, ...(isReported ? [reported] : [])],
    },
  });
}

/** Names the same Node. */
const rival = aMachine({ metadata: { name: 'pool-b', labels: { node: 'pool-a' } } });

async function run(given: Given, changes: Partial<PreserveRequest> = {}) {
  const { hasNode = true } = given;
  const world = aWorld({ control: [machineOf(given)], target: hasNode ? [nodeOf(given)] : [] });
  const outcome = await preserveMachine(world, { machine: lifeOf('pool-a'), now, ...changes });
  const { control, target } = world;
  const machine = await control.read<Machine>(customResource('machines', namespace, 'pool-a'));
  const node = hasNode ? await target.read<Node>(nodePath('pool-a')) : undefined;
  const { items } = await control.list<{ reason: string; message: string }>(
    namespaced('events', namespace),
  );
  return {
    outcome,
    expiry: machine.status?.currentStatus?.preserveExpiryTime ?? undefined,
    notes: machine.metadata.annotations,
    ...(node && looksOf(node)),
    events: items.map(({ reason, message }) => `${reason}: ${message}`),
    writes: [...control.writes(), ...target.writes()],
  };
}

function looksOf({ metadata, spec, status }: Node) {
  return {
    nodeNotes: metadata.annotations,
    taints: spec?.taints ?? [],
    condition: status?.conditions?.find(({ type }) => type === 'Preserved'),
  };
}

describe('preserve', () => {
  test('now: expiry, protection, condition, Event; no taint on the Node of one that runs', async () => {
    const seen = await run({ machine: { [preserveKey]: 'now' } });
    expect(seen).toMatchObject({
      expiry: soon,
      nodeNotes: protection,
      taints: [],
      condition: preservedCondition,
      events: [
        `Preserved: Preserved until ${soon}: annotation ${preserveKey} of its Machine is "now"`,
      ],
      outcome: {
        found: 'machine',
        preservation: { value: 'now', until: now + 600_000, isToBeDrained: false },
        notes: { preserve: 'now', expiry: soon },
      },
    });
  });

  test('writes nothing to a Node that is of a Machine in another namespace', async () => {
    const { nodeMachine, nodeMachineNamespace } = annotations;
    const node = { [nodeMachine]: 'pool-a', [nodeMachineNamespace]: 'other' };
    const metadata = { namespace: 'other', uid: 'uid-there', labels: { node: 'pool-a' } };
    const world = aWorld({
      control: [machineOf({ machine: { [preserveKey]: 'now' } }), aMachine({ metadata })],
      target: [nodeOf({ node })],
    });
    await preserveMachine(world, { machine: lifeOf('pool-a'), now });
    expect(world.target.writes()).toEqual([]);
  });

  test('a second look at the same writes nothing', async () => {
    const given = {
      machine: { [preserveKey]: 'now' },
      node: protection,
      expiry: soon,
      isReported: true,
    };
    const { writes } = await run(given, { until: now + 600_000 });
    expect(writes).toEqual([]);
  });

  test('a Failed one is tainted, and to be drained', async () => {
    const seen = await run({ phase: 'Failed', machine: { [preserveKey]: 'auto-preserved' } });
    expect(seen.taints).toMatchObject([taint]);
    expect(seen.condition).toMatchObject({ status: 'True', reason: 'Preserved by MCM.' });
    expect(seen.outcome).toMatchObject({ preservation: { isToBeDrained: true } });
  });

  test.each([
    {
      drain: {},
      status: 'True',
      message: `Preserved node drained successfully. Machine preserved until ${soon}.`,
    },
    {
      drain: { error: 'no' },
      status: 'False',
      message: `Preserved node could not be drained. no. Machine preserved until ${soon}.`,
    },
  ])('how its drain ended stands on the Node: $drain', async ({ drain, status, message }) => {
    const given: Given = {
      phase: 'Failed',
      machine: { [preserveKey]: 'when-failed' },
      isReported: true,
    };
    const until = now + 600_000;
    const { condition, events } = await run({ ...given, expiry: soon }, { drain, until });
    expect(condition).toMatchObject({ status, message });
    const failures = events.filter((event) => event.startsWith('PreservationDrainFailed'));
    expect(failures).toHaveLength('error' in drain ? 1 : 0);
  });

  test('one whose Node says that it was drained is not drained again: Temporal was lost, or MCM ran', async () => {
    const seen = await run({
      phase: 'Failed',
      machine: { [preserveKey]: 'when-failed' },
      expiry: soon,
      isReported: true,
      message:
        'Preserved node drained successfully. Machine preserved until 2026-01-01 00:10:00 +0000 UTC.',
    });
    expect(seen.outcome).toMatchObject({ preservation: { isToBeDrained: false } });
    expect(seen.taints).toMatchObject([taint]);
    expect(seen.condition).toMatchObject({
      status: 'True',
      message: `Preserved node drained successfully. Machine preserved until ${soon}.`,
    });
  });

  test('one that got well after its drain says so no more, so that it is drained when it fails again', async () => {
    const seen = await run({
      machine: { [preserveKey]: 'now' },
      expiry: soon,
      isReported: true,
      message: `Preserved node drained successfully. Machine preserved until ${soon}.`,
    });
    expect(seen.condition).toMatchObject(preservedCondition);
  });

  test('what the user wrote for the autoscaler stays the user’s', async () => {
    const machine = { [preserveKey]: 'now' };
    const { nodeNotes } = await run({ machine, node: { [disabled]: 'true' } });
    expect(nodeNotes).not.toHaveProperty([byUs]);
    const stopped = await run({ expiry: soon, node: { [disabled]: 'true' } });
    expect(stopped.nodeNotes).toEqual({ [disabled]: 'true' });
  });

  test('one that got well keeps its time, and loses its taint', async () => {
    const seen = await run({ machine: { [preserveKey]: 'now' }, expiry: soon, isTainted: true });
    expect(seen).toMatchObject({ expiry: soon, taints: [] });
  });

  test('the word of the Node is copied, and the Machine’s own goes', async () => {
    const seen = await run({ machine: { [preserveKey]: 'false' }, node: { [preserveKey]: 'now' } });
    expect(seen.notes).toEqual({ [lastAppliedKey]: 'now' });
    expect(seen.outcome).toMatchObject({
      notes: { lastApplied: 'now', expiry: soon },
      node: { uid: 'uid-of-pool-a', preserve: 'now' },
    });
  });

  test('without a Node only the Machine says so', async () => {
    const seen = await run({ phase: 'Failed', machine: { [preserveKey]: 'now' }, hasNode: false });
    expect(seen).toMatchObject({
      expiry: soon,
      outcome: { preservation: { isToBeDrained: false } },
    });
  });

  test.each([
    { of: 'instance', node: aNode({ spec: { providerID: 'local:///zone-1/i-2' } }) },
    {
      of: 'Machine',
      node: aNode({ metadata: { labels: { 'node.gardener.cloud/machine-name': 'pool-b' } } }),
    },
  ])('the Node of another $of is not touched', async ({ node }) => {
    const world = aWorld({
      control: [machineOf({ machine: { [preserveKey]: 'now' } }), rival],
      target: [node],
    });
    await preserveMachine(world, { machine: lifeOf('pool-a'), now });
    expect(world.target.writes()).toEqual([]);
  });

  test('an expiry that was moved is reported and stands on the Node', async () => {
    const given = { machine: { [preserveKey]: 'now' }, node: protection, isReported: true };
    const later = '2026-01-02T00:00:00Z';
    const seen = await run({ ...given, expiry: later }, { until: now + 600_000 });
    expect(seen.condition).toMatchObject({ message: `Machine preserved until ${later}.` });
    expect(seen.events).toEqual([expect.stringContaining(`Preserved until ${later}`)]);
  });
});

describe('stop', () => {
  const kept = { expiry: soon, node: protection, isTainted: true, isReported: true };

  test('withdrawn: all of it goes but the annotations', async () => {
    const seen = await run({ ...kept, phase: 'Failed', machine: { [preserveKey]: 'false' } });
    expect(seen).toMatchObject({
      expiry: undefined,
      notes: { [preserveKey]: 'false' },
      nodeNotes: {},
      taints: [],
      condition: { status: 'False', reason: 'Preservation stopped.' },
      events: [expect.stringContaining('PreservationStopped')],
    });
    expect(seen.outcome).not.toHaveProperty('preservation');
  });

  test('expired while Failed: the annotations go too, and a note stays', async () => {
    const node = { ...protection, [preserveKey]: 'when-failed' };
    const machine = { [lastAppliedKey]: 'when-failed' };
    const seen = await run({ ...kept, phase: 'Failed', machine, node }, { now: now + 600_000 });
    expect(seen).toMatchObject({
      expiry: undefined,
      notes: { [overKey]: soon },
      nodeNotes: {},
      events: [expect.stringContaining('PreservationExpired')],
    });
    expect(seen.outcome).toMatchObject({ node: { preserve: '' } });
    expect(seen.outcome).not.toHaveProperty('notes');
  });
});

test('a preserve value that is not known is reported in an Event', async () => {
  const { events, expiry } = await run({ machine: { [preserveKey]: 'always' } });
  expect(events).toEqual([expect.stringContaining('InvalidPreserveValue: Machine: annotation')]);
  expect(expiry).toBeUndefined();
});

test.each([
  { name: 'gone', machines: [] },
  { name: 'of another life', machines: [aMachine({ metadata: { uid: 'other' } })] },
  { name: 'going', machines: [aMachine({ metadata: { deletionTimestamp: soon } })] },
])('a machine that is $name is left alone', async ({ machines }) => {
  const world = aWorld({ control: machines });
  const outcome = await preserveMachine(world, { machine: lifeOf('pool-a'), now });
  expect(outcome).toEqual({ found: 'nothing' });
  expect(world.control.writes()).toEqual([]);
});

test('a target cluster that is out of reach is said, and the Machine keeps its time all the same', async () => {
  const world = aWorld({
    control: [machineOf({ machine: { [preserveKey]: 'now' } })],
    target: [nodeOf({})],
  });
  world.target.fault = ({ method }) =>
    method === 'GET' ? undefined : { code: 503, reason: 'ServiceUnavailable' };
  const outcome = await preserveMachine(world, { machine: lifeOf('pool-a'), now });
  expect(outcome).toMatchObject({ found: 'outOfReach' });
  const machine = await world.control.read<Machine>(
    customResource('machines', namespace, 'pool-a'),
  );
  expect(machine.status?.currentStatus?.preserveExpiryTime).toBe(soon);
});

describe.each([
  { code: 403, reason: 'Forbidden' },
  { code: 422, reason: 'Invalid' },
])('a write that is refused with $code', (verdict) => {
  test.each(['control', 'target'] as const)(
    'in the %s cluster is an answer, and an Event',
    async (at) => {
      const world = aWorld({
        control: [machineOf({ machine: { [preserveKey]: 'now' } })],
        target: [nodeOf({})],
      });
      world[at].fault = ({ method }) =>
        method === 'PATCH' ? { ...verdict, message: 'not yours' } : undefined;
      const outcome = await preserveMachine(world, { machine: lifeOf('pool-a'), now });
      const words = expect.stringContaining('not yours');
      expect(outcome).toEqual({ found: 'refused', reason: words });
      const { items } = await world.control.list<object>(namespaced('events', namespace));
      expect(items).toContainEqual(
        expect.objectContaining({ type: 'Warning', reason: 'FailedUpdate', message: words }),
      );
    },
  );
});

test('a failure that is no refusal is left to a retry', async () => {
  const world = aWorld({ control: [machineOf({ machine: { [preserveKey]: 'now' } })] });
  world.control.fault = () => ({ code: 409, reason: 'Conflict' });
  const look = preserveMachine(world, { machine: lifeOf('pool-a'), now });
  await expect(look).rejects.toThrow(KubeError);
});
