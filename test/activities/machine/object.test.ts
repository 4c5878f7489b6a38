import { customResource } from '../../../kube/client/paths.ts';
import { checkHealth } from '../../../activities/machine/health.ts';
import { recordJoined } from '../../../activities/machine/join.ts';
import { patchCheckedStatus, patchMachine } from '../../../activities/machine/object.ts';
import { recordCreated, recordFailure, recordTimeout } from '../../../activities/machine/record.ts';
import { beginTeardown } from '../../../activities/machine/teardown.ts';
import type { ActivityDependencies } from '../../../activities/runtime/dependencies.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };
const successor = aMachine({ metadata: { uid: 'uid-2' } });

const created = { ...instance, isFound: false };
const failure = { code: 'Internal', message: 'no', isSettled: true } as const;
const createGeneration = 0;

const deleted = aMachine({ metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } });

interface Row {
  name: string;
  /** Default one that lives. */
  seen?: Machine;
  write: (world: ActivityDependencies) => Promise<unknown>;
}

test.each<Row>([
  {
    name: 'that a deletion begins',
    seen: deleted,
    write: (world) => beginTeardown(world, { machine }),
  },
  {
    name: 'that it was created',
    write: (world) =>
      recordCreated(world, {
        machine,
        instance: created,
        usesTarget: true,
      }),
  },
  {
    name: 'that it failed',
    seen: deleted,
    write: (world) =>
      recordFailure(world, {
        machine,
        failure,
        createGeneration,
        operation: 'Delete',
        phase: 'Terminating',
      }),
  },
  {
    name: 'that its Node joined',
    write: (world) =>
      recordJoined(world, {
        machine,
        node: { name: 'pool-a', uid: 'uid-of-pool-a' },
        providerID: 'local:///zone-1/i-1',
        className: 'small',
      }),
  },
])(
  'a status that says $name is not written to a Machine that came under the name in between',
  async ({ write, seen = aMachine() }) => {
    const world = aWorld({ control: [seen], target: [aNode()] });
    let wasReplaced = false;
    world.control.fault = (call) => {
      if (call.path !== `${path}/status` || wasReplaced) return undefined;
      wasReplaced = true;
      world.control.put(successor);
      return undefined;
    };
    await write(world);
    expect(wasReplaced).toBe(true);
    expect((await world.control.read<Machine>(path)).status).toBeUndefined();
  },
);

test('a status is written although something else changed in between', async () => {
  const world = aWorld({ control: [aMachine()] });
  let changes = 0;
  world.control.fault = ({ path: of }) => {
    if (of === `${path}/status` && changes < 3) {
      changes += 1;
      world.control.put(aMachine({ metadata: { labels: { a: String(changes) } } }));
    }
    return undefined;
  };
  const status = { currentStatus: { phase: 'Running' } };
  expect(await patchMachine(world.control, machine, { status })).toMatchObject({ status });
  expect(await world.control.read<Machine>(path)).toMatchObject({
    metadata: { labels: { a: '3' } },
    status,
  });
});

test.each<Row>([
  {
    name: 'that it was created',
    write: (world) => recordCreated(world, { machine, instance: created, usesTarget: true }),
  },
  {
    name: 'that its creation failed',
    write: (world) =>
      recordFailure(world, {
        machine,
        failure,
        createGeneration,
        operation: 'Create',
        phase: 'CrashLoopBackOff',
      }),
  },
])(
  'an attempt that was taken for dead does not say $name when the machine runs by then',
  async ({ write }) => {
    const world = aWorld({ control: [aMachine({ phase: 'Pending' })], target: [] });
    let runs = false;
    world.control.fault = (call) => {
      if (call.path !== `${path}/status` || runs) return undefined;
      runs = true;
      world.control.put(aMachine({ phase: 'Running' }));
      return undefined;
    };
    await write(world);
    expect(runs).toBe(true);
    const { status } = await world.control.read<Machine>(path);
    expect(status?.currentStatus?.phase).toBe('Running');
  },
);

