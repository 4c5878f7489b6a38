/** Names of Nodes come back: a drain touches the Node of its own machine only. */
import { deleteAttachments } from '../../../activities/machine/teardown.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import type { NodeClaim } from '../../../activities/machine/node/claims.ts';
import { competingMachine, otherOwnerReason } from '../../../activities/machine/node/claims.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import { finishTeardown } from '../../../activities/machine/teardown.ts';
import type { DrainRequest } from '../../../workflows/contracts/drain-activities.ts';
import { aMachine, aNode, aPod } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aWorld, lifeOf } from '../../support/world.ts';
import { blocking, Drain, podPath, providerID } from './drain-under-test.ts';

const path = nodePath('pool-a');
const labelled = (name: string) => ({ labels: { [labels.machineName]: name } });
const naming = (name: string): object =>
  aMachine({ metadata: { name, labels: { [labels.node]: 'pool-a' } } });

const successor = (claim: string): object =>
  aMachine({
    metadata: { uid: 'uid-of-the-next' },
    spec: { class: { kind: 'MachineClass', name: 'small' }, providerID: claim },
  });

interface Case {
  name: string;
  node: Partial<Parameters<typeof aNode>[0]> | undefined;
  machines?: object[];
  claim?: Partial<NodeClaim>;
  reason: string | undefined;
}

const other = 'local:///zone-1/i-2';
const unproven = 'nothing but Machine pool-a itself says that Node pool-a is its';

const cases: Case[] = [
  { name: 'the instance', node: {}, reason: undefined },
  {
    name: 'another instance',
    node: { spec: { providerID: other } },
    reason: `Node pool-a is of instance ${other}, not of ${providerID}`,
  },
  {
    name: 'another instance, with our label of old',
    node: { spec: { providerID: other }, metadata: labelled('pool-a') },
    reason: `Node pool-a is of instance ${other}, not of ${providerID}`,
  },
  {
    name: 'the instance, and a Machine that it names and that names it',
    node: { metadata: labelled('pool-b') },
    machines: [naming('pool-b')],
    reason: 'Node pool-a is that of Machine pool-b',
  },
  {
    name: 'the instance, and a Machine that is gone',
    node: { metadata: labelled('pool-b') },
    reason: undefined,
  },
  {
    name: 'no instance yet, and this Machine',
    node: { spec: {}, metadata: labelled('pool-a') },
    machines: [naming('pool-b')],
    reason: undefined,
  },
  {
    name: 'no instance yet, and another Machine',
    node: { spec: {}, metadata: labelled('pool-b') },
    reason: 'Node pool-a is labelled as that of Machine pool-b',
  },
  {
    name: 'no instance and no Machine yet, where another Machine names it',
    node: { spec: {} },
    machines: [naming('pool-b')],
    reason: 'Node pool-a is that of Machine pool-b',
  },
  { name: 'no instance and no Machine yet', node: { spec: {} }, reason: undefined },
  {
    name: 'no instance and no Machine, and was there before this one',
    node: { spec: {}, metadata: { creationTimestamp: '2020-01-01T00:00:00Z' } },
    reason: `Node pool-a was there before Machine pool-a, and has neither its providerID nor, as label ${labels.machineName}, its name`,
  },
  {
    name: 'the instance that nothing but this Machine says',
    node: {},
    claim: { isUnproven: true },
    reason: unproven,
  },
  {
    name: 'nothing, as it is missing, where nothing but this Machine says its instance',
    node: undefined,
    claim: { isUnproven: true },
    reason: unproven,
  },
  {
    name: 'this Machine, where nothing else says so',
    node: { metadata: labelled('pool-a') },
    claim: { isUnproven: true },
    reason: undefined,
  },
  { name: 'nothing, as it is missing', node: undefined, reason: undefined },
  {
    name: 'nothing, as it is missing, where another Machine names it',
    node: undefined,
    machines: [naming('pool-b')],
    reason: 'Node pool-a is that of Machine pool-b',
  },
];

describe('a Node that says that it is of', () => {
  test.each(cases)('$name: $reason', async ({ node, machines = [], claim: said, reason }) => {
    const control = new InMemoryClient(naming('pool-a'), ...machines);
    const claim = { machine: lifeOf('pool-a'), nodeName: 'pool-a', providerID, ...said };
    expect(await otherOwnerReason(control, node && aNode(node), claim)).toBe(reason);
  });
});

