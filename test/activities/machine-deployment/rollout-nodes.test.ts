import { node as nodePath } from '../../../kube/client/paths.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import type { Taint } from '../../../workflows/api/machine.ts';
import type { NodeCondition } from '../../../workflows/api/meta.ts';
import { aMachine, aNode } from '../../support/builders.ts';
import { DeploymentWorld, setPath } from './deployment-world.ts';

const key = 'deployment.machine.sapcloud.io/prefer-no-schedule';
const avoidance = { key, value: 'True', effect: 'PreferNoSchedule' } as const;
const other: Taint = { key: 'example.com/gpu', value: 'yes', effect: 'NoSchedule' };
const disabled = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
const ours = `${disabled}-by-mcm`;

let world: DeploymentWorld;
/** Of the only set. */
let set: string;

const machineName = 'node.gardener.cloud/machine-name';

/** A machine copies them from the Node that has joined. */
const joined: NodeCondition[] = [{ type: 'Ready', status: 'True' }];

const { providerID = '' } = aNode().spec ?? {};
const ofInstance = { ...aMachine().spec, providerID };

/** The set has a machine on each of these Nodes. */
async function withNodes(...nodes: Node[]): Promise<void> {
  world = new DeploymentWorld();
  await world.step();
  const owner = await world.set();
  set = owner.metadata.name;
  for (const node of nodes) {
    world.world.target.put(node);
    const { name } = node.metadata;
    const metadata = { name: `machine-${name}`, labels: { node: name } };
    world.addMachine(owner, { metadata, spec: ofInstance, status: { conditions: joined } });
  }
}

const nodeNamed = (name: string, metadata: Partial<Node['metadata']> = {}): Node =>
  aNode({ metadata: { name, ...metadata } });

async function read(name: string): Promise<Node> {
  return await world.world.target.read<Node>(nodePath(name));
}

async function taintsOf(name: string): Promise<Taint[]> {
  return (await read(name)).spec?.taints ?? [];
}

async function notesOf(name: string): Promise<Record<string, string>> {
  return (await read(name)).metadata.annotations ?? {};
}

async function isNoted(): Promise<boolean> {
  return key in ((await world.set()).metadata.annotations ?? {});
}

const taint = (protects = true): Promise<string[]> =>
  world.tend({ action: 'taintNodes', set, reason: '' }, protects);

describe('taintNodes', () => {
  beforeEach(() =>
    withNodes(
      nodeNamed('n1', { labels: { [machineName]: 'machine-n1' } }),
      aNode({ metadata: { name: 'n2' }, spec: { providerID, taints: [other] } }),
    ),
  );

  test('reads Nodes that say whose they are with one list, and only the others by name', async () => {
    await taint();
    const reads = world.world.target.calls.filter((call) => call.startsWith('GET'));
    expect(reads).toEqual(['GET /api/v1/nodes', `GET ${nodePath('n2')}`]);
  });

  test('a machine whose name cannot be a label hides the Nodes of no other', async () => {
    const owner = await world.set();
    world.world.target.put(nodeNamed('n3'));
    const metadata = { name: 'm'.repeat(64), labels: { node: 'n3' } };
    world.addMachine(owner, { metadata, status: { conditions: joined } });
    expect(await taint()).toEqual(['n1', 'n2', 'n3']);
  });

  test('adds the taint beside those of others, protects in the same write, and the set says so', async () => {
    expect(await taint()).toEqual(['n1', 'n2']);
    expect(await taintsOf('n1')).toEqual([avoidance]);
    expect(await taintsOf('n2')).toEqual([other, avoidance]);
    expect(await notesOf('n1')).toEqual({ [disabled]: 'true', [ours]: 'true' });
    expect(world.world.target.writes()).toHaveLength(2);
    expect(await isNoted()).toBe(true);
  });

  test('protects nothing where the autoscaler is to be left alone', async () => {
    expect(await taint(false)).toEqual([]);
    expect(await notesOf('n1')).toEqual({});
    expect(await taintsOf('n1')).toEqual([avoidance]);
  });

  test('twice is as good as once', async () => {
    await taint();
    const writes = world.world.target.writes().length;
    await taint();
    expect(world.world.target.writes()).toHaveLength(writes);
  });

  test('the write holds for the Node that was read, and is tried again', async () => {
    let meddlers = 1;
    world.world.target.fault = ({ method, path }) => {
      if (method !== 'PATCH' || path !== nodePath('n1') || meddlers === 0) return undefined;
      meddlers -= 1;
      world.world.target.put(
        aNode({ metadata: { name: 'n1' }, spec: { providerID, taints: [other] } }),
      );
      return undefined;
    };
    await taint();
    expect(await taintsOf('n1')).toEqual([other, avoidance]);
  });

  test('a Node that changes all the time fails the step, and the set says nothing yet', async () => {
    world.world.target.fault = ({ method, path }) =>
      method === 'PATCH' && path === nodePath('n1') ? { code: 422, reason: 'Invalid' } : undefined;
    await expect(taint()).rejects.toThrow('Invalid');
    expect(await isNoted()).toBe(false);
    expect(await taintsOf('n2')).toEqual([other, avoidance]);
    const tries = world.world.target.calls.filter((call) => call === `PATCH ${nodePath('n1')}`);
    expect(tries).toHaveLength(5);
  });

  test('Nodes that are gone, machines without a Node, a set that is gone are no error', async () => {
    const owner = await world.set();
    world.addMachine(owner, { metadata: { labels: { node: 'gone' } } });
    world.addMachine(owner, {});
    await taint();
    expect(await isNoted()).toBe(true);
    await world.changeSet(set, { metadata: { finalizers: [] } });
    await world.control.delete(setPath(set));
    expect(await taint()).toEqual([]);
  });

  test('machines of another set with the same labels are left alone', async () => {
    world.world.target.put(nodeNamed('n3'));
    const owner = await world.set();
    const uid = 'uid-of-another';
    world.addMachine(
      { ...owner, metadata: { ...owner.metadata, uid } },
      { metadata: { labels: { node: 'n3' } } },
    );
    expect(await taint()).toEqual(['n1', 'n2']);
    expect(await taintsOf('n3')).toEqual([]);
  });

  test('machines of a set with a malformed selector, which no list takes, are found', async () => {
    world.world.target.put(nodeNamed('n3'));
    const owner = await world.set();
    const odd = { 'not a key': 'x' };
    world.control.put({ ...owner, spec: { ...owner.spec, selector: { matchLabels: odd } } });
    const metadata = { labels: { node: 'n3', ...odd } };
    world.addMachine(owner, { metadata, spec: ofInstance, status: { conditions: joined } });
    expect(await taint()).toEqual(['n3']);
    expect(await taintsOf('n3')).toEqual([avoidance]);
  });

  test('untaintNodes takes only this taint away, and the note from the set', async () => {
    await taint();
    await world.tend({ action: 'untaintNodes', set, reason: '' });
    expect(await taintsOf('n1')).toEqual([]);
    expect(await taintsOf('n2')).toEqual([other]);
    expect(await isNoted()).toBe(false);
    expect(await notesOf('n1')).toMatchObject({ [ours]: 'true' });
  });
});

