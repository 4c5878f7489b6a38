import {
  aNode,
  anObject,
  courtroom,
  namespace,
  ownerReference,
  pathTo,
  startRun,
} from '../courtroom.ts';
import type { Courtroom } from '../courtroom.ts';
import { nodeFinalizer, secretFinalizer } from '../objects.ts';

const template = {
  metadata: { labels: { pool: 'a' } },
  spec: { class: { kind: 'MachineClass', name: 'small' } },
};
const nodeTemplate = {
  metadata: { labels: { pool: 'a' }, annotations: { team: 'a' } },
  spec: { taints: [{ key: 'pool', value: 'a', effect: 'NoSchedule' }] },
};
const counts = { replicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 };

const updateKey = (name: string): string => `node.machine.sapcloud.io/${name}`;

function start({ world }: Courtroom, workflowId: string): void {
  startRun(world, workflowId);
}

/** With all that its Machine says of it. */
function joined({ metadata, spec, ...node }: ReturnType<typeof aNode>) {
  const labels = { 'node.gardener.cloud/machine-name': metadata.name, pool: 'a', own: 'b' };
  const marks = { labels, annotations: { team: 'a' }, finalizers: [nodeFinalizer] };
  return {
    ...node,
    metadata: { ...metadata, ...marks },
    spec: { ...spec, ...nodeTemplate.spec },
  };
}

