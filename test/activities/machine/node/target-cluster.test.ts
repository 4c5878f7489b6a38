/**
 * A worker that was given the kubeconfig of another target cluster: that it finds no Node there
 * proves nothing.
 */
import { customResource, node as nodePath } from '../../../../kube/client/paths.ts';
import { deleteWithNode } from '../../../../activities/machine/node/deleted.ts';
import { checkHealth } from '../../../../activities/machine/health.ts';
import { recordJoined } from '../../../../activities/machine/join.ts';
import { recordMissingInstance } from '../../../../activities/machine/missing-instance.ts';
import { readAndClaimMachine } from '../../../../activities/machine/read-and-claim.ts';
import { preserveMachine } from '../../../../activities/machine/preservation/preserve.ts';
import { recordCreated, recordTimeout } from '../../../../activities/machine/record.ts';
import { finishTeardown } from '../../../../activities/machine/teardown.ts';
import { annotations } from '../../../../workflows/api/constants.ts';
import type { Machine } from '../../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../../workflows/api/phases.ts';
import { aMachine, aMachineClass, aNode, aSecret, namespace } from '../../../support/builders.ts';
import type { WorldOfTests } from '../../../support/world.ts';
import { aWorld, lifeOf } from '../../../support/world.ts';
import { Drain } from '../../drain/drain-under-test.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a' };
const itsNode = (): object => aNode();
const nodeOfAnotherInstance = (): object => aNode({ spec: { providerID: 'local:///zone-9/i-9' } });
const ready = [{ type: 'Ready', status: 'True' } as const];
const now = Date.parse('2026-01-02T00:00:00Z');

interface Given {
  phase?: MachinePhase;
  /** What the Machine says. */
  joined?: string | undefined;
  /** What the worker sees. */
  sees?: string;
  node?: object | undefined;
  wasNodeSeen?: boolean;
  isDeleted?: boolean;
}

function machineOf({ phase = 'Running', joined, wasNodeSeen = true, isDeleted }: Given): Machine {
  const deletionTimestamp = '2026-01-01T01:00:00Z';
  return {
    ...aMachine({
      metadata: {
        labels: { node: 'pool-a' },
        ...(joined !== undefined && { annotations: { [annotations.targetCluster]: joined } }),
        ...(isDeleted && { deletionTimestamp }),
      },
    }),
    spec: { class: { kind: 'MachineClass', name: 'small' }, providerID: instance.providerID },
    status: { currentStatus: { phase }, ...(wasNodeSeen && { conditions: ready }) },
  };
}

function worldOf(given: Given): WorldOfTests {
  const { sees = 'cluster-b', node } = given;
  return aWorld({
    control: [machineOf(given), aMachineClass(), aSecret()],
    target: node ? [node] : [],
    targetCluster: sees,
  });
}

interface Step {
  name: string;
  given?: Given;
  /** Returns why nothing could be said, or throws it. */
  run(world: WorldOfTests): Promise<unknown>;
}

const finish = { machine, ...instance };
const health = { machine, instance, hasLostNode: false, pausedMs: 0, now };
const steps: Step[] = [
  {
    name: 'a health check',
    run: (world) => checkHealth(world, health),
  },
  {
    name: 'a health check after the Node was seen to go',
    run: (world) => checkHealth(world, { ...health, hasLostNode: true }),
  },
  {
    name: 'the deletion of a Machine with its Node',
    given: { phase: 'Pending' },
    run: (world) => deleteWithNode(world, { machine, instance }),
  },
  {
    name: 'the creation timeout',
    given: { phase: 'Pending' },
    run: (world) => recordTimeout(world, { machine, instance, now }),
  },
  {
    name: 'the loss of an instance',
    given: { phase: 'Pending' },
    run: (world) => recordMissingInstance(world, { machine, instance }),
  },
  {
    name: 'the first read of a workflow that began anew',
    run: (world) => readAndClaimMachine(world, { machine, isRetry: false, readsNode: true }),
  },
  {
    name: 'a preservation',
    run: (world) => preserveMachine(world, { machine, now }),
  },
  {
    name: 'the end of a teardown',
    given: { phase: 'Terminating', isDeleted: true },
    run: (world) => finishTeardown(world, finish),
  },
  {
    name: 'the end of a teardown that knows the UID of the Node',
    given: { phase: 'Terminating', isDeleted: true },
    run: (world) => finishTeardown(world, { ...finish, nodeUid: 'uid-of-the-node' }),
  },
  {
    name: 'the end of a teardown after a forced drain',
    given: { phase: 'Terminating', isDeleted: true },
    run: (world) => finishTeardown(world, { ...finish, mustDetachVolumes: true }),
  },
];

/** All that is said: the outcome, or the message of the failure. */
async function outcomeOf(step: Step, world: WorldOfTests): Promise<string> {
  const outcome = await step.run(world).catch((error: unknown) => String(error));
  return JSON.stringify(outcome ?? null);
}

const lookAlikes = [
  { what: 'has no such Node', node: undefined },
  { what: 'has a Node of that name, of another instance', node: nodeOfAnotherInstance() },
];

