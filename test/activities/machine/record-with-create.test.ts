/** What follows a create in the same attempt, and what is left to the steps of the workflow. */
import { createKubeActivities } from '../../../activities/index.ts';
import type { RecordParts } from '../../../activities/machine/record-with-create.ts';
import { recordWithCreate } from '../../../activities/machine/record-with-create.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { CreateOutcome } from '../../../workflows/contracts/driver-contract.ts';
import type { NodeSnapshot } from '../../../workflows/contracts/snapshots.ts';
import { snapshotOfNode } from '../../../workflows/contracts/snapshots.ts';
import { aMachine, aNode, namespace } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import type { WorldOfTests } from '../../support/world.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const path = customResource('machines', namespace, 'pool-a');
const machine = lifeOf('pool-a');
const request = {
  machine,
  provider: 'virtual',
  token: `${machine.uid}-0`,
  className: 'small',
};

const created = (nodeName: string, changes: object = {}): CreateOutcome => ({
  outcome: 'created',
  instance: { providerID: 'local:///zone-1/i-2', nodeName, isFound: false, ...changes },
});

/** A new Machine, beside the Node of another instance. */
function recording(changes: Partial<RecordParts> = {}, asked = request) {
  const world = aWorld({
    control: [aMachine()],
    target: [aNode({ metadata: { name: 'ip-10-0-0-1' } })],
  });
  const warnings: unknown[] = [];
  const parts: RecordParts = {
    steps: createKubeActivities(world),
    usesTarget: true,
    awaitNode: () => undefined,
    cancellation: () => new AbortController().signal,
    warn: (error) => void warnings.push(error),
    ...changes,
  };
  const recorded = async () => (await world.control.read<Machine>(path)).spec.providerID;
  const run = (outcome: CreateOutcome) => recordWithCreate(parts, asked, outcome);
  return { world, warnings, run, recorded };
}

test.each(['pool-a', 'ip-10-0-0-2'])(
  'an instance whose Node is to be called %s is on the Machine when the create ends',
  async (nodeName) => {
    const { run, recorded } = recording();
    const outcome = created(nodeName);
    expect(await run(outcome)).toEqual({ ...outcome, isRecorded: true });
    expect(await recorded()).toBe('local:///zone-1/i-2');
  },
);

test.each<[string, CreateOutcome]>([
  ['is called like the Node of another instance', created('ip-10-0-0-1')],
  ['has a Node name that cannot be one', created('Not a Name')],
  [
    'is not there yet',
    { outcome: 'pending', message: 'instance i-2 is pending', pollAfterSeconds: 5 },
  ],
  [
    'was refused',
    {
      outcome: 'failed',
      failure: { code: 'ResourceExhausted', message: 'no room', isSettled: true },
    },
  ],
])('an instance that %s is left to the workflow', async (_what, outcome) => {
  const { world, run } = recording();
  expect(await run(outcome)).toEqual(outcome);
  expect(world.control.writes()).toEqual([]);
});

test('an instance that is called like the Node of an earlier attempt is left to the workflow', async () => {
  const { world, run } = recording({}, { ...request, token: `${machine.uid}-1` });
  world.target.put(aNode({ metadata: { name: 'pool-a' } }));
  expect(await run(created('pool-a'))).toEqual(created('pool-a'));
  expect(world.control.writes()).toEqual([]);
});

test('a create that was cancelled leaves the Machine as it is', async () => {
  const { world, run } = recording({ cancellation: () => AbortSignal.abort() });
  expect(await run(created('pool-a'))).toEqual(created('pool-a'));
  expect(world.control.writes()).toEqual([]);
});

test('a write that is refused fails no create', async () => {
  const { world, warnings, run } = recording();
  world.control.fault = () => ({ code: 403, reason: 'Forbidden' });
  expect(await run(created('pool-a'))).toEqual(created('pool-a'));
  expect(warnings).toHaveLength(1);
});

/** `wait` ends with `result`; `last` is what was heard last. */
const hearing = (result: NodeSnapshot | undefined, last = result) => ({
  awaitNode: () => ({ ready: Promise.resolve(result), end: () => last }),
});

const statusWrites = ({ control }: WorldOfTests): number =>
  control.writes().filter((write) => write.includes('machines/pool-a/status')).length;

const waits = (): never => {
  throw new Error('it waits');
};