/** A deployment of one machine, as all of it should be. */
function whole(): Courtroom {
  const court = courtroom();
  const { control, target, cloud } = court;
  const secret = { metadata: { finalizers: [secretFinalizer] } };
  control.put({ ...anObject('Secret', 'cloud', secret), apiVersion: 'v1' });
  const machineClass = { ...anObject('MachineClass', 'small'), secretRef: { name: 'cloud' } };
  control.put(machineClass);
  control.put(
    anObject('MachineDeployment', 'pool', {
      metadata: { generation: 1 },
      spec: { replicas: 1, template },
      status: {
        ...counts,
        updatedReplicas: 1,
        conditions: [
          { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
          { type: 'Progressing', status: 'True', reason: 'NewMachineSetAvailable' },
        ],
      },
    }),
  );
  control.put(
    anObject('MachineSet', 'pool-1', {
      metadata: { generation: 1, ownerReferences: ownerReference('MachineDeployment', 'pool') },
      spec: { replicas: 1, template },
      status: counts,
    }),
  );
  const record = cloud.create({ uid: 'uid-of-pool-1-a', name: 'pool-1-a' }, 'cloud');
  const { providerID } = record;
  control.put(
    anObject('Machine', 'pool-1-a', {
      metadata: {
        labels: { node: 'pool-1-a' },
        ownerReferences: ownerReference('MachineSet', 'pool-1'),
      },
      spec: { ...template.spec, providerID, nodeTemplate },
      status: { currentStatus: { phase: 'Running' } },
    }),
  );
  target.put(joined(aNode('pool-1-a', providerID)));
  start(court, `machineDeployment/${namespace}/pool`);
  start(court, `machineSet/${namespace}/pool-1`);
  start(court, `machine/${namespace}/pool-1-a`);
  return court;
}

const secretPath = `/api/v1/namespaces/${namespace}/secrets/cloud`;

const paths = {
  deployment: pathTo('machinedeployments', 'pool'),
  set: pathTo('machinesets', 'pool-1'),
  machine: pathTo('machines', 'pool-1-a'),
  machineClass: pathTo('machineclasses', 'small'),
  node: '/api/v1/nodes/pool-1-a',
} as const;

function patch(court: Courtroom, path: string, body: object): void {
  court.control.patch(path, { type: 'merge', body });
}

test('a world as its users asked lacks nothing', () => {
  expect(whole().judge.unmet()).toEqual([]);
});

interface Lack {
  what: string;
  act(court: Courtroom): void;
  expected: string[];
}

function putToken({ target }: Courtroom, uid: string, creationTimestamp: string): void {
  const { namespace: _control, ...metadata } = anObject(
    'Secret',
    'bootstrap-token-abcdef',
  ).metadata;
  const annotations = { 'millwright.dev/machine-uid': uid };
  const made = { namespace: 'kube-system', finalizers: [], annotations, creationTimestamp };
  const token = { kind: 'Secret', type: 'bootstrap.kubernetes.io/token' };
  target.put({ ...token, metadata: { ...metadata, ...made } });
}

/** A Machine goes, with its instance. `isNew`: it was made a moment ago, without labels. */
function leaveNode(
  court: Courtroom,
  labels: Record<string, string>,
  { madeFor = 'uid-of-pool-2', isNew = true } = {},
): void {
  if (isNew) court.control.put(anObject('Machine', 'pool-2', {}));
  const record = court.cloud.create({ name: 'pool-2', uid: madeFor }, 'cloud');
  const metadata = { labels, deletionTimestamp: '2026-01-01T00:00:00Z' };
  const spec = { providerID: record.providerID };
  court.control.put(anObject('Machine', 'pool-2', { metadata, spec }));
  court.target.put(aNode('pool-2', record.providerID));
  court.cloud.delete(record);
  const path = pathTo('machines', 'pool-2');
  court.write({ method: 'PATCH', path, body: { metadata: { finalizers: null } } });
}

const failed = { status: { currentStatus: { phase: 'Failed' } } };
const lacks: Lack[] = [
  {
    what: 'a machine too few',
    act: (court) => patch(court, paths.deployment, { spec: { replicas: 2 } }),
    expected: [
      'MachineDeployment pool has status.observedGeneration 1 instead of 2',
      'MachineDeployment pool has machines 1 instead of 2',
      'MachineDeployment pool has status.replicas 1 instead of 2',
      'MachineDeployment pool has status.updatedReplicas 1 instead of 2',
      'MachineDeployment pool has status.readyReplicas 1 instead of 2',
      'MachineDeployment pool has status.availableReplicas 1 instead of 2',
    ],
  },
  {
    what: 'a machine that failed',
    act: (court) => patch(court, `${paths.machine}/status`, failed),
    expected: [
      'Machine pool-1-a is "Failed": nothing says why',
      'MachineSet pool-1 has status.readyReplicas 1 instead of 0',
      'MachineSet pool-1 has status.availableReplicas 1 instead of 0',
    ],
  },
  {
    what: 'what kstatus takes for unfinished',
    act(court) {
      const conditions = [{ type: 'Reconciling', status: 'True', reason: 'Creating' }];
      for (const path of [paths.set, paths.machine])
        patch(court, `${path}/status`, { status: { conditions } });
    },
    expected: [
      'Machine pool-1-a has the condition Reconciling, Creating',
      'MachineSet pool-1 has the condition Reconciling, Creating',
    ],
  },
  {
    what: 'a machine that does not go',
    act: (court) => court.control.delete(paths.machine),
    expected: ['Machine pool-1-a is still being deleted: nothing says why'],
  },
  {
    what: 'an instance that vanished',
    act: ({ cloud }) => cloud.living.forEach((record) => cloud.delete(record, 'cloud')),
    expected: ['Machine pool-1-a runs although its instance local:///a/i-1 is gone'],
  },
  {
    what: 'an instance too many',
    act: ({ cloud }) => void cloud.create({ name: 'pool-2' }, 'cloud'),
    expected: ['instance i-2 of pool-2 has 0 Machines'],
  },
  {
    what: 'a Node that is gone',
    act: ({ target }) => target.remove(paths.node),
    expected: ['Machine pool-1-a runs although its Node pool-1-a is gone'],
  },
  {
    what: 'what a Machine says of its Node',
    act({ target }) {
      const labels = { 'node.gardener.cloud/machine-name': null, pool: 'b' };
      const metadata = { labels, annotations: { team: null }, finalizers: null };
      const taints = [{ key: 'pool', value: 'b', effect: 'NoSchedule' }];
      target.patch(paths.node, { type: 'merge', body: { metadata, spec: { taints } } });
    },
    expected: [
      'Machine pool-1-a has Node pool-1-a without our finalizer',
      'Machine pool-1-a has Node pool-1-a without the label pool=a',
      'Machine pool-1-a has Node pool-1-a without the label node.gardener.cloud/machine-name=pool-1-a',
      'Machine pool-1-a has Node pool-1-a without the annotation team=a',
      'Machine pool-1-a has Node pool-1-a without the taint pool:NoSchedule',
    ],
  },
  {
    what: 'the marks of an update in place',
    act(court) {
      const labels = { [updateKey('update-result')]: 'successful' };
      patch(court, paths.deployment, { spec: { strategy: { type: 'InPlaceUpdate' } } });
      patch(court, paths.machine, { metadata: { labels } });
      const marks = { ...labels, [updateKey('candidate-for-update')]: 'true' };
      const annotations = { [updateKey('update-failed-reason')]: 'disk is full' };
      const avoided = { key: 'deployment.machine.sapcloud.io/prefer-no-schedule', effect: 'x' };
      const spec = { unschedulable: true, taints: [...nodeTemplate.spec.taints, avoided] };
      const body = { metadata: { labels: marks, annotations }, spec };
      court.target.patch(paths.node, { type: 'merge', body });
    },
    expected: [
      'Machine pool-1-a has Node pool-1-a with the label node.machine.sapcloud.io/candidate-for-update',
      'Machine pool-1-a has Node pool-1-a with the label node.machine.sapcloud.io/update-result',
      'Machine pool-1-a has Node pool-1-a with the annotation node.machine.sapcloud.io/update-failed-reason',
      'Machine pool-1-a has Node pool-1-a with a cordon',
      'Machine pool-1-a has Node pool-1-a with the taint deployment.machine.sapcloud.io/prefer-no-schedule',
      'Machine pool-1-a has the label node.machine.sapcloud.io/update-result',
      'MachineDeployment pool has status.observedGeneration 1 instead of 2',
    ],
  },
  {
    what: 'a Node that is left of a Machine that was torn down',
    act: (court) => leaveNode(court, { node: 'pool-1-a' }),
    expected: ['Node pool-2 has no instance'],
  },
  {
    what: 'a finalizer',
    act: (court) => patch(court, paths.set, { metadata: { finalizers: null } }),
    expected: ['MachineSet pool-1 lacks our finalizer'],
  },
  {
    what: 'a finalizer of a class',
    act: (court) => patch(court, paths.machineClass, { metadata: { finalizers: null } }),
    expected: ['MachineClass small is used and lacks our finalizer'],
  },
  {
    what: 'a Secret that is to be deleted and that nothing uses any more',
    act(court) {
      patch(court, paths.machineClass, { secretRef: null });
      court.control.delete(secretPath);
    },
    expected: ['Secret cloud is not used and has our finalizer'],
  },
  {
    what: 'a condition',
    act: (court) => patch(court, `${paths.deployment}/status`, { status: { conditions: null } }),
    expected: [
      'MachineDeployment pool has the condition Available undefined, undefined',
      'MachineDeployment pool has the condition Progressing undefined, undefined',
    ],
  },
  {
    what: 'a frozen set',
    act: (court) =>
      patch(court, `${paths.set}/status`, {
        status: { machineSetCondition: [{ type: 'Frozen', status: 'True', reason: 'x' }] },
      }),
    expected: ['MachineSet pool-1 has the condition Frozen, x'],
  },
  {
    what: 'an old set that is not empty',
    act: (court) =>
      patch(court, paths.set, { spec: { template: { metadata: { labels: { pool: 'b' } } } } }),
    expected: [
      'MachineSet pool-1 has status.observedGeneration 1 instead of 2',
      'MachineSet pool-1 of an old template of pool is not empty',
    ],
  },
  {
    what: 'the bootstrap token of a Machine that runs by now',
    act(court) {
      patch(court, `${paths.machine}/status`, { status: { currentStatus: { phase: 'Pending' } } });
      putToken(court, 'uid-of-pool-1-a', '2025-12-31T23:59:59Z');
      patch(court, `${paths.machine}/status`, { status: { currentStatus: { phase: 'Running' } } });
    },
    expected: ['bootstrap token bootstrap-token-abcdef is left'],
  },
  {
    what: 'a workflow',
    act: ({ world }) =>
      world.temporal.engine.find(`machine/${namespace}/pool-1-a`).close('TERMINATED'),
    expected: [`no workflow machine/${namespace}/pool-1-a runs`],
  },
  {
    what: 'the end of a workflow',
    act: (court) => start(court, `machine/${namespace}/pool-2`),
    expected: [`workflow machine/${namespace}/pool-2 runs for nothing`],
  },
];

test.each(lacks)('$what', ({ act, expected }) => {
  const court = whole();
  act(court);
  expect(court.judge.unmet()).toEqual(expected);
});

test.each([
  { orphans: 11, reason: 'TooManyOrphans', at: 0, expected: 0 },
  { orphans: 10, reason: 'TooManyOrphans', at: 0, expected: 10 },
  { orphans: 11, reason: 'DeletedOrphan', at: 0, expected: 11 },
  { orphans: 11, reason: 'TooManyOrphans', at: -180, expected: 11 },
])('$orphans orphans and the Event $reason of $at min', ({ orphans, reason, at, expected }) => {
  const court = whole();
  const { simulation } = court.world;
  const lastTimestamp = new Date(simulation.now + at * 60_000).toISOString();
  const event = { ...anObject('Event', 'small.1'), apiVersion: 'v1', reason, lastTimestamp };
  court.control.put(event);
  for (let index = 0; index < orphans; index += 1) court.cloud.create({ uid: `uid-${index}` });
  expect(court.judge.unmet()).toHaveLength(expected);
});

test('a Machine without an owner may stay Failed', () => {
  const court = whole();
  court.control.put(anObject('Machine', 'single', { ...failed, spec: template.spec }));
  start(court, `machine/${namespace}/single`);
  expect(court.judge.unmet()).toEqual([]);
});

function resting(): Courtroom {
  const court = whole();
  court.judge.unrest();
  return court;
}

test.each([
  ['that is gone', 'another'],
  ['that ran before', 'uid-of-pool-1-a'],
])('a token that came late, of a Machine %s, is left to expire', async (_, uid) => {
  const court = whole();
  await court.pass(60_000);
  putToken(court, uid, new Date(court.world.simulation.now).toISOString());
  expect(court.judge.unmet()).toEqual([]);
});

test.each([
  ['its own Node', 'pool-2', ['Node pool-2 has no instance']],
  ['another Node', 'pool-1-a', []],
])('after Temporal forgot, by a Machine whose label names %s', async (_, node, unmet) => {
  const court = whole();
  const restore = court.world.temporal.backup();
  await court.pass(60_000);
  restore();
  leaveNode(court, { node });
  expect(court.judge.unmet()).toEqual(unmet);
});

test.each([
  ['TERMINATED', 'pool-2', ['Node pool-2 has no instance']],
  ['TERMINATED', 'pool-1-a', []],
  ['FAILED', 'pool-1-a', []],
  ['CONTINUED_AS_NEW', 'pool-1-a', ['Node pool-2 has no instance']],
] as const)('after a run is %s, by a Machine whose label names Node %s', (ended, node, unmet) => {
  const court = whole();
  const id = `machine/${namespace}/pool-2`;
  start(court, id);
  court.world.temporal.engine.find(id).close(ended);
  leaveNode(court, { node });
  expect(court.judge.unmet()).toEqual(unmet);
});

test('by a Machine that was made with the label of another Node', () => {
  const court = whole();
  leaveNode(court, { node: 'pool-1-a' }, { isNew: false });
  expect(court.judge.unmet()).toEqual([]);
});

test('the Node of an instance that was made after its Machine had gone is left to the cloud', async () => {
  const court = whole();
  leaveNode(court, { node: 'pool-2' });
  court.target.remove('/api/v1/nodes/pool-2');
  await court.pass(60_000);
  const late = court.cloud.create({ name: 'pool-2', uid: 'uid-of-pool-2' }, 'cloud');
  court.target.put(aNode('pool-2', late.providerID));
  court.cloud.delete(late);
  expect(court.judge.unmet()).toEqual([]);
});

test('hours after a run is TERMINATED, by a Machine whose label names another Node', async () => {
  const court = whole();
  const id = `machine/${namespace}/pool-2`;
  start(court, id);
  court.world.temporal.engine.find(id).close('TERMINATED');
  await court.pass(2 * 60 * 60_000);
  leaveNode(court, { node: 'pool-1-a' });
  expect(court.judge.unmet()).toEqual([]);
});

test('after a run is TERMINATED, by a Machine that was replaced and names another Node', () => {
  const court = whole();
  const id = `machine/${namespace}/pool-2`;
  start(court, id);
  court.world.temporal.engine.find(id).close('TERMINATED');
  leaveNode(court, { node: 'pool-1-a' }, { madeFor: 'uid-of-the-first' });
  expect(court.judge.unmet()).toEqual([]);
});

test('the Node of an instance that nobody tore down is left to the cloud', () => {
  const court = whole();
  const record = court.cloud.create({ name: 'pool-2', uid: 'uid-of-pool-2' }, 'cloud');
  court.target.put(aNode('pool-2', record.providerID));
  court.cloud.delete(record, 'cloud');
  expect(court.judge.unmet()).toEqual([]);
});

describe('rest', () => {
  test('nothing happens in a world at rest', () => {
    expect(resting().judge.unrest()).toEqual([]);
  });

  test('the renewal of a Lease is nothing', () => {
    const court = resting();
    const path = '/apis/coordination.k8s.io/v1/namespaces/garden-one/leases/millwright';
    const { metadata } = { metadata: { resourceVersion: undefined }, ...court.control.get(path) };
    const { resourceVersion } = metadata;
    const body = { metadata: { resourceVersion }, spec: { renewTime: 'now' } };
    court.write({ method: 'PATCH', path, body });
    expect(court.judge.unrest()).toEqual([]);
  });

  test('a write is told once', () => {
    const court = resting();
    const body = { metadata: { labels: { a: 'b' } } };
    court.write({ method: 'PATCH', path: paths.machine, body });
    expect(court.judge.unrest()).toEqual([`one-worker-1: PATCH ${paths.machine}, 1 times`]);
    expect(court.judge.unrest()).toEqual([]);
  });

  test.each([
    [`machine/${namespace}/pool-1-a`, 1],
    ['safety/orphans/one-2026', 0],
  ])('of the workflow %s %d events count', (id, count) => {
    const court = resting();
    if (id.startsWith('safety')) start(court, id);
    else court.world.temporal.engine.find(id).history.add('TIMER_FIRED');
    expect(court.judge.unrest()).toHaveLength(count);
  });

  test('the end of a workflow is told', () => {
    const court = resting();
    court.world.temporal.engine.find(`machine/${namespace}/pool-1-a`).close('TERMINATED');
    expect(court.judge.unrest()).toEqual([`the workflow machine/${namespace}/pool-1-a ended`]);
  });
});