test('a check of its health fails, to be tried again, when the phase changed meanwhile', async () => {
  const world = aWorld({ control: [aMachine({ phase: 'Running' })], target: [] });
  world.control.fault = (call) => {
    if (call.path === `${path}/status`) world.control.put(aMachine({ phase: 'Terminating' }));
    return undefined;
  };
  const request = { machine, instance, hasLostNode: false, pausedMs: 0, now: 0 };
  await expect(checkHealth(world, request)).rejects.toThrow('409 Conflict');
  const { status } = await world.control.read<Machine>(path);
  expect(status?.currentStatus?.phase).toBe('Terminating');
});

test.each([
  { by: 'another write', change: { phase: 'Unknown' } },
  { by: 'a successor', change: { metadata: { uid: 'uid-2' } } },
] as const)(
  'a check that is late by $by fails with its write, without a read',
  async ({ change }) => {
    const { control } = aWorld({ control: [aMachine({ phase: 'Running' })] });
    const seen = await control.read<Machine>(path);
    control.put(aMachine(change));
    const write = patchCheckedStatus(control, seen, { currentStatus: { phase: 'Failed' } });
    await expect(write).rejects.toThrow('409 Conflict');
    expect(control.calls).toEqual([`PATCH ${path}/status`]);
  },
);

test('a check of its health that is late does not undo what a later one found', async () => {
  const world = aWorld({ control: [aMachine({ phase: 'Running' })], target: [] });
  world.control.fault = (call) => {
    if (call.path !== `${path}/status`) return undefined;
    world.control.fault = () => undefined;
    world.control.put(aMachine({ phase: 'Unknown' }));
    world.control.put(aMachine({ phase: 'Running' }));
    return undefined;
  };
  const request = { machine, instance, hasLostNode: false, pausedMs: 0, now: 0 };
  await expect(checkHealth(world, request)).rejects.toThrow('409 Conflict');
  const { status } = await world.control.read<Machine>(path);
  expect(status?.currentStatus?.phase).toBe('Running');
});

test('the end of the creation timeout is checked again when the machine joined meanwhile', async () => {
  const world = aWorld({ control: [aMachine({ phase: 'Pending' })], target: [] });
  world.control.fault = (call) => {
    if (call.path === `${path}/status`) world.control.put(aMachine({ phase: 'Running' }));
    return undefined;
  };
  const request = { machine, instance, now: Date.parse('2027-01-01') };
  await expect(recordTimeout(world, request)).rejects.toThrow('409 Conflict');
  expect(await recordTimeout(world, request)).toMatchObject({ found: 'moreTime' });
  const { status } = await world.control.read<Machine>(path);
  expect(status?.currentStatus?.phase).toBe('Running');
});

const { providerID, nodeName } = instance;

test.each([
  { phase: 'Running', changes: { spec: { providerID }, node: nodeName }, found: 'moreTime' },
  { phase: 'Pending', changes: { spec: { providerID }, node: nodeName }, found: 'moreTime' },
  { phase: 'Running', changes: { spec: { providerID } }, found: 'tooLate' },
  { phase: 'CrashLoopBackOff', changes: { spec: {} }, found: 'tooLate' },
] as const)(
  'a workflow that knows no instance, of a machine that is $phase with $changes: $found',
  async ({ phase, changes: { spec, ...labels }, found }) => {
    const seen = aMachine({ phase, spec, metadata: { labels } });
    const world = aWorld({ control: [seen], target: [] });
    const outcome = await recordTimeout(world, { machine, now: Date.parse('2027-01-01') });
    expect(outcome.found).toBe(found);
    const { status } = await world.control.read<Machine>(path);
    expect(status?.currentStatus?.phase).toBe(found === 'tooLate' ? 'Failed' : phase);
  },
);