describe('protectNodes', () => {
  test('annotates the Nodes that are there', async () => {
    await withNodes(nodeNamed('n1', { annotations: { note: 'x' } }));
    const nodes = ['n1', 'gone'];
    expect(await world.tend({ action: 'protectNodes', nodes, reason: '' })).toEqual(nodes);
    expect(await notesOf('n1')).toEqual({ note: 'x', [disabled]: 'true', [ours]: 'true' });
  });

  test('is asked for the Nodes of all sets that are not protected yet', async () => {
    await withNodes(nodeNamed('n1'), nodeNamed('n2'));
    await world.change({ spec: { template: { spec: { class: { name: 'large' } } } } });
    await world.step();
    const { unprotectedNodes, hasProtectedNodes } = await world.survey({ protectedNodes: ['n1'] });
    expect({ unprotectedNodes, hasProtectedNodes }).toEqual({
      unprotectedNodes: ['n2'],
      hasProtectedNodes: true,
    });
    expect((await world.survey({ protectedNodes: [] })).hasProtectedNodes).toBe(false);
  });

  test('is not asked for a Node that has not joined: its machine knows its name before', async () => {
    await withNodes(nodeNamed('n1'));
    const metadata = { name: 'coming', labels: { node: 'n2' } };
    world.addMachine(await world.set(), { phase: 'Pending', metadata });
    await world.change({ spec: { template: { spec: { class: { name: 'large' } } } } });
    await world.step();
    expect((await world.survey()).unprotectedNodes).toEqual(['n1']);
    // Nor does it count as protected when the others get their taint.
    expect(await world.tend({ action: 'taintNodes', set, reason: '' })).toEqual(['n1']);
  });

  test('is not asked for without a target cluster, nor where the flag says no', async () => {
    await withNodes(nodeNamed('n1'));
    await world.change({ spec: { template: { spec: { class: { name: 'large' } } } } });
    await world.step();
    world.world.protectsNodes = false;
    expect(await world.survey()).toMatchObject({ hasNodes: true, unprotectedNodes: [] });
    world.world.protectsNodes = true;
    Reflect.deleteProperty(world.world, 'target');
    expect(await world.survey()).toMatchObject({ hasNodes: false, unprotectedNodes: [] });
  });
});

const release = (): Promise<string[]> => world.tend({ action: 'releaseNodes', reason: '' });