describe('the Node of another instance', () => {
  const spec = { providerID: other };
  const changes: Partial<DrainRequest>[] = [
    {},
    { isForced: true },
    { deadline: 1 },
    { keepsNode: true },
    { keepsNode: true, isForced: true },
  ];
  const unknown = { isUnproven: true, deadline: 1 };

  test.each([{ isUnproven: true }, unknown, { ...unknown, nodeUid: 'uid-of-pool-a' }])(
    'that nothing but its Machine names is neither written nor emptied by a drain with %j',
    async (change) => {
      const drain = new Drain(new InMemoryClient(aNode(), aPod()));
      expect(await drain.run(change)).toEqual({ evictedPods: 0, isForced: false });
      expect(drain.target.writes()).toEqual([]);
      expect(drain.has('web-0')).toBe(true);
    },
  );

  test.each(changes)('is neither written nor emptied by a drain with %j', async (change) => {
    const drain = new Drain(new InMemoryClient(aNode({ spec }), aPod()));
    expect(await drain.run(change)).toEqual({ evictedPods: 0, isForced: false });
    expect(drain.target.writes()).toEqual([]);
    expect(drain.has('web-0')).toBe(true);
  });

  test('is said on the Machine, which goes on being deleted', async () => {
    const drain = new Drain(new InMemoryClient(aNode({ spec }), aPod()));
    await drain.run();
    expect(await drain.operation()).toMatchObject({
      state: 'Processing',
      type: 'Delete',
      description: `Skipping drain as Node pool-a is of instance ${other}, not of ${providerID}: it is left alone, and so are its pods. Initiate VM deletion`,
    });
  });

  test('keeps its volumes', async () => {
    const attachment = {
      kind: 'VolumeAttachment',
      metadata: { name: 'pv' },
      spec: { nodeName: 'pool-a', source: { persistentVolumeName: 'pv' } },
    };
    const target = new InMemoryClient(aNode({ spec: {} }), attachment);
    const clusters = { control: new InMemoryClient(naming('pool-a'), naming('pool-b')), target };
    const claim = { machine: lifeOf('pool-a'), nodeName: 'pool-a', providerID };
    await deleteAttachments(clusters, claim);
    expect(target.writes()).toEqual([]);
  });

  test.each([
    { how: 'with its providerID', node: { spec }, before: {} },
    {
      how: 'without a providerID',
      node: { spec: {}, metadata: labelled('pool-b') },
      before: { spec: {} },
    },
  ])(
    'the Node of another instance that takes the name $how before a write is not written',
    async ({ node, before }) => {
      const drain = new Drain(new InMemoryClient(aNode(before), aPod()));
      drain.target.fault = (call) => {
        const metadata = { ...node.metadata, uid: 'uid-of-the-next' };
        const isCordon = call.method === 'PATCH' && call.path === path;
        if (isCordon) drain.target.put(aNode({ ...node, metadata }));
        return undefined;
      };
      expect(await drain.run()).toEqual({ evictedPods: 0, isForced: false });
      const present = await drain.target.read<Node>(path);
      expect(present.spec).toEqual(node.spec);
      expect(present.status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
      expect(drain.has('web-0')).toBe(true);
    },
  );

  test('the Node of another instance that takes the name between two writes gets neither condition nor evictions', async () => {
    const drain = new Drain(new InMemoryClient(aNode(), aPod()));
    drain.target.fault = ({ path: written }) => {
      const uid = 'uid-of-the-next';
      if (written.endsWith('/status')) drain.target.put(aNode({ metadata: { uid }, spec }));
      return undefined;
    };
    expect(await drain.run()).toEqual({ evictedPods: 0, isForced: false });
    const node = await drain.target.read<Node>(path);
    expect(node.status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
    expect(drain.has('web-0')).toBe(true);
  });

  test('the Node of another instance that takes the name in the middle of a pass keeps the pods that it gets', async () => {
    const deletionTimestamp = new Date(Date.now() + 20_000).toISOString();
    const going = aPod({ metadata: { name: 'going', deletionTimestamp, finalizers: ['x/y'] } });
    const drain = new Drain(new InMemoryClient(aNode(), going));
    let looks = 0;
    const requireActiveWatcher = async (): Promise<void> => {
      looks += 1;
      if (looks !== 2) return;
      drain.target.put(aNode({ metadata: { uid: 'uid-of-the-next' }, spec }));
      drain.target.put(aPod());
    };
    expect(await drain.run({}, {}, { requireActiveWatcher })).toEqual({
      evictedPods: 0,
      isForced: false,
    });
    expect(drain.has('web-0')).toBe(true);
  });

  test('the Node of another instance that takes the name before the deadline keeps its pods', async () => {
    const drain = blocking(aPod());
    await expect(drain.run()).rejects.toThrow('1 pod left');
    drain.target.put(aNode({ metadata: { uid: 'uid-of-the-next' }, spec }));
    expect(await drain.run({ deadline: 1 })).toEqual({ evictedPods: 0, isForced: false });
    expect(drain.has('web-0')).toBe(true);
  });
});

/** A Machine of the same name in another namespace. */
const there = (node: string): object =>
  aMachine({
    metadata: { namespace: 'other', uid: 'uid-there', labels: { [labels.node]: node } },
    spec: { class: { kind: 'MachineClass', name: 'small' }, providerID },
  });

test('a Node whose name no label can have is named by no Machine: none is listed', async () => {
  const control = new InMemoryClient();
  const claim = { machine: lifeOf('pool-a'), nodeName: `n.${'n'.repeat(70)}`, providerID };
  expect(await otherOwnerReason(control, undefined, claim)).toBeUndefined();
  expect(control.calls).toEqual([]);
});

describe('a Node whose Machine is in another namespace of the same target cluster', () => {
  const { nodeMachine, nodeMachineNamespace } = annotations;
  const notes = { [nodeMachine]: 'pool-a', [nodeMachineNamespace]: 'other' };
  const shared = aNode({ metadata: { ...labelled('pool-a'), annotations: notes } });
  const foreign = 'Node pool-a is that of Machine other/pool-a';

  test.each([
    { name: 'that names it', machines: [there('pool-a')], reason: foreign },
    { name: 'that names another', machines: [there('pool-b')], reason: undefined },
    { name: 'that is gone', machines: [], reason: undefined },
    {
      name: 'that may not be read',
      machines: [],
      isForbidden: true,
      reason: `${foreign}, which may not be read here (if it is gone, remove the annotation ${nodeMachineNamespace} of the Node)`,
    },
  ])('and $name: $reason', async ({ machines, isForbidden = false, reason }) => {
    const control = new InMemoryClient(naming('pool-a'), ...machines);
    const refusal = { code: 403, reason: 'Forbidden' };
    control.fault = ({ path: read }) =>
      isForbidden && read.includes('/namespaces/other/') ? refusal : undefined;
    const claim = { machine: lifeOf('pool-a'), nodeName: 'pool-a', providerID };
    expect(await otherOwnerReason(control, shared, claim)).toBe(reason);
    const competitor = reason?.replace('Node pool-a is that of Machine ', '');
    expect(await competingMachine(control, shared, claim.machine)).toBe(competitor);
  });

  test.each([{}, { isForced: true }, { deadline: 1 }])(
    'is neither written nor emptied by a drain with %j',
    async (change) => {
      const drain = new Drain(new InMemoryClient(shared, aPod()));
      drain.control.put(there('pool-a'));
      expect(await drain.run(change)).toEqual({ evictedPods: 0, isForced: false });
      expect(drain.target.writes()).toEqual([]);
      expect(drain.has('web-0')).toBe(true);
    },
  );

  test('is drained where its own Machine has joined by it, whatever it says', async () => {
    const drain = new Drain(new InMemoryClient(shared, aPod()));
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', labels: { node: 'pool-a' } };
    drain.control.put(aMachine({ metadata }));
    drain.control.fault = ({ path: read }) =>
      read.includes('/namespaces/other/') ? { code: 403, reason: 'Forbidden' } : undefined;
    expect(await drain.run({ nodeUid: shared.metadata.uid })).toMatchObject({ evictedPods: 1 });
    expect(drain.has('web-0')).toBe(false);
  });

  test.each([{ nodeName: 'pool-a', providerID }, { providerID }, {}])(
    'stays where the Machine that names it goes with %j',
    async (known) => {
      const deletionTimestamp = '2026-01-01T01:00:00Z';
      const going = aMachine({ metadata: { deletionTimestamp } });
      const world = aWorld({ control: [going, there('pool-a')], target: [shared] });
      await finishTeardown(world, { machine: lifeOf('pool-a'), ...known });
      expect(world.target.writes()).toEqual([]);
    },
  );
});

describe('a Machine that was replaced during its drain by one', () => {
  test('with its instance: the drain ends, and no pod is deleted when the time is up', async () => {
    const drain = blocking(aPod());
    await expect(drain.run()).rejects.toThrow('1 pod left');
    drain.control.put(successor(providerID));
    const asked = drain.evictions();
    expect(await drain.run({ deadline: 1 })).toEqual({ evictedPods: 0, isForced: false });
    expect(drain.evictions()).toBe(asked);
    expect(drain.has('web-0')).toBe(true);
  });

  test('with an instance of its own: the drain goes on', async () => {
    const drain = blocking(aPod());
    await expect(drain.run()).rejects.toThrow('1 pod left');
    drain.control.put(successor(other));
    expect(await drain.run({ deadline: 1 })).toEqual({ evictedPods: 1, isForced: true });
  });
});

describe('pods that are bound to the name of a missing Node', () => {
  test('are evicted', async () => {
    const drain = new Drain(new InMemoryClient(aPod()));
    expect(await drain.run()).toEqual({ evictedPods: 1, isForced: false });
    expect(drain.has('web-0')).toBe(false);
  });

  test('are deleted by a forced drain', async () => {
    const drain = new Drain(new InMemoryClient(aPod()));
    expect(await drain.run({ isForced: true })).toEqual({ evictedPods: 1, isForced: true });
    expect(drain.target.has(podPath('web-0'))).toBe(false);
  });

  test('stay when another Machine names the Node', async () => {
    const drain = new Drain(new InMemoryClient(aPod()));
    drain.control.put(naming('pool-b'));
    expect(await drain.run()).toEqual({ evictedPods: 0, isForced: false });
    expect(drain.has('web-0')).toBe(true);
  });
});