describe.each(lookAlikes)('where another target cluster $what', ({ node }) => {
  test.each(steps)('$name says which one to give the worker, and does nothing', async (step) => {
    const world = worldOf({ ...step.given, joined: 'cluster-a', node });
    const before = await world.control.read<Machine>(path);
    const said = await outcomeOf(step, world);
    expect(said).toContain(
      'Machine pool-a joined target cluster cluster-a, and this worker sees target cluster cluster-b: start the worker with the --target-kubeconfig of cluster-a; where cluster-b is the same cluster under a new id, remove the annotation millwright.dev/target-cluster of the Machine',
    );
    expect(await world.control.read<Machine>(path)).toEqual(before);
    expect(world.target.has(nodePath('pool-a'))).toBe(node !== undefined);
  });

  const changes: { keepsNode?: boolean }[] = [{}, { keepsNode: true }];
  const going = { phase: 'Terminating', isDeleted: true } as const;
  const preserved = { phase: 'Failed' } as const;
  test.each(changes)('a drain with %j is not done', async (change) => {
    const drain = new Drain(aWorld({ target: node ? [node] : [] }).target);
    const given = change.keepsNode ? preserved : going;
    drain.control.put(machineOf({ ...given, joined: 'cluster-a' }));
    const seen = { targetCluster: 'cluster-b' };
    await expect(drain.run(change, {}, seen)).rejects.toThrow('joined target cluster cluster-a');
    expect(drain.target.writes()).toEqual([]);
    expect(await drain.run(change, {}, { targetCluster: 'cluster-a' })).toMatchObject({
      isForced: false,
    });
  });

  test.each([{ isForced: true }, { deadline: 1 }])(
    'a drain with %j lets the instance go, as with a target cluster out of reach',
    async (change) => {
      const drain = new Drain(aWorld({ target: node ? [node] : [] }).target);
      drain.control.put(machineOf({ ...going, joined: 'cluster-a' }));
      const outcome = await drain.run(change, {}, { targetCluster: 'cluster-b' });
      expect(outcome).toMatchObject({ isForced: true });
      expect(drain.target.writes()).toEqual([]);
      expect((await drain.operation())?.description).toContain('joined target cluster cluster-a');
    },
  );
});

const believed: { when: string; given: Given }[] = [
  { when: 'in the cluster that it joined', given: { joined: 'cluster-b' } },
  { when: 'where the Machine does not say which it joined', given: {} },
  { when: 'of a machine that never joined', given: { joined: 'cluster-a', wasNodeSeen: false } },
];

describe.each(believed)('a missing Node $when', ({ given }) => {
  test.each(steps)('is believed by $name', async (step) => {
    const said = await outcomeOf(step, worldOf({ ...step.given, ...given }));
    expect(said).not.toContain('joined target cluster');
  });

  test('is believed by a drain', async () => {
    const drain = new Drain(aWorld().target);
    drain.control.put(machineOf({ phase: 'Terminating', ...given }));
    const outcome = await drain.run({}, {}, { targetCluster: 'cluster-b' });
    expect(outcome).toEqual({ evictedPods: 0, isForced: false });
  });
});

async function recorded({ control }: WorldOfTests): Promise<string | undefined> {
  return (await control.read<Machine>(path)).metadata.annotations?.[annotations.targetCluster];
}

describe('the target cluster of a Machine', () => {
  const seen = { name: 'pool-a', uid: aNode().metadata.uid };
  const { providerID } = instance;
  const join = { machine, node: seen, providerID, className: 'small' };

  test('is recorded with the instance, without another write', async () => {
    const world = worldOf({ phase: '', wasNodeSeen: false });
    const created = { ...instance, isFound: false };
    await recordCreated(world, { machine, instance: created, usesTarget: true });
    expect(await recorded(world)).toBe('cluster-b');
    const writes = world.control.writes().filter((call) => call.includes('/machines/'));
    expect(writes).toEqual([`PATCH ${path}`, `PATCH ${path}/status`]);
  });

  test('is not recorded for a machine that gets no Node', async () => {
    const world = worldOf({ phase: '', wasNodeSeen: false });
    const created = { ...instance, isFound: false };
    await recordCreated(world, { machine, instance: created, usesTarget: false });
    expect(await recorded(world)).toBeUndefined();
  });

  test.each([undefined, 'cluster-a'])('is that of the Node that joins, not %s', async (joined) => {
    const world = worldOf({ phase: 'Pending', joined, node: itsNode() });
    expect(await recordJoined(world, join)).toMatchObject({ hasJoined: true });
    expect(await recorded(world)).toBe('cluster-b');
  });

  test('is put right by the Node that is there', async () => {
    const world = worldOf({ joined: 'cluster-a', node: itsNode() });
    await checkHealth(world, health);
    expect(await recorded(world)).toBe('cluster-b');
  });

  test('is not written when a Machine of MCM is taken over, but with its next change of phase', async () => {
    const adopted = worldOf({ node: itsNode() });
    await checkHealth(adopted, health);
    expect(adopted.control.writes()).toEqual([]);
    const recovering = worldOf({ phase: 'Unknown', node: itsNode() });
    await checkHealth(recovering, health);
    expect(await recorded(recovering)).toBe('cluster-b');
  });

  test('costs no write where the Machine says it already', async () => {
    const world = worldOf({ joined: 'cluster-b', node: itsNode() });
    await checkHealth(world, health);
    expect(world.control.writes()).toEqual([]);
  });
});