describe('with the Node of the machine heard of in the same process', () => {
  const node = aNode({ metadata: { name: 'pool-a' }, spec: { providerID: 'local:///zone-1/i-2' } });
  const ready: NodeSnapshot = {
    ...snapshotOfNode(node),
    cluster: 'c',
    epoch: 1,
    exists: true,
    conditionsDigest: '',
  };
  test('a machine whose Node is Ready at once is Running when the create ends', async () => {
    const { world, run } = recording(hearing(ready));
    world.target.put(node);
    const outcome = created('pool-a', { lastKnownState: 'zone-1' });
    const joined = { node: ready, isApplied: true };
    expect(await run(outcome)).toEqual({ ...outcome, isRecorded: true, joined });
    const { status, spec } = await world.control.read<Machine>(path);
    expect(status).toMatchObject({
      currentStatus: { phase: 'Running' },
      lastKnownState: 'zone-1',
    });
    expect(spec.providerID).toBe('local:///zone-1/i-2');
    expect(statusWrites(world)).toBe(1);
    expect(world.control.bodies).toContainEqual(
      expect.objectContaining({
        reason: 'Joined',
        message:
          'Machine pool-a successfully joined the cluster as Node pool-a, with instance local:///zone-1/i-2',
      }),
    );
  });

  test('a machine whose Node is Ready a little later has been Pending', async () => {
    const late = Promise.withResolvers<NodeSnapshot>();
    const { world, run } = recording({
      awaitNode: () => ({ ready: late.promise, end: () => ready }),
      soonMs: 1,
    });
    world.target.put(node);
    const running = run(created('pool-a'));
    await eventually('Pending', async () => {
      const { status } = await world.control.read<Machine>(path);
      return status?.currentStatus?.phase === 'Pending';
    });
    late.resolve(ready);
    expect(await running).toMatchObject({ isRecorded: true, joined: { node: ready } });
    expect(statusWrites(world)).toBe(2);
    const { status } = await world.control.read<Machine>(path);
    expect(status?.currentStatus?.phase).toBe('Running');
  });

  test('a Node that changed after the join is news for the workflow', async () => {
    const later = { ...ready, resourceVersion: '99', conditionsDigest: 'ill' };
    const { world, run } = recording(hearing(ready, later));
    world.target.put(node);
    expect(await run(created('pool-a'))).toMatchObject({ joined: { node: ready }, node: later });
  });

  test('a Node that is not Ready in time is news for the workflow', async () => {
    const unready = { ...ready, isReady: false };
    const { world, run } = recording(hearing(undefined, unready));
    const outcome = created('pool-a');
    expect(await run(outcome)).toEqual({ ...outcome, isRecorded: true, node: unready });
    const { status } = await world.control.read<Machine>(path);
    expect(status?.currentStatus?.phase).toBe('Pending');
  });

  test('the Node of another instance joins nothing', async () => {
    const other = { ...ready, providerID: 'local:///zone-1/i-3' };
    const { run } = recording(hearing(other));
    const outcome = created('pool-a');
    expect(await run(outcome)).toEqual({ ...outcome, isRecorded: true, node: other });
  });

  test('a join that is refused fails no create', async () => {
    const { world, warnings, run } = recording(hearing(ready));
    world.target.put(node);
    world.target.fault = () => ({ code: 403, reason: 'Forbidden' });
    const outcome = created('pool-a');
    expect(await run(outcome)).toEqual({ ...outcome, isRecorded: true, node: ready });
    expect(warnings).toHaveLength(1);
  });

  test('a create that was cancelled while it waited joins nothing', async () => {
    const cancellation = new AbortController();
    const waiting = Promise.withResolvers<undefined>();
    const { world, run } = recording({
      cancellation: () => cancellation.signal,
      awaitNode: () => ({
        ready: waiting.promise,
        end() {
          waiting.resolve(undefined);
          return ready;
        },
      }),
    });
    const outcome = created('pool-a');
    const running = run(outcome);
    cancellation.abort();
    expect(await running).toEqual({ ...outcome, isRecorded: true, node: ready });
    const { status } = await world.control.read<Machine>(path);
    expect(status?.currentStatus?.phase).toBe('Pending');
  });

  test('an instance that was there before does not wait', async () => {
    const { run } = recording({ awaitNode: waits });
    const outcome = created('pool-a', { isFound: true });
    expect(await run(outcome)).toEqual({ ...outcome, isRecorded: true });
  });
});