describe('releaseNodes', () => {
  test('only where the mark says that it was us', async () => {
    await withNodes(
      nodeNamed('n1', { annotations: { [disabled]: 'true', [ours]: 'true', note: 'x' } }),
      nodeNamed('n2', { annotations: { [disabled]: 'true' } }),
      nodeNamed('n3'),
      nodeNamed('n4', { annotations: { [ours]: 'true' } }),
    );
    world.addMachine(await world.set(), { metadata: { labels: { node: 'gone' } } });
    expect(await release()).toEqual([]);
    expect(await notesOf('n1')).toEqual({ note: 'x' });
    expect(await notesOf('n2')).toEqual({ [disabled]: 'true' });
    expect(await notesOf('n3')).toEqual({});
    expect(await notesOf('n4')).toEqual({});
  });

  test.each([
    {
      name: 'a preserved machine keeps its Node',
      preserveExpiryTime: '2999-01-01T00:00:00Z',
      isKept: true,
    },
    {
      name: 'one whose time is over does not',
      preserveExpiryTime: '2026-01-01T00:00:00Z',
      isKept: false,
    },
  ])('$name', async ({ preserveExpiryTime, isKept }) => {
    await withNodes();
    world.world.target.put(
      nodeNamed('n1', { annotations: { [disabled]: 'true', [ours]: 'true' } }),
    );
    const metadata = { labels: { node: 'n1' } };
    const currentStatus = { phase: 'Failed' as const, preserveExpiryTime };
    const status = { currentStatus, conditions: joined };
    world.addMachine(await world.set(), { metadata, spec: ofInstance, status });
    await release();
    expect(ours in (await notesOf('n1'))).toBe(isKept);
  });

  test('an API server that does not answer fails the step', async () => {
    await withNodes(nodeNamed('n1', { annotations: { [disabled]: 'true', [ours]: 'true' } }));
    world.world.target.fault = () => ({ code: 503, reason: 'HTTP503' });
    await expect(release()).rejects.toThrow('HTTP503');
  });
});

/** The step runs once for each of these Nodes of one name. */
async function writesAfter(nodes: Node[], step: () => Promise<string[]>): Promise<string[]> {
  for (const node of nodes) {
    world.world.target.put(node);
    await step();
  }
  return world.world.target.writes();
}

describe('a Node whose name another instance or machine has by now', () => {
  const marked = { [disabled]: 'true', [ours]: 'true' };
  const steps = {
    taintNodes: (): Promise<string[]> => taint(),
    untaintNodes: (): Promise<string[]> => world.tend({ action: 'untaintNodes', set, reason: '' }),
    protectNodes: (): Promise<string[]> =>
      world.tend({ action: 'protectNodes', nodes: ['n1'], reason: '' }),
    releaseNodes: (): Promise<string[]> => release(),
  };

  /**
   * Each step would change one of the two: one has what it takes away, the other has not what it
   * adds.
   */
  const others = (changes: Parameters<typeof aNode>[0]): Node[] => [
    aNode({ ...changes, metadata: { name: 'n1', ...changes?.metadata } }),
    aNode({
      ...changes,
      metadata: { name: 'n1', ...changes?.metadata, annotations: marked },
      spec: { ...changes?.spec, taints: [avoidance] },
    }),
  ];

  const own = { name: 'machine-n1', labels: { node: 'n1' } };

  test.each(Object.entries(steps))('is left alone by %s: of another instance', async (_, step) => {
    await withNodes(nodeNamed('n1'));
    const spec = { class: { kind: 'MachineClass', name: 'small' }, providerID: 'local:///z/i-1' };
    world.addMachine(await world.set(), { metadata: own, spec });
    const nodes = others({ spec: { providerID: 'local:///z/i-2' } });
    expect(await writesAfter(nodes, step)).toEqual([]);
  });

  test.each(Object.entries(steps))('is left alone by %s: of another machine', async (_, step) => {
    await withNodes(nodeNamed('n1'));
    world.control.put(aMachine({ metadata: { name: 'rival', labels: { node: 'n1' } } }));
    const nodes = others({ metadata: { labels: { [machineName]: 'rival' } } });
    expect(await writesAfter(nodes, step)).toEqual([]);
  });

  test('is left alone when it comes between read and write', async () => {
    await withNodes(
      nodeNamed('n1', { annotations: marked, labels: { [machineName]: 'machine-n1' } }),
    );
    world.world.target.fault = ({ method }) => {
      const labels = { [machineName]: 'rival' };
      const next = nodeNamed('n1', { uid: 'another', annotations: marked, labels });
      if (method === 'PATCH') world.world.target.put({ ...next, spec: {} });
      return undefined;
    };
    await release();
    expect(await notesOf('n1')).toEqual(marked);
  });
});

test('protectNodes does not take over what another client wrote between read and write', async () => {
  await withNodes(nodeNamed('n1', { annotations: { note: 'x' } }));
  let meddlers = 1;
  world.world.target.fault = ({ method }) => {
    if (method !== 'PATCH' || meddlers === 0) return undefined;
    meddlers -= 1;
    world.world.target.put(nodeNamed('n1', { annotations: { note: 'x', [disabled]: 'true' } }));
    return undefined;
  };
  await world.tend({ action: 'protectNodes', nodes: ['n1'], reason: '' });
  expect(await notesOf('n1')).toEqual({ note: 'x', [disabled]: 'true' });
});
